/* SPDX-License-Identifier: MIT */
/* MySQL and MariaDB: the rules of the program mysql, except for its own commands. */
#include "migrate/parse/split_own.h"

/* Fails for a second statement behind a `;` that is no delimiter, since the server would get both
 * at once. Only the bodies of programs have several statements. */
static int check_second(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	struct dbl_track *track = &s->track;

	if (t->type == DBL_TOKEN_MARK || dbl_program_is(s))
		return 0;
	if (t->type == DBL_TOKEN_OTHER && s->text[t->offset] == ';') {
		track->second = track->begun ? t->offset + 1 : 0;
		return 0;
	}
	if (!track->second)
		return 0;
	return dbl_split_fail(s, t->offset, err,
			      "a second statement before the delimiter %s; end the one before, on "
			      "line %lu, with %s",
			      s->delimiter, dbl_split_line(s, track->second - 1), s->delimiter);
}

static int token(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	static const char commands[] =
		"source system pager tee notee nopager edit ego go exit quit status clear connect "
		"rehash warnings nowarning prompt print charset resetconnection ";
	int rc;

	if (!s->track.begun && dbl_is_one_of(s, t, commands))
		return dbl_split_fail(
			s, t->offset, err,
			"a command of the program mysql cannot be used here, only SQL");
	/* The program mysql would take a line `USE shop` without a delimiter. */
	if (dbl_nth(s, 0, "use ") && !dbl_follows(s, "use ") && t->type != DBL_TOKEN_MARK &&
	    s->text[t->offset] != ';')
		return dbl_split_fail(s, t->offset, err, "the USE of line %lu must end with %s",
				      dbl_split_line(s, s->track.start), s->delimiter);
	if (dbl_is_delimiter_line(s, t))
		return dbl_split_fail(s, t->offset, err,
				      "DELIMITER inside the statement of line %lu; end that one "
				      "with %s first",
				      dbl_split_line(s, s->track.start), s->delimiter);
	rc = check_second(s, t, err);
	return rc ? rc : dbl_program_token(s, t, err);
}

static int check_closed(const struct dbl_split *s, struct dblock_error *err)
{
	size_t end = s->track.end;

	/* Two minus signs at a statement's end would be a comment when it is sent alone. */
	if (s->track.before == '-' && end >= 2 && s->text[end - 2] == '-')
		return dbl_split_fail(
			s, end - 2, err,
			"a statement ends in --, which is a comment only with a blank "
			"behind it");
	if (s->executable)
		return dbl_split_fail(s, s->executable - 1, err,
				      "this /*! is not closed before the statement ends");
	return dbl_split_parens(s, err);
}

static int delimiter(struct dbl_split *s, const struct dbl_token *t, bool *ends,
		     struct dblock_error *err)
{
	int rc = 0;

	(void)t;
	if (!dbl_delimiter_is_set(s))
		rc = dbl_program_delimiter(s, ends, err);
	if (rc == 0)
		rc = *ends ? check_closed(s, err) : dbl_split_parens(s, err);
	return rc;
}

static int end(struct dbl_split *s, struct dblock_error *err)
{
	int rc = dbl_delimiter_is_set(s) ? 0 : dbl_program_end(s, err);

	return rc ? rc : check_closed(s, err);
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static bool is_transaction_control(const struct dbl_split *s)
{
	if (dbl_nth(s, 0, "begin "))
		return !dbl_nth(s, 1, "not ");
	if (dbl_nth(s, 0, "start "))
		return dbl_nth(s, 1, "transaction ");
	if (dbl_nth(s, 0, "set "))
		return dbl_word_after(s, 1, "autocommit ") < s->track.n_words;
	return dbl_nth(s, 0, "commit xa ");
}

/* Whether a statement certainly does not end a transaction; CALL and EXECUTE may do so. */
static bool is_ordinary(const struct dbl_split *s)
{
	if (dbl_nth(s, 0, "set "))
		return !dbl_nth(s, 1, "password statement "); /* SET STATEMENT ... FOR any */
	if (dbl_nth(s, 0, "create drop "))
		return dbl_nth(s, 1, "temporary ");
	return dbl_nth(s, 0,
		       "select insert update delete replace with values table do explain desc "
		       "describe show savepoint release rollback handler prepare deallocate "
		       "signal get help ");
}

static enum dbl_statement_kind kind(const struct dbl_split *s)
{
	if (is_transaction_control(s))
		return DBL_STATEMENT_TRANSACTION;
	if (dbl_nth(s, 0, "use "))
		return DBL_STATEMENT_USE;
	return is_ordinary(s) ? DBL_STATEMENT_ORDINARY : DBL_STATEMENT_COMMITS;
}

/* Whether the statement names a user variable (@x), not a system variable (@@x). */
static bool has_variable(const struct dbl_split *s)
{
	for (size_t i = s->track.start; i < s->track.end; i++) {
		if (s->text[i] != '@')
			continue;
		if (i + 1 == s->track.end || s->text[i + 1] != '@')
			return true;
		i++;
	}
	return false;
}

/* Finds the effect of a SET, which may set several things at once. */
static enum dbl_statement_session set_session(const struct dbl_split *s)
{
	static const char shared[] = "global persist persist_only ";

	if (dbl_nth(s, 1, "password statement default resource transaction "))
		return DBL_SESSION_NOTHING;
	if (dbl_nth(s, 1, shared) && !dbl_statement_has(s, ","))
		return DBL_SESSION_NOTHING;
	if (dbl_word_after(s, 1, shared) < s->track.n_words ||
	    (has_variable(s) && dbl_statement_has(s, "(")))
		return DBL_SESSION_THING;
	return DBL_SESSION_SETTING;
}

static enum dbl_statement_session session(const struct dbl_split *s)
{
	if (dbl_nth(s, 0, "set "))
		return set_session(s);
	if (dbl_nth(s, 0, "create ") && dbl_nth(s, 1, "temporary "))
		return DBL_SESSION_THING;
	if (dbl_nth(s, 0, "select do with update insert ") &&
	    (dbl_statement_has(s, ":=") || dbl_statement_has(s, "into @")))
		return DBL_SESSION_THING;
	return dbl_nth(s, 0, "prepare handler ") ? DBL_SESSION_THING : DBL_SESSION_NOTHING;
}

/* Whether the statement sets a sql_mode that changes what a quote or a backslash means. */
static bool unsettles(const struct dbl_split *s)
{
	static const char *const modes[] = {"ansi",  "no_backslash", "oracle",    "db2",
					    "maxdb", "mssql",        "postgresql"};

	if (!dbl_nth(s, 0, "set ") || !dbl_statement_has(s, "sql_mode"))
		return false;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (dbl_statement_has(s, modes[i]))
			return true;
	}
	return false;
}

const struct dbl_rules dbl_rules_mysql = {
	.name = "mysql",
	.client = "mysql",
	.hash_comments = true,
	.dash_blank = true,
	.executable_comments = true,
	.backticks = true,
	.digit_words = true,
	.escapes = true,
	.token = token,
	.delimiter = delimiter,
	.end = end,
	.kind = kind,
	.session = session,
	.unsettles = unsettles,
};
