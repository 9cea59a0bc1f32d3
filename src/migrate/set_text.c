/* SPDX-License-Identifier: MIT */
/* A text as such: its one form, its checksum, and the lines in it that are written for tools. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "migrate/set_own.h"
#include "migrate/split.h"

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

/* ---- lines for tools ------------------------------------------------------------------------ */

struct line {
	const char *text;
	size_t len;
	size_t number;
};

static size_t blanks(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && (text[n] == ' ' || text[n] == '\t'))
		n++;
	return n;
}

/* What a comment line says, after "--" and blanks; false if it is none. A line inside a string or a
 * body that looks like one counts as well: the tools themselves read them so. */
static bool is_comment(const struct line *line, struct line *words)
{
	size_t at = blanks(line->text, line->len);

	if (line->len - at < 2 || memcmp(line->text + at, "--", 2) != 0)
		return false;
	at += 2;
	at += blanks(line->text + at, line->len - at);
	*words = (struct line){line->text + at, line->len - at, line->number};
	return true;
}

/* Does it begin with this, in whatever letters, and then end or go on with something else? */
static bool begins(const struct line *words, const char *with)
{
	size_t len = strlen(with);

	return words->len >= len && strncasecmp(words->text, with, len) == 0 &&
	       (words->len == len || words->text[len] == ' ' || words->text[len] == '\t');
}

static int check_foreign(const struct dbl_script *script, const struct line *line,
			 struct dblock_error *err)
{
	const char *tool = dbl_split_tool(line->text, line->len);

	if (!tool)
		return 0;
	return dbl_script_fail(script, line->number, 1, err,
			       "this is a file for %s, and dblock does not do what this line says; "
			       "put what applies it into NNNN_name.up.sql, what undoes it into "
			       "NNNN_name.down.sql, and leave such lines out",
			       tool);
}

/* One that nobody follows because of how or where it is written would be worse than none. */
static int check_ours(const struct dbl_script *script, const struct line *line,
		      const struct line *words, struct dblock_error *err)
{
	static const char own[] = "dblock:";

	if (words->len >= sizeof(own) - 1 && memcmp(words->text, own, sizeof(own) - 1) == 0)
		return dbl_script_fail(script, line->number, 1, err,
				       "this version of dblock does not know '-- %.*s'; leave that "
				       "line out, or use a newer dblock",
				       (int)(words->len < 60 ? words->len : 60), words->text);
	if (!begins(words, "no-transaction") || (line->number == 1 && script->no_transaction))
		return 0;
	return dbl_script_fail(script, line->number, 1, err,
			       "'-- no-transaction' counts only as the first line, and written "
			       "just so; put it there, or leave it out");
}

static int check_line(const struct dbl_script *script, const struct line *line,
		      struct dblock_error *err)
{
	struct line words;
	int rc;

	if (!is_comment(line, &words))
		return 0;
	rc = check_foreign(script, line, err);
	return rc ? rc : check_ours(script, line, &words, err);
}

static int check_lines(const struct dbl_script *script, struct dblock_error *err)
{
	const char *end = script->text + script->len;
	struct line line = {script->text, 0, 1};
	int rc = 0;

	while (line.text < end && rc == 0) {
		const char *lf = memchr(line.text, '\n', (size_t)(end - line.text));

		line.len = (size_t)((lf ? lf : end) - line.text);
		rc = check_line(script, &line, err);
		line.text += line.len + 1;
		line.number++;
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
	return check_lines(script, err);
}
