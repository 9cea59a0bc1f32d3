/* SPDX-License-Identifier: MIT */
/* Reads tokens, with just enough of each database's lexer to know where a `;` is code. */
#include <string.h>

#include "migrate/parse/split_own.h"

static char peek(const struct dbl_split *s, size_t n)
{
	return s->at + n < s->len ? s->text[s->at + n] : '\0';
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool at_delimiter(const struct dbl_split *s)
{
	size_t n;

	if (s->at >= s->len || s->text[s->at] != s->delimiter[0]) /* this is asked at each byte */
		return false;
	n = strlen(s->delimiter);
	return s->len - s->at >= n && memcmp(s->text + s->at, s->delimiter, n) == 0;
}

bool dbl_begins_line(const struct dbl_split *s, size_t offset)
{
	while (offset > 0 && is_blank(s->text[offset - 1]) && s->text[offset - 1] != '\n')
		offset--;
	return offset == 0 || s->text[offset - 1] == '\n' ||
	       offset == dbl_skip_bom(s->text, s->len);
}

/* ---- comments ------------------------------------------------------------------------------- */

/* The program mysql drops a line that begins with --, even without a blank, before a statement. */
static bool at_line_comment(const struct dbl_split *s)
{
	if (peek(s, 0) == '#')
		return s->rules->hash_comments;
	if (peek(s, 0) != '-' || peek(s, 1) != '-')
		return false;
	return !s->rules->dash_blank || !s->track.begun || (unsigned char)peek(s, 2) <= ' ';
}

/* Fails for a comment that is a command, ours or another tool's, but would have no effect here. */
static int check_line_comment(const struct dbl_split *s, size_t from, size_t len,
			      struct dblock_error *err)
{
	const char *tool;

	if (!dbl_begins_line(s, from))
		return 0;
	tool = dbl_split_tool(s->text + from, len);
	if (tool)
		return dbl_split_fail(
			s, from, err,
			"a command for %s, which dblock does not follow: make it two "
			"files, NNNN_name.up.sql and NNNN_name.down.sql, without it "
			"('dblock migrate import DIR --to OUT' does, for goose, dbmate and "
			"Liquibase)",
			tool);
	if (dbl_split_is_directive(s->text + from, len) &&
	    !(dbl_split_no_transaction(s->text, s->len) && from <= 3))
		return dbl_split_fail(s, from, err,
				      "the file's first line must be -- no-transaction, as it "
				      "stands here, or this comment has no effect");
	return 0;
}

static int line_comment(struct dbl_split *s, struct dblock_error *err)
{
	size_t from = s->at;

	while (s->at < s->len && s->text[s->at] != '\n') {
		if (s->text[s->at] == '\r' && s->at + 1 < s->len && s->text[s->at + 1] != '\n')
			return dbl_split_fail(s, s->at, err,
					      "a carriage return without a line feed: databases "
					      "differ on whether this comment ends here");
		s->at++;
	}
	return check_line_comment(s, from, s->at - from, err);
}

static bool at_block_comment(const struct dbl_split *s)
{
	return peek(s, 0) == '/' && peek(s, 1) == '*';
}

/* A dump of MariaDB begins with what is a command to its client, and a comment to each server. */
static bool is_sandbox(const struct dbl_split *s)
{
	static const char sandbox[] = "/*M!999999\\-";
	size_t n = sizeof(sandbox) - 1;

	return s->len - s->at >= n && memcmp(s->text + s->at, sandbox, n) == 0;
}

static bool is_executable(const struct dbl_split *s)
{
	return s->rules->executable_comments && !is_sandbox(s) &&
	       (peek(s, 2) == '!' || (peek(s, 2) == 'M' && peek(s, 3) == '!'));
}

static int block_comment(struct dbl_split *s, struct dblock_error *err)
{
	size_t from = s->at, depth = 0;

	if (s->executable)
		return dbl_split_fail(s, from, err,
				      "a comment inside the /*! of line %lu: servers differ on "
				      "where that ends; take it out",
				      dbl_split_line(s, s->executable - 1));
	if (peek(s, 2) == '+' && !s->track.begun && !s->hint)
		s->hint = from + 1;
	do {
		if (s->at >= s->len)
			return dbl_split_fail(s, from, err, "this comment is never closed");
		if (at_block_comment(s) && (depth == 0 || s->rules->nested_comments)) {
			depth++;
			s->at += 2;
		} else if (peek(s, 0) == '*' && peek(s, 1) == '/') {
			depth--;
			s->at += 2;
		} else {
			s->at++;
		}
	} while (depth > 0);
	return 0;
}

/* Skips blanks and comments up to the next token. No delimiter looks like a comment. */
static int skip(struct dbl_split *s, struct dblock_error *err)
{
	int rc = 0;

	while (rc == 0) {
		char c;

		while (s->at < s->len && is_blank(s->text[s->at]))
			s->at++;
		c = peek(s, 0);
		if (c != '-' && c != '/' && c != '#')
			return 0;
		if (at_line_comment(s))
			rc = line_comment(s, err);
		else if (at_block_comment(s) && !is_executable(s))
			rc = block_comment(s, err);
		else
			return 0;
	}
	return rc;
}

/* ---- tokens --------------------------------------------------------------------------------- */

/* Whether a comment that is executed begins or ends here. */
static bool at_mark(const struct dbl_split *s)
{
	return (at_block_comment(s) && is_executable(s)) ||
	       (s->executable && peek(s, 0) == '*' && peek(s, 1) == '/');
}

static int mark(struct dbl_split *s, struct dblock_error *err)
{
	size_t digits = 0;

	if (peek(s, 0) == '*') {
		s->executable = 0;
		s->at += 2;
		return 0;
	}
	if (s->executable)
		return dbl_split_fail(s, s->at, err, "/*! inside the /*! of line %lu",
				      dbl_split_line(s, s->executable - 1));
	s->executable = s->at + 1;
	s->at += peek(s, 2) == '!' ? 3 : 4;
	while (digits++ < 6 && dbl_is_digit(peek(s, 0)))
		s->at++;
	return 0;
}

static enum dbl_token_type word(struct dbl_split *s)
{
	bool number = dbl_is_digit(peek(s, 0)), digits = number && !s->rules->digit_words;
	size_t at = s->at + 1;

	for (; at < s->len; at++) {
		char c = s->text[at];

		if (!(digits ? dbl_is_digit(c) : dbl_in_word(c)))
			break;
		s->at = at; /* a delimiter may have letters */
		if (c == s->delimiter[0] && at_delimiter(s))
			break;
	}
	s->at = at;
	return number ? DBL_TOKEN_NUMBER : DBL_TOKEN_WORD;
}

static int backslash(struct dbl_split *s, struct dbl_token *t, struct dblock_error *err)
{
	if (s->rules->dash_blank && peek(s, 1) == 'N') { /* MySQL: NULL */
		s->at += 2;
		t->type = DBL_TOKEN_NUMBER;
		return 0;
	}
	return dbl_split_fail(s, s->at, err,
			      "a backslash outside quotes: commands of the program %s cannot be "
			      "used here, only SQL; leave them out",
			      s->rules->client);
}

static int plain(struct dbl_split *s, struct dbl_token *t, struct dblock_error *err)
{
	if (peek(s, 0) == '\\')
		return backslash(s, t, err);
	if (peek(s, 0) == '\xEF' && dbl_skip_bom(s->text + s->at, s->len - s->at) > 0)
		return dbl_split_fail(s, s->at, err,
				      "a byte order mark in the middle of the file; delete it");
	if (dbl_in_word(peek(s, 0)) && peek(s, 0) != '$') {
		t->type = word(s);
	} else {
		t->type = DBL_TOKEN_OTHER;
		s->at++;
	}
	return 0;
}

static int token(struct dbl_split *s, struct dbl_token *t, struct dblock_error *err)
{
	char c = s->text[s->at];
	bool found;
	int rc;

	if (at_delimiter(s)) {
		t->type = DBL_TOKEN_DELIMITER;
		s->at += strlen(s->delimiter);
		return 0;
	}
	/* Most are these, which need no closer look. */
	if (c == ',' || c == '(' || c == ')') {
		t->type = DBL_TOKEN_OTHER;
		s->at++;
		return 0;
	}
	if (dbl_sql_is_word(c) && !(s->rules->escape_strings && (c == 'e' || c == 'E'))) {
		t->type = word(s);
		return 0;
	}
	t->type = DBL_TOKEN_MARK;
	if (at_mark(s))
		return mark(s, err);
	t->type = DBL_TOKEN_QUOTED;
	rc = dbl_lex_quoted(s, &found, err);
	return rc || found ? rc : plain(s, t, err);
}

int dbl_lex(struct dbl_split *s, struct dbl_token *t, struct dblock_error *err)
{
	int rc = skip(s, err);

	*t = (struct dbl_token){DBL_TOKEN_END, s->at, 0};
	if (rc || s->at >= s->len)
		return rc;
	rc = token(s, t, err);
	t->len = s->at - t->offset;
	return rc;
}
