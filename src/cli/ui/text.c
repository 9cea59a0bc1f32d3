/* SPDX-License-Identifier: MIT */
#include "cli/ui/print.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct range {
	uint32_t first, last;
};

static bool within(const struct range *range, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n; i++)
		if (c >= range[i].first && c <= range[i].last)
			return true;
	return false;
}

#define WITHIN(table, c) within(table, sizeof(table) / sizeof((table)[0]), c)

/* Read the character at text. Returns its length; 0: it is not UTF-8. NUL ends every sequence. */
static size_t next(const char *text, uint32_t *character)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *b = (const unsigned char *)text;
	size_t n = *b < 0x80 ? 1 : *b >= 0xF0 ? 4 : *b >= 0xE0 ? 3 : 2;
	uint32_t c = n == 1 ? *b : *b & (0xFFu >> (n + 1));

	if (*b >= 0x80 && (*b < 0xC2 || *b > 0xF4))
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((b[i] & 0xC0) != 0x80)
			return 0;
		c = c << 6 | (b[i] & 0x3F);
	}
	*character = c;
	return c < smallest[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF) ? 0 : n;
}

/* Is it a control, a line or paragraph separator, or does it change the direction of the text? */
static bool is_unsafe(uint32_t c)
{
	static const struct range table[] = {{0x00, 0x1F},     {0x7F, 0x9F},     {0x61C, 0x61C},
					     {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069}};

	return WITHIN(table, c);
}

static const char of_cluster[] = DBL_OF_CLUSTER, shown_so[] = "quorum/";

char *dbl_text_safe(const char *text)
{
	char *copy = malloc(4 * strlen(text) + 1);
	char *to = copy;
	uint32_t c = 0;

	if (!copy)
		return NULL;
	while (*text) {
		if (strncmp(text, of_cluster, sizeof(of_cluster) - 1) == 0) {
			to = stpcpy(to, shown_so);
			text += sizeof(of_cluster) - 1;
			continue;
		}
		size_t n = next(text, &c);
		bool plain = n && !is_unsafe(c);

		for (size_t i = 0; i < (n ? n : 1); i++, text++)
			to += plain ? (*to = *text, 1)
				    : sprintf(to, "\\x%02X", (unsigned)(unsigned char)*text);
	}
	*to = '\0';
	return copy;
}

char *dbl_text_utf8(const char *text)
{
	static const char replacement[] = "\xEF\xBF\xBD";
	char *copy = malloc(3 * strlen(text) + 1);
	char *to = copy;
	uint32_t c;

	if (!copy)
		return NULL;
	while (*text) {
		size_t n = next(text, &c);

		memcpy(to, n ? text : replacement, n ? n : 3);
		to += n ? n : 3;
		text += n ? n : 1;
	}
	*to = '\0';
	return copy;
}

void dbl_text_put_word(FILE *out, const char *word)
{
	if (*word && !word[strcspn(word, " \t\n'\"\\$`&|;<>()*?[]#~!{}")]) {
		fputs(word, out);
		return;
	}
	fputc('"', out);
	for (; *word; word++) {
		if (strchr("\"\\$`", *word))
			fputc('\\', out);
		fputc(*word, out);
	}
	fputc('"', out);
}

/* The columns of one character. */
static size_t character_width(uint32_t c)
{
	static const struct range none[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},
					    {0x610, 0x61A},   {0x64B, 0x65F},   {0x1AB0, 0x1AFF},
					    {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF},
					    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
	static const struct range twice[] = {
		{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
		{0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
		{0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};

	return WITHIN(none, c) ? 0 : WITHIN(twice, c) ? 2 : 1;
}

/* The number of bytes that fit into so many columns; *width: the columns that they take. */
static size_t measure(const char *text, size_t columns, size_t *width)
{
	const char *at = text;
	uint32_t c = 0;

	*width = 0;
	while (*at) {
		size_t n = next(at, &c);
		size_t more = n ? character_width(c) : 1;

		if (more > columns - *width)
			break;
		*width += more;
		at += n ? n : 1;
	}
	return (size_t)(at - text);
}

static size_t step(const char *text)
{
	uint32_t c;
	size_t n = next(text, &c);

	return n ? n : 1;
}

size_t dbl_text_width(const char *text)
{
	size_t width;

	measure(text, SIZE_MAX, &width);
	return width;
}

void dbl_text_cut(char *text, size_t columns)
{
	size_t width;

	text[measure(text, columns, &width)] = '\0';
}

const char *dbl_text_tail(const char *text, size_t columns)
{
	while (dbl_text_width(text) > columns)
		text += step(text);
	return text;
}

/* Does the text's first character fit the pattern's? *length: the bytes of that in the pattern. */
static bool same(const char *text, const char *pattern, size_t *length)
{
	size_t n = step(text), escape = *pattern == '\\' && pattern[1];

	*length = *pattern == '?' ? 1 : escape + n;
	return *pattern == '?' || (*pattern && strncmp(text, pattern + escape, n) == 0);
}

bool dbl_text_fits(const char *text, const char *pattern)
{
	/* It is enough to go back to the last star. */
	const char *star = NULL, *eaten = NULL;
	size_t n;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			eaten = text;
		} else if (same(text, pattern, &n)) {
			pattern += n;
			text += step(text);
		} else if (star) {
			eaten += step(eaten);
			text = eaten;
			pattern = star;
		} else {
			return false;
		}
	}
	return pattern[strspn(pattern, "*")] == '\0';
}
