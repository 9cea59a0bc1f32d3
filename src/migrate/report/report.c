/* SPDX-License-Identifier: MIT */
/* Tells a person what went wrong, in lines: where, and what the database said; the statement; what
 * is done by now; what to do next. Only the last is never shortened. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "migrate/report/report.h"
#include "migrate/report/words.h"

enum { WHERE_MAX = 700, PATH_MAX_SHOWN = WHERE_MAX - 100, TEXT_MAX = 320, SQL_MAX = 200 };

void dbl_report_cut(char *to, size_t room, const char *text)
{
	size_t len = strlen(text), at = 0, next;
	uint32_t c;

	while (at < len && (next = dbl_utf8_next(text + at, len - at, &c)) > 0 && at + next < room)
		at += next;
	memcpy(to, text, at);
	to[at] = '\0';
}

/* Adds a line with the first 200 characters of statement k, if there is one. */
static void say_sql(const struct dbl_job *job, unsigned k, struct dblock_error *err)
{
	const char *sql = k <= job->pieces.n ? job->pieces.list[k - 1].sql : "";
	char shown[4 * SQL_MAX + 1];
	size_t len = 0;
	uint32_t c;

	for (unsigned n = 0; n < SQL_MAX && sql[len]; n++) {
		size_t next = dbl_utf8_next(sql + len, strnlen(sql + len, 4), &c);

		len += next ? next : 1;
	}
	dbl_report_cut(shown, len + 1, sql);
	if (len > 0)
		dbl_err_line(err, DBL_LINE_STATEMENT, "%s%s", shown, sql[len] ? "..." : "");
}

/* Of a long path only the end is shown. */
static const char *shown_path(const char *path)
{
	size_t len = strlen(path);

	if (len <= PATH_MAX_SHOWN)
		return path;
	path += len - PATH_MAX_SHOWN;
	while ((*path & 0xC0) == 0x80)
		path++;
	return path;
}

/* Returns the message without the name of the database before it. */
static const char *bare(const struct dbl_target *target, const char *message)
{
	const char *const names[] = {target->url.shown, target->url.path};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = names[i] ? strlen(names[i]) : 0;

		if (len > 0 && strncmp(message, names[i], len) == 0 &&
		    strncmp(message + len, ": ", 2) == 0)
			return message + len + 2;
	}
	return message;
}

/* Writes "path:line:col: statement k of n", or what else was being done. */
static void say_where(const struct dbl_job *job, unsigned k, unsigned error_at,
		      char where[WHERE_MAX])
{
	const char *path = shown_path(job->script->path);
	struct dbl_position at;

	if (k > job->pieces.n) {
		snprintf(where, WHERE_MAX, "%s: at the end of the transaction", path);
		return;
	}
	/* Names in the library's own texts are replaced before they are sent, so columns differ. */
	at = dbl_statement_position(job->script->text, job->script->len,
				    &job->pieces.list[k - 1].statement, job->own ? 0 : error_at);
	snprintf(where, WHERE_MAX, "%s:%zu:%zu: statement %u of %u", path, at.line, at.col, k,
		 job->pieces.n);
}

/* Returns the outcome of the call: a missing right or a full disk has an outcome of its own. */
static int outcome_of(const struct dbl_job *job, int rc)
{
	switch (rc) {
	case DBLOCK_E_DENIED:
	case DBLOCK_E_READONLY:
	case DBLOCK_E_FULL:
	case DBLOCK_E_NOMEM:
	case DBLOCK_E_NOTDB:
		return rc;
	default:
		/* The library's texts are right, so something in the database is wrong, as a view
		 * of somebody else's that has the name of one of our tables. */
		return job->own ? DBLOCK_E_SCHEMA : DBLOCK_E_MIGRATION;
	}
}

/* Writes "42S21 (1060) ", as far as there are such codes. */
static void say_codes(const struct dblock_error *was, char codes[32])
{
	char native[20] = "";

	if (was->native && *was->sqlstate)
		snprintf(native, sizeof(native), "(%d) ", was->native);
	snprintf(codes, 32, "%s%s%s", was->sqlstate, *was->sqlstate ? " " : "", native);
}

