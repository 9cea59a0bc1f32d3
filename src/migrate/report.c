/* SPDX-License-Identifier: MIT */
/* What a person is told when it goes wrong: where, what the database said, what stands now, and
 * what to do next. The statement and the database's words are shortened, never the remedy. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "migrate/job.h"

enum { PATH_MAX_SHOWN = 200, TEXT_MAX = 240, SQL_MAX = 120 };

void dbl_report_cut(char *to, size_t room, const char *text)
{
	size_t len = strlen(text), at = 0, next;
	uint32_t c;

	while (at < len && (next = dbl_utf8_next(text + at, len - at, &c)) > 0 && at + next < room)
		at += next;
	memcpy(to, text, at);
	to[at] = '\0';
}

/* The statement in one line. */
static void show_sql(const char *sql, char shown[SQL_MAX + 4])
{
	size_t len;

	dbl_report_cut(shown, SQL_MAX, sql);
	len = strlen(shown);
	if (sql[len])
		memcpy(shown + len, "...", 4);
	for (; *shown; shown++) {
		if (*shown == '\n' || *shown == '\t')
			*shown = ' ';
	}
}

/* A long path is known by its end. */
static const char *show_path(const char *path)
{
	size_t len = strlen(path);

	if (len <= PATH_MAX_SHOWN)
		return path;
	path += len - PATH_MAX_SHOWN;
	while ((*path & 0xC0) == 0x80)
		path++;
	return path;
}

/* The message without the name of the database before it. */
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

/* The library's own texts are mapped before they are sent: places in them mean nothing. */
static struct dbl_position place_of(const struct dbl_job *job, const struct dbl_piece *piece)
{
	unsigned at = job->run->set.own ? 0 : job->error_at;

	if (at > 0)
		return dbl_statement_position(&job->pieces.split, &piece->statement, at);
	return (struct dbl_position){piece->statement.line, piece->statement.col};
}

/* "path:line:col: statement k of n", or what else was under way. */
static void say_where(const struct dbl_job *job, char *where, size_t room)
{
	const char *path = show_path(job->script->path);
	struct dbl_position place;

	if (job->at > job->pieces.n) {
		snprintf(where, room, "%s: at the end of the transaction", path);
		return;
	}
	place = place_of(job, &job->pieces.list[job->at - 1]);
	snprintf(where, room, "%s:%zu:%zu: statement %u of %u", path, place.line, place.col,
		 job->at, job->pieces.n);
}

/* The history has a name for each: what a permission or a full disk is stays that. */
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
		/* The library's texts are sound, so what the database will not have is in its own
		 * state: a stranger's view under our name, say. */
		return job->run->set.own ? DBLOCK_E_SCHEMA : DBLOCK_E_MIGRATION;
	}
}

static const char *why_so_often(const struct dbl_job *job, int rc)
{
	return job->tries > 1 && (rc == DBLOCK_E_LOCKED || rc == DBLOCK_E_CONFLICT)
		       ? " (tried 5 times)"
		       : "";
}

int dbl_report_refused(const struct dbl_job *job, int rc, struct dblock_error *err)
{
	char where[PATH_MAX_SHOWN + 100], text[TEXT_MAX], sql[SQL_MAX + 4] = "";
	struct dblock_error was;
	int outcome = outcome_of(job, rc);

	if (!err)
		return outcome;
	was = *err;
	say_where(job, where, sizeof(where));
	dbl_report_cut(text, sizeof(text), bare(job->run->target, was.message));
	if (job->at <= job->pieces.n)
		show_sql(job->pieces.list[job->at - 1].sql, sql);
	return dbl_fail_native(err, outcome, was.native, was.sqlstate, "%s: %s%s%s%s%s%s%s", where,
			       was.sqlstate, *was.sqlstate ? " " : "", text, why_so_often(job, rc),
			       *sql ? " [" : "", sql, *sql ? "]" : "");
}

int dbl_report_lost(const struct dbl_job *job, int rc, struct dblock_error *err)
{
	char where[PATH_MAX_SHOWN + 100], text[TEXT_MAX];

	job->run->again = DBL_AGAIN_NEVER;
	rc = rc == DBLOCK_E_UNSURE ? DBLOCK_E_UNAVAILABLE : rc;
	if (!err)
		return rc;
	say_where(job, where, sizeof(where));
	dbl_report_cut(text, sizeof(text), bare(job->run->target, err->message));
	return dbl_fail(err, rc, "%s: the connection was lost: %s", where, text);
}

