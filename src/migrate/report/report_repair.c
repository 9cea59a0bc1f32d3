/* SPDX-License-Identifier: MIT */
/* What is told where only a person can say how to go on. */
#include "migrate/report/report_own.h"

static int begin(const struct dbl_subject *about, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_REPAIR, "%s: ", dbl_report_path(about->script->path));
}

/* "'dblock migrate repair 7 --done', or 'dblock migrate repair 7 --not-done'" */
static void say_verdicts(const struct dbl_subject *about, const char *head, const char *before,
			 const char *one, const char *other, struct dblock_error *err)
{
	long long version = (long long)about->file->version;

	dbl_err_line(err, head,
		     "%s, then run 'dblock migrate repair %lld %s' or 'dblock migrate repair %lld "
		     "%s'",
		     before, version, one, version, other);
}

/* Of a statement that is not the one under way. */
static void where_is(const struct dbl_subject *about, unsigned k, char where[DBL_REPORT_WHERE])
{
	struct dbl_subject that = *about;

	that.at = k;
	that.error_at = 0;
	dbl_report_where(&that, where, DBL_REPORT_WHERE);
}

static void say_in_doubt(const struct dbl_subject *about, struct dblock_error *err)
{
	unsigned k = (unsigned)about->row->begun;
	char where[DBL_REPORT_WHERE];

	where_is(about, k, where);
	dbl_fail(err, DBLOCK_E_REPAIR,
		 "%s: in doubt: it was sent by %.80s, and its outcome is not known", where,
		 about->row->by);
	dbl_report_sql(about, k, err);
}

int dbl_report_in_doubt(const struct dbl_subject *about, struct dblock_error *err)
{
	long long k = (long long)about->row->begun;
	char command[DBL_COMMAND_TEXT], those[64];
	int rc = begin(about, err);

	if (k > 0 && k <= (long long)about->pieces->n)
		say_in_doubt(about, err);
	else
		dbl_err_suffix(err, "statement %lld, which the file has no more, was sent by %.80s",
			       k, about->row->by);
	if (k > 1)
		dbl_err_line(err, DBL_LINE_STATE, "%s stand%s; of statement %lld nobody knows",
			     dbl_report_statements(k - 1, those), k == 2 ? "s" : "", k);
	else
		dbl_err_line(err, DBL_LINE_STATE, "of statement %lld nobody knows", k);
	say_verdicts(about, DBL_LINE_NEXT, "look in the database whether it took effect", "--done",
		     "--not-done", err);
	dbl_err_line(err, DBL_LINE_MORE, "and then 'dblock migrate %s'",
		     dbl_report_again(about, command));
	return rc;
}

int dbl_report_session(const struct dbl_subject *about, unsigned k, struct dblock_error *err)
{
	long long done = (long long)about->row->done;
	char where[DBL_REPORT_WHERE], those[64];

	where_is(about, k, where);
	dbl_fail(err, DBLOCK_E_REPAIR,
		 "%s: it made what only its session had (a temporary table, a variable, a prepared "
		 "statement), and that session is over",
		 where);
	dbl_report_sql(about, k, err);
	dbl_err_line(err, DBL_LINE_STATE, "%s stand%s; what that one made is gone",
		     dbl_report_statements(done, those), done == 1 ? "s" : "");
	say_verdicts(about, DBL_LINE_NEXT,
		     "finish the file by hand in a session of your own, or undo what stands",
		     "--applied", "--forget", err);
	return DBLOCK_E_REPAIR;
}

int dbl_report_edited(const struct dbl_subject *about, struct dblock_error *err)
{
	long long done = (long long)about->row->done;
	char command[DBL_COMMAND_TEXT], those[64];
	int rc = begin(about, err);

	dbl_err_suffix(err, "it stopped after statement %lld, and ", done);
	if (done > about->pieces->n)
		dbl_err_suffix(err, "the file has only %u now", about->pieces->n);
	else
		dbl_err_suffix(err, "what was done up to there has been edited since");
	dbl_err_line(err, DBL_LINE_STATE, "%s stand%s, as the file had them",
		     dbl_report_statements(done, those), done == 1 ? "s" : "");
	dbl_err_line(err, DBL_LINE_NEXT, "restore %s in the file, then run 'dblock migrate %s'",
		     those, dbl_report_again(about, command));
	say_verdicts(about, DBL_LINE_MORE,
		     "or bring the database by hand to what the file says now, or to what it was "
		     "before",
		     "--applied", "--forget", err);
	return rc;
}

int dbl_report_reverting(const struct dbl_subject *about, struct dblock_error *err)
{
	int rc = begin(about, err);

	dbl_err_suffix(err, "it was begun to be %s, and is not finished",
		       about->down ? "applied" : "undone");
	dbl_err_line(err, DBL_LINE_STATE, "%lld of %lld statements are done",
		     (long long)about->row->done, (long long)about->row->steps);
	dbl_err_line(err, DBL_LINE_NEXT, "run 'dblock migrate %s' to finish that",
		     about->down ? "up" : "down");
	say_verdicts(about, DBL_LINE_MORE, "or complete it by hand", "--applied", "--forget", err);
	return rc;
}
