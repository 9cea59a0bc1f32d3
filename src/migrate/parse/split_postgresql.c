/* SPDX-License-Identifier: MIT */
/* PostgreSQL: the rules of psql's lexer, except for its own commands. */
#include <string.h>
#include <strings.h>

#include "migrate/parse/split_own.h"

static bool creates_function(const struct dbl_split *s)
{
	size_t n = dbl_nth(s, 1, "or ") && dbl_nth(s, 2, "replace ") ? 3 : 1;

	return dbl_nth(s, 0, "create ") && dbl_nth(s, n, "function procedure ");
}

static bool opens_body(const struct dbl_split *s, const struct dbl_token *t)
{
	return dbl_is(s, t, "atomic") && dbl_follows(s, "begin ") && s->track.parens == 0 &&
	       creates_function(s);
}

static int token(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	if (s->track.parens == 0 && dbl_is_one_of(s, t, "stdin stdout ") &&
	    dbl_nth(s, 0, "copy ") && dbl_follows(s, "from to "))
		s->track.copy = true;
	if (s->track.copy && dbl_is(s, t, "stdout"))
		return dbl_split_fail(s, t->offset, err,
				      "a migration has nobody to COPY to; leave it out");
	return dbl_ended_token(s, t, opens_body(s, t), "BEGIN ATOMIC", err);
}

static size_t line_end(const struct dbl_split *s, size_t at)
{
	const char *lf = memchr(s->text + at, '\n', s->len - at);

	return lf ? (size_t)(lf - s->text) : s->len;
}

/* Behind the `;` of a COPY nothing stands in its line but a comment. Returns where the line ends. */
static size_t rest_of_line(const struct dbl_split *s, size_t at)
{
	while (at < s->len && s->text[at] != '\n' && strchr(" \t\r", s->text[at]))
		at++;
	return at + 1 < s->len && memcmp(s->text + at, "--", 2) == 0 ? line_end(s, at) : at;
}

static bool is_end_of_data(const char *line, size_t len)
{
	return (len == 2 || (len == 3 && line[2] == '\r')) && memcmp(line, "\\.", 2) == 0;
}

/* The data of a COPY are the lines behind its own, up to one that is \. and no more. */
static int read_data(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	struct dbl_track *track = &s->track;
	size_t at = rest_of_line(s, t->offset + t->len), end;

	if (at < s->len && s->text[at] != '\n')
		return dbl_split_fail(s, at, err,
				      "the data of a COPY begin in the line below; put this there");
	track->head = track->end;
	track->data = at < s->len ? at + 1 : at;
	for (at = track->data; at < s->len; at = end + 1) {
		dbl_split_passed(s, at);
		end = line_end(s, at);
		if (is_end_of_data(s->text + at, end - at)) {
			track->data_len = at - track->data;
			track->end = s->at = at + 2;
			return 0;
		}
	}
	return dbl_split_fail(s, track->start, err,
			      "the data of this COPY have no end; put a line with \\. below them");
}

/* A `;` in parentheses, as in CREATE RULE, does not end a statement. */
static int delimiter(struct dbl_split *s, const struct dbl_token *t, bool *ends,
		     struct dblock_error *err)
{
	*ends = s->track.parens == 0 && s->track.phase != DBL_BODY_INSIDE;
	s->track.at_start = s->track.parens == 0;
	return *ends && s->track.copy ? read_data(s, t, err) : 0;
}

static int end(struct dbl_split *s, struct dblock_error *err)
{
	if (s->track.phase == DBL_BODY_INSIDE)
		return dbl_split_fail(s, s->track.ending, err,
				      "this BEGIN ATOMIC has no END before the file ends");
	if (s->track.copy)
		return dbl_split_fail(
			s, s->track.start, err,
			"this COPY has no data; put a `;`, and the data below, or leave "
			"it out");
	return dbl_split_parens(s, err);
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static bool is_transaction_control(const struct dbl_split *s)
{
	if (dbl_nth(s, 0, "start prepare "))
		return dbl_nth(s, 1, "transaction ");
	return dbl_nth(s, 0, "begin commit end abort ");
}

static bool has(const struct dbl_split *s, const char *words)
{
	return dbl_word_after(s, 1, words) < s->track.n_words;
}

static bool on_index(const struct dbl_split *s)
{
	size_t n = dbl_nth(s, 1, "unique ") ? 2 : 1;

	return dbl_nth(s, n, "index ") && dbl_nth(s, n + 1, "concurrently ");
}

static bool alters_alone(const struct dbl_split *s)
{
	if (dbl_nth(s, 1, "system "))
		return true;
	if (dbl_nth(s, 1, "database "))
		return has(s, "tablespace ");
	if (dbl_nth(s, 1, "subscription "))
		return has(s, "refresh publication ");
	return dbl_nth(s, 1, "table ") && has(s, "detach ") && has(s, "concurrently ");
}

/* Some of these may run in a transaction in some cases, which the text does not show. (ALTER TYPE
 * ... ADD VALUE may always, since PostgreSQL 12.) */
static bool needs_to_be_alone(const struct dbl_split *s)
{
	if (dbl_nth(s, 0, "create drop "))
		return dbl_nth(s, 1, "database tablespace subscription ") || on_index(s);
	if (dbl_nth(s, 0, "alter "))
		return alters_alone(s);
	if (dbl_nth(s, 0, "reindex "))
		return has(s, "concurrently database system schema ");
	if (dbl_nth(s, 0, "discard "))
		return dbl_nth(s, 1, "all ");
	if (dbl_nth(s, 0, "cluster "))
		return s->track.n_words == 1 || dbl_nth(s, 1, "verbose ");
	return dbl_nth(s, 0, "vacuum ");
}

static enum dbl_statement_kind kind(const struct dbl_split *s)
{
	if (is_transaction_control(s))
		return DBL_STATEMENT_TRANSACTION;
	return needs_to_be_alone(s) ? DBL_STATEMENT_ALONE : DBL_STATEMENT_ORDINARY;
}

static bool sets(const struct dbl_split *s)
{
	if (dbl_nth(s, 0, "set "))
		return !dbl_nth(s, 1, "local constraints transaction ");
	if (dbl_nth(s, 0, "select "))
		return dbl_nth(s, dbl_nth(s, 1, "pg_catalog ") ? 2 : 1, "set_config ");
	return dbl_nth(s, 0, "reset load ");
}

static enum dbl_statement_session session(const struct dbl_split *s)
{
	if (sets(s))
		return DBL_SESSION_SETTING;
	if (dbl_nth(s, 0, "create select with ") && has(s, "temp temporary "))
		return DBL_SESSION_THING;
	return dbl_nth(s, 0, "prepare declare ") ? DBL_SESSION_THING : DBL_SESSION_NOTHING;
}

/* Whether the statement may change standard_conforming_strings: it names it (SET, set_config,
 * RESET), and does not set it to on. */
static bool unsettles(const struct dbl_split *s)
{
	const char *end = s->text + s->track.end;
	bool on = dbl_nth(s, 0, "set ") && strncasecmp(end - 3, " on", 3) == 0;

	return !on && dbl_statement_has(s, "standard_conforming_strings");
}

const struct dbl_rules dbl_rules_postgresql = {
	.name = "postgresql",
	.client = "psql",
	.nested_comments = true,
	.dollar_quotes = true,
	.escape_strings = true,
	.token = token,
	.delimiter = delimiter,
	.end = end,
	.kind = kind,
	.session = session,
	.unsettles = unsettles,
};