void dbl_report_rolled_back(const struct dbl_job *job, struct dblock_error *err)
{
	if (job->run->set.own)
		return;
	dbl_err_suffix(err, "; nothing of this file was kept; %srun 'dblock migrate %s'",
		       job->run->again == DBL_AGAIN_NEVER ? "" : "correct it and ",
		       job->down ? "down" : "up");
}

static const char *verb(const struct dbl_job *job)
{
	return job->down ? "down" : "up";
}

/* "statements 1 to 3 stand". */
static void say_done(const struct dbl_job *job, struct dblock_error *err)
{
	long long done = (long long)job->row.done;

	if (done == 0)
		dbl_err_suffix(err, "; nothing of this file was done");
	else if (done == 1)
		dbl_err_suffix(err, "; statement 1 stands, as it cannot be rolled back");
	else
		dbl_err_suffix(err, "; statements 1 to %lld stand, as they cannot be rolled back",
			       done);
}

void dbl_report_stopped(const struct dbl_job *job, struct dblock_error *err)
{
	const struct dbl_piece *piece = &job->pieces.list[job->at - 1];

	if (job->run->set.own)
		return;
	say_done(job, err);
	if (job->run->again == DBL_AGAIN_NEVER) {
		dbl_err_suffix(err, "; run 'dblock migrate %s': it goes on there", verb(job));
		return;
	}
	dbl_err_suffix(err, "; edit the file from line %zu on and run 'dblock migrate %s'",
		       piece->statement.line, verb(job));
	if (job->row.done > 0 && !job->down)
		dbl_err_suffix(err,
			       " (it goes on at statement %lld), or undo the rest by hand and run "
			       "'dblock migrate repair %lld --forget'",
			       (long long)job->row.done + 1, (long long)job->file->version);
}

/* ---- a person has to look ------------------------------------------------------------------- */

static int stop(const struct dbl_job *job, struct dblock_error *err)
{
	job->run->again = DBL_AGAIN_NEVER;
	return dbl_fail(err, DBLOCK_E_REPAIR, "%s: ", show_path(job->script->path));
}

int dbl_report_in_doubt(const struct dbl_job *job, struct dblock_error *err)
{
	unsigned long long k = (unsigned long long)job->row.begun;
	long long version = (long long)job->file->version;
	char sql[SQL_MAX + 4] = "";
	int rc = stop(job, err);

	if (k == 0 || k > job->pieces.n) {
		dbl_err_suffix(err, "statement %llu, which the file has no more, was sent by %.80s",
			       k, job->row.by);
	} else {
		show_sql(job->pieces.list[k - 1].sql, sql);
		dbl_err_suffix(err,
			       "in doubt: statement %llu of %u (line %zu) was sent by %.80s, and "
			       "its outcome is not known [%s]",
			       k, job->pieces.n, job->pieces.list[k - 1].statement.line,
			       job->row.by, sql);
	}
	dbl_err_suffix(err,
		       "; look whether it took effect, then run 'dblock migrate repair %lld "
		       "--done' or 'dblock migrate repair %lld --not-done'",
		       version, version);
	return rc;
}

int dbl_report_edited(const struct dbl_job *job, struct dblock_error *err)
{
	long long version = (long long)job->file->version, done = (long long)job->row.done;
	int rc = stop(job, err);

	dbl_err_suffix(err, "it stopped after statement %lld, and ", done);
	if (done > job->pieces.n)
		dbl_err_suffix(err, "the file has only %u now", job->pieces.n);
	else
		dbl_err_suffix(err, "what was done up to there has been edited since");
	dbl_err_suffix(err,
		       "; restore statements 1 to %lld and run 'dblock migrate %s', or bring the "
		       "database to what the file says now and run 'dblock migrate repair %lld "
		       "--applied', or undo it by hand and run 'dblock migrate repair %lld "
		       "--forget'",
		       done, verb(job), version, version);
	return rc;
}

int dbl_report_reverting(const struct dbl_job *job, struct dblock_error *err)
{
	long long version = (long long)job->file->version;
	int rc = stop(job, err);

	dbl_err_suffix(err,
		       "it was begun to be %s, up to statement %lld of %lld; run 'dblock migrate "
		       "%s' to finish that, or complete it by hand and run 'dblock migrate repair "
		       "%lld --applied' or 'dblock migrate repair %lld --forget'",
		       job->down ? "applied" : "undone", (long long)job->row.done,
		       (long long)job->row.steps, job->down ? "up" : "down", version, version);
	return rc;
}
