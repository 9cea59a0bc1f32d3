/* SPDX-License-Identifier: MIT */
/* Where something stands in a file, and what is wrong there. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "migrate/parse/split_own.h"

#define BOM "\xEF\xBB\xBF"

struct dbl_position dbl_advance(struct dbl_position from, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n')
			from = (struct dbl_position){from.line + 1, 1};
		else if (((unsigned char)text[i] & 0xC0) != 0x80)
			from.col++;
	}
	return from;
}

size_t dbl_skip_bom(const char *text, size_t len)
{
	return len >= 3 && memcmp(text, BOM, 3) == 0 ? 3 : 0;
}

struct dbl_position dbl_position(const char *text, size_t len, size_t offset)
{
	size_t from = dbl_skip_bom(text, len);

	if (offset > len)
		offset = len;
	if (offset < from)
		offset = from;
	return dbl_advance((struct dbl_position){1, 1}, text + from, offset - from);
}

struct dbl_position dbl_statement_position(const char *text, size_t len,
					   const struct dbl_statement *statement, size_t n)
{
	size_t at = 0;

	while (n > 1 && at < statement->len) {
		do {
			at++;
		} while (at < statement->len && (statement->text[at] & 0xC0) == 0x80);
		n--;
	}
	return dbl_position(text, len, statement->offset + at);
}

unsigned long dbl_split_line(const struct dbl_split *s, size_t offset)
{
	return (unsigned long)dbl_position(s->text, s->len, offset).line;
}

int dbl_split_fail(const struct dbl_split *s, size_t offset, struct dblock_error *err,
		   const char *fmt, ...)
{
	struct dbl_position at = dbl_position(s->text, s->len, offset);
	char what[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return dbl_fail(err, DBLOCK_E_INVALID, "%s:%lu:%lu: %s", s->file, (unsigned long)at.line,
			(unsigned long)at.col, what);
}
