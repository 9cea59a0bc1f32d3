/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static bool reserve(struct dbl_str *s, size_t more)
{
	size_t need = s->len + more + 1;
	size_t room = s->room ? s->room : 64;
	char *text;

	if (s->failed)
		return false;
	if (need <= s->room)
		return true;
	while (room < need)
		room *= 2;
	text = dbl_realloc(s->text, room);
	if (!text) {
		s->failed = true;
		return false;
	}
	s->text = text;
	s->room = room;
	return true;
}

void dbl_str_addn(struct dbl_str *s, const char *text, size_t len)
{
	if (!reserve(s, len))
		return;
	memcpy(s->text + s->len, text, len);
	s->len += len;
	s->text[s->len] = '\0';
}

void dbl_str_addz(struct dbl_str *s, const char *text, size_t len)
{
	if (!reserve(s, len + 1))
		return;
	memcpy(s->text + s->len, text, len);
	s->len += len + 1;
	s->text[s->len - 1] = s->text[s->len] = '\0';
}

void dbl_str_add(struct dbl_str *s, const char *text)
{
	dbl_str_addn(s, text, strlen(text));
}

/* No printf() here: this runs for each argument of each statement, and printf() is slow. */
void dbl_str_addi(struct dbl_str *s, int64_t number)
{
	uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + left % 10);
		left /= 10;
	} while (left > 0);
	if (number < 0)
		digits[--at] = '-';
	dbl_str_addn(s, digits + at, sizeof(digits) - at);
}

void dbl_str_addf(struct dbl_str *s, const char *fmt, ...)
{
	va_list args, again;
	int len;

	va_start(args, fmt);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, args);
	if (len >= 0 && reserve(s, (size_t)len)) {
		vsnprintf(s->text + s->len, (size_t)len + 1, fmt, again);
		s->len += (size_t)len;
	}
	va_end(again);
	va_end(args);
}

void dbl_str_add_quoted(struct dbl_str *s, const char *text, size_t len, bool json)
{
	size_t from = 0;

	dbl_str_addn(s, "\"", 1);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c != '"' && c != '\\' && (c >= ' ' || !json))
			continue;
		dbl_str_addn(s, text + from, i - from);
		from = i + 1;
		if (c < ' ')
			dbl_str_addf(s, "\\u%04x", c);
		else
			dbl_str_addf(s, "\\%c", c);
	}
	dbl_str_addn(s, text + from, len - from);
	dbl_str_addn(s, "\"", 1);
}

char *dbl_str_take(struct dbl_str *s)
{
	char *text = NULL;

	dbl_str_addn(s, "", 0);
	if (!s->failed) {
		text = s->text;
		s->text = NULL;
	}
	dbl_str_free(s);
	return text;
}

void dbl_str_free(struct dbl_str *s)
{
	dbl_free(s->text);
	*s = (struct dbl_str){0};
}
