/* SPDX-License-Identifier: MIT */
/* Tells where only a person can say how to go on, and how to say it. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "migrate/report/report_own.h"

static int begin(const struct dbl_job *job, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_REPAIR, "%s:", dbl_report_path(job->script->path));
}

/* Adds "..., then run 'dblock migrate repair 7 --done' or 'dblock migrate repair 7 --not-done'". */
static void say_verdicts(const struct dbl_job *job, const char *head, const char *before,
			 const char *one, const char *other, struct dblock_error *err)
{
	char operand[DBL_LABEL];

	dbl_err_line(err, head,
		     "%s, then run 'dblock migrate repair %s %s' or 'dblock migrate repair %s "
		     "%s'",
		     before, dbl_report_operand(job, operand), one, operand, other);
}

static void say_in_doubt(const struct dbl_job *job, struct dblock_error *err)
{
	unsigned k = (unsigned)job->row.begun;
	char where[DBL_WHERE_MAX];

	dbl_report_where(job, k, 0, where);
	dbl_fail(err, DBLOCK_E_REPAIR,
		 "%s: in doubt: it was sent by %.80s, and its outcome is not known", where,
		 job->row.by);
	dbl_report_sql(job, k, err);
}

int dbl_report_in_doubt(const struct dbl_job *job, struct dblock_error *err)
{
	long long k = (long long)job->row.begun;
	char command[DBL_COMMAND_TEXT], those[64];
	int rc = begin(job, err);

	if (k > 0 && k <= (long long)job->pieces->n)
		say_in_doubt(job, err);
	else
		dbl_err_suffix(err,
			       " statement %lld, which the file has no more, was sent by %.80s", k,
			       job->row.by);
	if (k > 1)
		dbl_err_line(err, DBL_LINE_STATE, "%s; of statement %lld nobody knows",
			     dbl_report_stand(k - 1, those), k);
	else
		dbl_err_line(err, DBL_LINE_STATE, "of statement %lld nobody knows", k);
	say_verdicts(job, DBL_LINE_NEXT, "look in the database whether it took effect", "--done",
		     "--not-done", err);
	dbl_err_line(err, DBL_LINE_MORE, "and then 'dblock migrate %s'",
		     dbl_report_again(job, command));
	return rc;
}

int dbl_report_session(const struct dbl_job *job, unsigned k, struct dblock_error *err)
{
	char where[DBL_WHERE_MAX], those[64];

	dbl_report_where(job, k, 0, where);
	dbl_fail(err, DBLOCK_E_REPAIR,
		 "%s: it made what only its session had (a temporary table, a variable, a prepared "
		 "statement), and that session is over",
		 where);
	dbl_report_sql(job, k, err);
	dbl_err_line(err, DBL_LINE_STATE, "%s; what that one made is gone",
		     dbl_report_stand((long long)job->row.done, those));
	say_verdicts(job, DBL_LINE_NEXT,
		     "finish the file by hand in a session of your own, or undo what stands",
		     "--applied", "--forget", err);
	return DBLOCK_E_REPAIR;
}

int dbl_report_edited(const struct dbl_job *job, struct dblock_error *err)
{
	long long done = (long long)job->row.done;
	char command[DBL_COMMAND_TEXT], those[64];
	int rc = begin(job, err);

	dbl_err_suffix(err, " it stopped after statement %lld, and ", done);
	if (done > job->pieces->n)
		dbl_err_suffix(err, "the file has only %u now", job->pieces->n);
	else
		dbl_err_suffix(err, "what was done up to there has been edited since");
	dbl_err_line(err, DBL_LINE_STATE, "%s, as the file had them",
		     dbl_report_stand(done, those));
	dbl_err_line(err, DBL_LINE_NEXT, "restore %s in the file, then run 'dblock migrate %s'",
		     dbl_report_statements(done, those), dbl_report_again(job, command));
	say_verdicts(job, DBL_LINE_MORE,
		     "or bring the database by hand to what the file says now, or to what it was "
		     "before",
		     "--applied", "--forget", err);
	return rc;
}

int dbl_report_reverting(const struct dbl_job *job, struct dblock_error *err)
{
	int rc = begin(job, err);

	dbl_err_suffix(err, " it was begun to be %s, and is not finished",
		       job->down ? "applied" : "undone");
	dbl_err_line(err, DBL_LINE_STATE, "%lld of %lld statements are done",
		     (long long)job->row.done, (long long)job->row.steps);
	dbl_err_line(err, DBL_LINE_NEXT, "run 'dblock migrate %s' to finish that",
		     job->down ? "up" : "down");
	say_verdicts(job, DBL_LINE_MORE, "or complete it by hand", "--applied", "--forget", err);
	return rc;
}
