/* SPDX-License-Identifier: MIT */
/* A text as such: its one form, and its checksum. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "migrate/parse/split.h"
#include "migrate/set/set_own.h"

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
static int check_directives(const struct dbl_script *script, struct dblock_error *err)
{
	static const char own[] = "-- dblock:";
	const char *line = script->text, *end = script->text + script->len;

	for (size_t number = 1; line < end; number++) {
		const char *lf = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((lf ? lf : end) - line);

		if (len >= sizeof(own) - 1 && memcmp(line, own, sizeof(own) - 1) == 0)
			return dbl_fail(err, DBLOCK_E_INVALID,
					"%s:%zu:1: this version of dblock does not know '%.*s'; "
					"leave that line out, or use a newer dblock",
					script->path, number, (int)(len < 60 ? len : 60), line);
		line += len + 1;
	}
	return 0;
}

/* ---- taking it ------------------------------------------------------------------------------ */

int dbl_script_take(struct dbl_set *set, struct dbl_script *script, char *text, size_t len,
		    struct dblock_error *err)
{
	if (!dbl_set_keep(set, text))
		return dbl_set_no_memory(err);
	script->len = normalize(text, len);
	script->text = text;
	script->original = text;
	script->no_transaction = dbl_split_no_transaction(text, script->len);
	dbl_sha256_hex(text, script->len, script->checksum);
	return check_directives(script, err);
}
