/* SPDX-License-Identifier: MIT */
/* Texts that are made of another file's lines, numbers, and names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/migrate/import/import_own.h"

enum { NAME_MAX_LEN = 200 };

/* Makes room for that many more; false: there is no memory. */
static bool has_room(struct dbl_import *im, struct dbl_text *to, size_t more)
{
	size_t room = to->room ? to->room : 256;
	char *text;

	while (room - to->len < more)
		room *= 2;
	if (room != to->room) {
		text = realloc(to->text, room);
		im->no_memory |= !text;
		if (!text)
			return false;
		to->text = text;
		to->room = room;
	}
	return true;
}

static bool note_line(struct dbl_import *im, struct dbl_text *to, int number)
{
	int *lines = to->lines;

	if ((to->n_lines & (to->n_lines - 1)) == 0)
		lines = realloc(lines, (to->n_lines ? 2 * to->n_lines : 1) * sizeof(*lines));
	im->no_memory |= !lines;
	if (!lines)
		return false;
	to->lines = lines;
	lines[to->n_lines++] = number;
	return true;
}

void dbl_text_line(struct dbl_import *im, struct dbl_text *to, const struct dbl_line *line)
{
	if (!has_room(im, to, line->len) || !note_line(im, to, line->number))
		return;
	memcpy(to->text + to->len, line->text, line->len);
	to->len += line->len;
	to->any |= !dbl_line_is_blank(line);
}

struct dbl_part dbl_text_part(struct dbl_import *im, const struct dbl_text *text, const char *path)
{
	if (text->n_lines) {
		dbl_import_keep(im, text->text);
		dbl_import_keep(im, text->lines);
	}
	return (struct dbl_part){
		.path = text->any ? path : NULL,
		.text = text->text ? text->text : "",
		.len = text->len,
		.lines = text->lines,
		.no_transaction = text->no_transaction,
	};
}

bool dbl_number_read(const char *digits, size_t len, int64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < len; i++) {
		int digit = digits[i] - '0';

		if (digit < 0 || digit > 9 ||
		    *number > (DBLOCK_MIGRATION_REPEATABLE - 1 - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	return len > 0;
}

/* Whether the name ends in another ending of ours, which would be read as one. */
static char *other_ending(char *name)
{
	static const char *const endings[] = {".up", ".down", ".sql"};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t n = strlen(endings[i]);

		if (len > n && strcasecmp(name + len - n, endings[i]) == 0)
			return name + len - n;
	}
	return NULL;
}

const char *dbl_name_of(struct dbl_import *im, const char *text, size_t len)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.-";
	char *name, *dot;

	while (len > 0 && (!strchr(allowed, *text) || strchr("_.-", *text))) {
		text++;
		len--;
	}
	name = dbl_import_keep(im, len ? strndup(text, len < NAME_MAX_LEN ? len : NAME_MAX_LEN)
				       : strdup("migration"));
	for (char *c = name; c && *c; c++)
		*c = strchr(allowed, *c) ? *c : '_';
	while (name && (dot = other_ending(name)))
		*dot = '_';
	return name ? name : "";
}