/* Removes the native error number from the message's end, as it is shown before it. */
static void drop_native(char *text, int native)
{
	char suffix[32];
	size_t len = strlen(text), n;

	snprintf(suffix, sizeof(suffix), " (error %d)", native);
	n = strlen(suffix);
	if (len >= n && strcmp(text + len - n, suffix) == 0)
		text[len - n] = '\0';
}

int dbl_report_refused(const struct dbl_job *job, int rc, struct dblock_error *err)
{
	char where[WHERE_MAX], text[TEXT_MAX], codes[32];
	bool often = job->tries > 1 && (rc == DBLOCK_E_LOCKED || rc == DBLOCK_E_CONFLICT);
	struct dblock_error was = *err;
	int outcome = outcome_of(job, rc);

	say_where(job, job->at, job->error_at, where);
	say_codes(&was, codes);
	dbl_report_cut(text, sizeof(text), bare(job->target, was.message));
	if (*was.sqlstate)
		drop_native(text, was.native);
	dbl_fail_native(err, outcome, was.native, was.sqlstate, "%s: %s%s%s", where, codes, text,
			often ? " (tried 5 times)" : "");
	say_sql(job, job->at, err);
	return outcome;
}

int dbl_report_lost(const struct dbl_job *job, int rc, struct dblock_error *err)
{
	char where[WHERE_MAX], text[TEXT_MAX];

	rc = rc == DBLOCK_E_UNSURE ? DBLOCK_E_UNAVAILABLE : rc;
	say_where(job, job->at, job->error_at, where);
	dbl_report_cut(text, sizeof(text), bare(job->target, err->message));
	dbl_fail(err, rc, "%s: the connection was lost: %s", where, text);
	say_sql(job, job->at, err);
	return rc;
}

/* Writes the command to run again, like "up --to 7". */
static const char *again(const struct dbl_job *job, char text[DBL_COMMAND_TEXT])
{
	return dbl_words_again(text, job->down, job->which, job->done);
}

void dbl_report_rolled_back(const struct dbl_job *job, bool sound, struct dblock_error *err)
{
	char command[DBL_COMMAND_TEXT];

	if (job->own)
		return;
	dbl_err_line(err, DBL_LINE_STATE,
		     "nothing of this file was kept: it is one transaction, and was rolled back");
	dbl_err_line(err, DBL_LINE_NEXT, "%srun 'dblock migrate %s'",
		     sound ? "" : "correct the file, then ", again(job, command));
}

/* Writes "statements 1 to 3". */
static const char *statements(long long done, char text[64])
{
	snprintf(text, 64, done == 1 ? "statement 1" : "statements 1 to %lld", done);
	return text;
}

static const char *stand(long long done, char text[64])
{
	snprintf(text, 64, done == 1 ? "statement 1 stands" : "statements 1 to %lld stand", done);
	return text;
}

/* Adds which statements are done, and what effect the failed one had. */
static void say_done(const struct dbl_job *job, struct dblock_error *err)
{
	const char *effect = job->leaves ? "its effect in part" : "no effect";
	long long done = (long long)job->row.done;
	char those[64];

	if (done == 0)
		dbl_err_line(err, DBL_LINE_STATE,
			     "nothing of this file was done; statement 1 had %s", effect);
	else
		dbl_err_line(err, DBL_LINE_STATE,
			     "%s, as %s cannot be rolled back; statement %lld had %s",
			     stand(done, those), done == 1 ? "it" : "they", done + 1, effect);
}

