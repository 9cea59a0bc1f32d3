/* SPDX-License-Identifier: MIT */
/* Reads what is between quotes: strings, quoted identifiers, dollar quotes. */
#include <string.h>

#include "migrate/parse/split_own.h"

static char byte(const struct dbl_split *s, size_t at)
{
	return at < s->len ? s->text[at] : '\0';
}

/* Fails if an executed comment would end within the quotes for a server that does not execute
 * it. */
static int check_inside(const struct dbl_split *s, size_t from, struct dblock_error *err)
{
	if (!s->executable)
		return 0;
	for (size_t i = from; i + 1 < s->at; i++) {
		if (s->text[i] == '*' && s->text[i + 1] == '/')
			return dbl_split_fail(s, i, err,
					      "*/ in quotes, inside the /*! of line %lu: servers "
					      "differ on whether that ends it",
					      dbl_split_line(s, s->executable - 1));
	}
	return 0;
}

/* Reads from the opening quote to behind the closing one; a doubled quote means one. */
static int to_close(struct dbl_split *s, char quote, enum dbl_escape escape,
		    struct dblock_error *err)
{
	size_t from = s->at;

	for (s->at++; s->at < s->len; s->at++) {
		char c = s->text[s->at];

		if (c != '\\' && c != quote)
			continue;
		if (c == '\\' && escape != DBL_ESCAPE_NO) {
			if (escape == DBL_ESCAPE_UNSURE && byte(s, s->at + 1) == quote)
				return dbl_split_fail(s, s->at, err,
						      "a backslash before a quote, after a setting "
						      "was changed that says what this means; "
						      "double the quote instead");
			s->at++;
		} else if (c == quote) {
			s->at++;
			if (quote == ']' || byte(s, s->at) != quote)
				return check_inside(s, from, err);
		}
	}
	s->at = s->len;
	return dbl_split_fail(s, from, err, "this %c is never closed", s->text[from]);
}

/* Returns where the string goes on, or 0: it does in another string if only blanks and line
 * comments with a line's end are between them, and a backslash means the same there. */
static size_t continuation(const struct dbl_split *s)
{
	bool line = false;

	for (size_t i = s->at; i < s->len; i++) {
		char c = s->text[i];

		if (c == '\'')
			return line ? i : 0;
		if (c == '-' && byte(s, i + 1) == '-') {
			while (i + 1 < s->len && s->text[i + 1] != '\n' && s->text[i + 1] != '\r')
				i++;
		} else if (c == '\n' || c == '\r') {
			line = true;
		} else if (c != ' ' && c != '\t' && c != '\f' && c != '\v') {
			return 0;
		}
	}
	return 0;
}

static int escape_string(struct dbl_split *s, struct dblock_error *err)
{
	size_t next = s->at + 1;
	int rc;

	do {
		s->at = next;
		rc = to_close(s, '\'', DBL_ESCAPE_YES, err);
		next = rc ? 0 : continuation(s);
	} while (next);
	return rc;
}

/* Returns the length of the tag `$...$` that begins here; 0: none does. */
static size_t dollar_tag(const struct dbl_split *s)
{
	size_t i = s->at + 1;

	for (; i < s->len && s->text[i] != '$'; i++) {
		char c = s->text[i];

		if (!dbl_in_word(c) || (dbl_is_digit(c) && i == s->at + 1))
			return 0;
	}
	return i < s->len ? i + 1 - s->at : 0;
}

static int dollar_quoted(struct dbl_split *s, size_t tag, struct dblock_error *err)
{
	const char *open = s->text + s->at, *end = s->text + s->len, *at = open + tag;

	while ((at = memchr(at, '$', (size_t)(end - at))) != NULL) {
		if ((size_t)(end - at) < tag)
			break;
		if (memcmp(at, open, tag) == 0) {
			s->at = (size_t)(at - s->text) + tag;
			return 0;
		}
		at++;
	}
	return dbl_split_fail(s, s->at, err, "the quote %.*s is never closed",
			      (int)(tag < 64 ? tag : 64), open);
}

/* In identifiers of PostgreSQL, and everywhere in SQLite, a backslash never escapes. */
static enum dbl_escape escape_in(const struct dbl_split *s, char quote)
{
	if (!s->rules->unsettles || (quote == '"' && !s->rules->escapes))
		return DBL_ESCAPE_NO;
	if (s->unsettled)
		return DBL_ESCAPE_UNSURE;
	return s->rules->escapes ? DBL_ESCAPE_YES : DBL_ESCAPE_NO;
}

int dbl_lex_quoted(struct dbl_split *s, bool *found, struct dblock_error *err)
{
	const struct dbl_rules *rules = s->rules;
	char c = s->text[s->at];
	size_t tag;

	*found = true;
	if (c == '\'' || c == '"')
		return to_close(s, c, escape_in(s, c), err);
	if (c == '`' && rules->backticks)
		return to_close(s, c, DBL_ESCAPE_NO, err);
	if (c == '[' && rules->brackets)
		return to_close(s, ']', DBL_ESCAPE_NO, err);
	if ((c == 'e' || c == 'E') && rules->escape_strings && byte(s, s->at + 1) == '\'')
		return escape_string(s, err);
	if (c == '$' && rules->dollar_quotes && (tag = dollar_tag(s)) != 0)
		return dollar_quoted(s, tag, err);
	*found = false;
	return 0;
}
