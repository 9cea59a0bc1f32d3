/* SPDX-License-Identifier: MIT */
/* Reads the line DELIMITER of the program mysql. */
#include <string.h>

#include "migrate/parse/split_own.h"

/* No sign that can be in a word, quotes something or begins a comment is allowed: it would be found
 * where it is not meant. */
static const char allowed[] = ";/$|!%^&@~:?=+<>";

static size_t skip_blanks(const struct dbl_split *s, size_t at, size_t end)
{
	while (at < end && (s->text[at] == ' ' || s->text[at] == '\t' || s->text[at] == '\r'))
		at++;
	return at;
}

bool dbl_delimiter_is_set(const struct dbl_split *s)
{
	return strcmp(s->delimiter, ";") != 0;
}

/* Whether nothing but a comment follows the argument: mysql would ignore it. */
static bool is_rest_empty(const struct dbl_split *s, size_t at, size_t end)
{
	at = skip_blanks(s, at, end);
	return at == end || s->text[at] == '#' ||
	       (end - at >= 2 && s->text[at] == '-' && s->text[at + 1] == '-');
}

/* A column may have this name, but no such sign follows a column. What is behind the sign does not
 * matter, as it may belong to the next statement. */
bool dbl_is_delimiter_line(const struct dbl_split *s, const struct dbl_token *t)
{
	size_t from = t->offset + t->len, at;

	if (!dbl_is(s, t, "delimiter") || !dbl_begins_line(s, t->offset))
		return false;
	at = skip_blanks(s, from, s->len);
	return at > from && at < s->len && strchr(";/$|!%^&@~:", s->text[at]);
}

static int check_place(const struct dbl_split *s, const struct dbl_token *t,
		       struct dblock_error *err)
{
	if (!s->rules->executable_comments)
		return dbl_split_fail(s, t->offset, err,
				      "DELIMITER is a command of the program mysql; take it out, "
				      "it is not needed here");
	if (!dbl_begins_line(s, t->offset))
		return dbl_split_fail(s, t->offset, err,
				      "DELIMITER must stand at the beginning of its line");
	return 0;
}

int dbl_delimiter_line(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	size_t end = t->offset, from = t->offset + t->len, to, n;
	int rc = check_place(s, t, err);

	if (rc)
		return rc;
	while (end < s->len && s->text[end] != '\n')
		end++;
	from = to = skip_blanks(s, from, end);
	while (to < end && s->text[to] && strchr(allowed, s->text[to]))
		to++;
	n = to - from;
	if (n == 0 || n > DBL_SPLIT_DELIMITER || from == t->offset + t->len ||
	    !is_rest_empty(s, to, end) || (n == 1 && strchr("/:=+<>@?!", s->text[from])))
		return dbl_split_fail(s, t->offset, err,
				      "DELIMITER needs signs that stand nowhere else, on the same "
				      "line: // or $$ or ;;");
	memcpy(s->delimiter, s->text + from, n);
	s->delimiter[n] = '\0';
	s->at = end;
	s->hint = 0;
	return 0;
}
