/* SPDX-License-Identifier: MIT */
/* Comments that mean something to dblock. The splitter finds lines for other tools. */
#include <string.h>

#include "migrate/lint/lint.h"
#include "migrate/set/set_own.h"

static const char own[] = "-- dblock:", allow[] = "-- dblock:allow ";

static bool begins(const char *line, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && memcmp(line, with, n) == 0;
}

static int check_directive(const struct dbl_script *script, size_t number, const char *line,
			   size_t len, bool head, struct dblock_error *err)
{
	const char *why = "this version of dblock does not know it; leave that line out, or use a "
			  "newer dblock";

	if (begins(line, len, allow))
		why = dbl_allow_check(line, len);
	if (begins(line, len, DBL_VARIABLES))
		why = head ? NULL : "it stands in the head of a file, before its first statement";
	return why ? dbl_fail(err, DBLOCK_E_INVALID, "%s:%zu:1: '%.*s': %s", script->path, number,
			      (int)(len < 60 ? len : 60), line, why)
		   : 0;
}

int dbl_script_marks(const struct dbl_script *script, struct dblock_error *err)
{
	const struct dbl_text *text = &script->text;
	const char *line = text->text, *end = line + text->len, *passed = line;
	bool head = true;
	int rc = 0;

	for (size_t number = 1; line < end && rc == 0; number++) {
		const char *lf = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((lf ? lf : end) - line);

		if (begins(line, len, own))
			rc = check_directive(script, number, line, len, head, err);
		head = head && (len == 0 || begins(line, len, "--"));
		line += len + 1;
		if (line - passed > DBL_TEXT_STRIDE) {
			dbl_text_passed(text->text, text->mapped);
			passed = line;
		}
	}
	return rc;
}

/* `dblock migrate new` writes "-- Applies NNNN_name." or "-- Undoes NNNN_name.", and nothing else. */
bool dbl_script_is_draft(const struct dbl_script *script)
{
	const char *text = script->text.text;
	size_t len = script->text.len, head;

	if (!text || !(begins(text, len, "-- Applies ") || begins(text, len, "-- Undoes ")))
		return false;
	while (len > 0 && strchr(" \t\n", text[len - 1]))
		len--;
	head = strcspn(text + 3, " ") + 4;
	return text[len - 1] == '.' && strcspn(text + head, " \t\n") == len - head;
}
