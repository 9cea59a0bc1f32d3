/* SPDX-License-Identifier: MIT */
/* SQLite: the rules of sqlite3_complete(), except for the program sqlite3's own commands. */
#include "migrate/parse/split_own.h"

/* How far the beginning of CREATE TRIGGER is read: track.object. EXPLAIN QUERY PLAN may be before it. */
enum { OPENING_START, OPENING_EXPLAIN, OPENING_CREATE, OPENING_OTHER };

static int opening_after(const struct dbl_split *s, const struct dbl_token *t)
{
	int at = s->track.object;

	if (at == OPENING_START && dbl_is(s, t, "explain"))
		return OPENING_EXPLAIN;
	if (at <= OPENING_EXPLAIN && dbl_is(s, t, "create"))
		return OPENING_CREATE;
	if (at == OPENING_EXPLAIN && !dbl_is_one_of(s, t, "explain temp temporary trigger end "))
		return at;
	if (at == OPENING_CREATE && dbl_is_one_of(s, t, "temp temporary "))
		return at;
	return OPENING_OTHER;
}

static bool creates_trigger(struct dbl_split *s, const struct dbl_token *t)
{
	bool is = s->track.object == OPENING_CREATE && dbl_is(s, t, "trigger");

	s->track.object = opening_after(s, t);
	return is;
}

static int token(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	int rc;

	if (!s->track.begun && s->text[t->offset] == '.')
		return dbl_split_fail(s, t->offset, err,
				      "a command of the program sqlite3 cannot be used here, only "
				      "SQL");
	rc = dbl_ended_token(s, t, creates_trigger(s, t), "a trigger", err);
	s->track.at_start = false; /* the trigger's name follows, no statement */
	return rc;
}

static int delimiter(struct dbl_split *s, const struct dbl_token *t, bool *ends,
		     struct dblock_error *err)
{
	(void)t;
	*ends = s->track.phase != DBL_BODY_INSIDE;
	s->track.at_start = true;
	return dbl_split_parens(s, err);
}

static int end(struct dbl_split *s, struct dblock_error *err)
{
	if (s->track.phase == DBL_BODY_INSIDE)
		return dbl_split_fail(s, s->track.start, err,
				      "this trigger has no ; END; before the file ends");
	return dbl_split_parens(s, err);
}

/* Whether it is a PRAGMA that fails or does nothing in a transaction. A schema may be before it. */
static bool is_lone_pragma(const struct dbl_split *s)
{
	static const char names[] = "foreign_keys journal_mode synchronous wal_checkpoint "
				    "page_size auto_vacuum ";

	return dbl_nth(s, 0, "pragma ") && (dbl_nth(s, 1, names) || dbl_nth(s, 2, names));
}

static enum dbl_statement_kind kind(const struct dbl_split *s)
{
	if (dbl_nth(s, 0, "begin commit end "))
		return DBL_STATEMENT_TRANSACTION;
	if (dbl_nth(s, 0, "vacuum detach ") || is_lone_pragma(s))
		return DBL_STATEMENT_ALONE;
	return DBL_STATEMENT_ORDINARY;
}

const struct dbl_rules dbl_rules_sqlite = {
	.name = "sqlite",
	.client = "sqlite3",
	.brackets = true,
	.backticks = true,
	.digit_words = true,
	.token = token,
	.delimiter = delimiter,
	.end = end,
	.kind = kind,
};