void dbl_report_stopped(const struct dbl_job *job, bool sound, struct dblock_error *err)
{
	long long done = (long long)job->row.done;
	char command[DBL_COMMAND_TEXT], those[64];

	if (job->own)
		return;
	say_done(job, err);
	again(job, command);
	if (sound) {
		dbl_err_line(err, DBL_LINE_NEXT,
			     "run 'dblock migrate %s': it goes on at statement %lld", command,
			     done + 1);
		return;
	}
	dbl_err_line(err, DBL_LINE_NEXT,
		     "edit the file from line %zu on, then run 'dblock migrate %s' (it goes on at "
		     "statement %lld)",
		     job->pieces.list[job->at - 1].statement.line, command, done + 1);
	if (job->down || done > 0)
		dbl_err_line(err, DBL_LINE_MORE,
			     "or undo %s by hand, then run 'dblock migrate repair %lld --forget'",
			     job->down ? "the rest" : statements(done, those),
			     (long long)job->file->version);
}

void dbl_report_not_set(const struct dbl_job *job, struct dblock_error *err)
{
	char command[DBL_COMMAND_TEXT], those[64];

	dbl_err_line(err, DBL_LINE_STATE,
		     "%s; this one was to be sent again for what it sets in its session",
		     stand((long long)job->row.done, those));
	dbl_err_line(err, DBL_LINE_NEXT,
		     "see that it can be done again, then run 'dblock migrate %s'",
		     again(job, command));
}

/* ---- where only a person can say how to go on ------------------------------------------------ */

static int begin(const struct dbl_job *job, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_REPAIR, "%s:", shown_path(job->script->path));
}

/* Adds "..., then run 'dblock migrate repair 7 --done' or 'dblock migrate repair 7 --not-done'". */
static void say_verdicts(const struct dbl_job *job, const char *head, const char *before,
			 const char *one, const char *other, struct dblock_error *err)
{
	long long version = (long long)job->file->version;

	dbl_err_line(err, head,
		     "%s, then run 'dblock migrate repair %lld %s' or 'dblock migrate repair %lld "
		     "%s'",
		     before, version, one, version, other);
}

static void say_in_doubt(const struct dbl_job *job, struct dblock_error *err)
{
	unsigned k = (unsigned)job->row.begun;
	char where[WHERE_MAX];

	say_where(job, k, 0, where);
	dbl_fail(err, DBLOCK_E_REPAIR,
		 "%s: in doubt: it was sent by %.80s, and its outcome is not known", where,
		 job->row.by);
	say_sql(job, k, err);
}

int dbl_report_in_doubt(const struct dbl_job *job, struct dblock_error *err)
{
	long long k = (long long)job->row.begun;
	char command[DBL_COMMAND_TEXT], those[64];
	int rc = begin(job, err);

	if (k > 0 && k <= (long long)job->pieces.n)
		say_in_doubt(job, err);
	else
		dbl_err_suffix(err,
			       " statement %lld, which the file has no more, was sent by %.80s", k,
			       job->row.by);
	if (k > 1)
		dbl_err_line(err, DBL_LINE_STATE, "%s; of statement %lld nobody knows",
			     stand(k - 1, those), k);
	else
		dbl_err_line(err, DBL_LINE_STATE, "of statement %lld nobody knows", k);
	say_verdicts(job, DBL_LINE_NEXT, "look in the database whether it took effect", "--done",
		     "--not-done", err);
	dbl_err_line(err, DBL_LINE_MORE, "and then 'dblock migrate %s'", again(job, command));
	return rc;
}

int dbl_report_session(const struct dbl_job *job, unsigned k, struct dblock_error *err)
{
	char where[WHERE_MAX], those[64];

	say_where(job, k, 0, where);
	dbl_fail(err, DBLOCK_E_REPAIR,
		 "%s: it made what only its session had (a temporary table, a variable, a prepared "
		 "statement), and that session is over",
		 where);
	say_sql(job, k, err);
	dbl_err_line(err, DBL_LINE_STATE, "%s; what that one made is gone",
		     stand((long long)job->row.done, those));
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
	if (done > job->pieces.n)
		dbl_err_suffix(err, "the file has only %u now", job->pieces.n);
	else
		dbl_err_suffix(err, "what was done up to there has been edited since");
	dbl_err_line(err, DBL_LINE_STATE, "%s, as the file had them", stand(done, those));
	dbl_err_line(err, DBL_LINE_NEXT, "restore %s in the file, then run 'dblock migrate %s'",
		     statements(done, those), again(job, command));
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
