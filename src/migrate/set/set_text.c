/* SPDX-License-Identifier: MIT */
/* A text as such: its one form, and its checksum. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "migrate/parse/split.h"
#include "migrate/set/set_own.h"

int dbl_script_fail(const struct dbl_script *script, size_t line, size_t column,
		    struct dblock_error *err, const char *fmt, ...)
{
	char what[sizeof(((struct dblock_error *)0)->message)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return dbl_fail(err, DBLOCK_E_INVALID, "%s:%zu:%zu: %s", script->path, line, column, what);
}

/* No byte order mark, and \n at the end of each line: what an editor or a checkout changes without
 * being asked. Returns the new length. */
static size_t normalize(char *text, size_t len)
{
	static const char mark[] = "\xEF\xBB\xBF";
	size_t from = len >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0, to = 0;

	for (; from < len; from++) {
		bool before_lf = from + 1 < len && text[from] == '\r' && text[from + 1] == '\n';

		if (!before_lf)
			text[to++] = (char)(text[from] == '\r' ? '\n' : text[from]);
	}
	text[to] = '\0';
	return to;
}

/* "-- dblock:..." is kept for what a later version may be told in a file: not to be passed over by
 * one that does not know it. Other tools' lines the splitter finds. */
static int check_directive(const struct dbl_script *script, const char *line, size_t len,
			   size_t number, struct dblock_error *err)
{
	static const char own[] = "-- dblock:";

	if (len < sizeof(own) - 1 || memcmp(line, own, sizeof(own) - 1) != 0)
		return 0;
	return dbl_script_fail(
		script, number, 1, err,
		"this version of dblock does not know '%.*s'; leave that line out, or "
		"use a newer dblock",
		(int)(len < 60 ? len : 60), line);
}

static int check_directives(const struct dbl_script *script, struct dblock_error *err)
{
	const char *line = script->text, *end = script->text + script->len;
	int rc = 0;

	for (size_t number = 1; line < end && rc == 0; number++) {
		const char *lf = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((lf ? lf : end) - line);

		rc = check_directive(script, line, len, number, err);
		line += len + 1;
	}
	return rc;
}

/* ---- taking it ------------------------------------------------------------------------------ */

int dbl_script_take(struct dbl_script *script, char *text, size_t len, struct dblock_error *err)
{
	script->len = normalize(text, len);
	script->text = text;
	script->original = text;
	script->no_transaction = dbl_split_no_transaction(text, script->len);
	dbl_sha256_hex(text, script->len, script->checksum);
	return check_directives(script, err);
}
