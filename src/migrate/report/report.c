/* SPDX-License-Identifier: MIT */
/* Tells a person what went wrong, in lines: where, and what the database said; the statement; what
 * is done by now; what to do next. Only the last is never shortened. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "migrate/report/report_own.h"

enum { PATH_MAX_SHOWN = DBL_WHERE_MAX - 100, TEXT_MAX = 320, SQL_MAX = 200 };

void dbl_report_sql(const struct dbl_job *job, unsigned k, struct dblock_error *err)
{
	const char *sql = k <= job->pieces->n ? dbl_piece_sql(job->pieces, k) : "";
	char shown[4 * SQL_MAX + 1];
	size_t len = 0;
	uint32_t c;

	if (!sql)
		return;
	for (unsigned n = 0; n < SQL_MAX && sql[len]; n++) {
		size_t next = dbl_utf8_next(sql + len, strnlen(sql + len, 4), &c);

		len += next ? next : 1;
	}
	dbl_utf8_cut(shown, len + 1, sql);
	if (len > 0)
		dbl_err_line(err, DBL_LINE_STATEMENT, "%s%s", shown, sql[len] ? "..." : "");
}

const char *dbl_report_path(const char *path)
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

void dbl_report_where(const struct dbl_job *job, unsigned k, unsigned error_at,
		      char where[DBL_WHERE_MAX])
{
	const char *path = dbl_report_path(job->script->path);
	struct dbl_position at;

	if (k > job->pieces->n) {
		snprintf(where, DBL_WHERE_MAX, "%s: at the end of the transaction", path);
		return;
	}
	/* Names in the library's own texts are replaced before they are sent, so columns differ. */
	at = dbl_statement_position(dbl_piece(job->pieces, k), job->own ? 0 : error_at);
	snprintf(where, DBL_WHERE_MAX, "%s:%zu:%zu: statement %u of %u", path, at.line, at.col, k,
		 job->pieces->n);
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

/* Adds what else the database said. */
static void say_said(const struct dbl_job *job, struct dblock_error *err)
{
	size_t len;

	for (const char *line = job->said; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		dbl_err_line(err, DBL_LINE_SAID, "%.*s", (int)len, line);
	}
}

int dbl_report_refused(const struct dbl_job *job, int rc, struct dblock_error *err)
{
	char where[DBL_WHERE_MAX], text[TEXT_MAX], codes[32];
	bool often = job->tries > 1 && (rc == DBLOCK_E_BLOCKED || rc == DBLOCK_E_CONFLICT);
	struct dblock_error was = *err;
	int outcome = outcome_of(job, rc);

	dbl_report_where(job, job->at, job->error_at, where);
	say_codes(&was, codes);
	dbl_utf8_cut(text, sizeof(text), bare(job->target, was.message));
	if (*was.sqlstate)
		drop_native(text, was.native);
	dbl_fail_native(err, outcome, was.native, was.sqlstate, "%s: %s%s%s", where, codes, text,
			often ? " (tried 5 times)" : "");
	dbl_report_sql(job, job->at, err);
	say_said(job, err);
	return outcome;
}

int dbl_report_lost(const struct dbl_job *job, int rc, struct dblock_error *err)
{
	char where[DBL_WHERE_MAX], text[TEXT_MAX], *may;

	rc = rc == DBLOCK_E_UNSURE ? DBLOCK_E_UNAVAILABLE : rc;
	dbl_report_where(job, job->at, job->error_at, where);
	dbl_utf8_cut(text, sizeof(text), bare(job->target, err->message));
	/* MySQL's driver cannot know better; here it is known that it had no effect. */
	if ((may = strstr(text, "; it may have been carried out")) != NULL)
		*may = '\0';
	dbl_fail(err, rc, "%s: the connection was lost: %s", where, text);
	dbl_report_sql(job, job->at, err);
	return rc;
}

const char *dbl_report_again(const struct dbl_job *job, char text[DBL_COMMAND_TEXT])
{
	return dbl_words_again(text, job->down, job->which, job->done);
}

/* What to do before it is run again. */
static const char *before(const struct dbl_job *job, bool sound)
{
	if (sound)
		return "";
	return job->blocked ? "see to what is in the way, or wait longer with --lock-timeout, then "
			    : "correct the file, then ";
}

void dbl_report_rolled_back(const struct dbl_job *job, bool sound, struct dblock_error *err)
{
	char command[DBL_COMMAND_TEXT];

	if (job->own)
		return;
	dbl_err_line(err, DBL_LINE_STATE,
		     "nothing of this file was kept: it is one transaction, and was rolled back");
	dbl_err_line(err, DBL_LINE_NEXT, "%srun 'dblock migrate %s'", before(job, sound),
		     dbl_report_again(job, command));
}

const char *dbl_report_operand(const struct dbl_job *job, char text[DBL_LABEL])
{
	if (dbl_is_repeatable(job->file->version))
		return dbl_label(text, job->file->version, job->file->name);
	snprintf(text, DBL_LABEL, "%lld", (long long)job->file->version);
	return text;
}

const char *dbl_report_statements(long long done, char text[64])
{
	snprintf(text, 64, done == 1 ? "statement 1" : "statements 1 to %lld", done);
	return text;
}

const char *dbl_report_stand(long long done, char text[64])
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
			     dbl_report_stand(done, those), done == 1 ? "it" : "they", done + 1,
			     effect);
}

void dbl_report_stopped(const struct dbl_job *job, bool sound, struct dblock_error *err)
{
	long long done = (long long)job->row.done;
	char command[DBL_COMMAND_TEXT], those[64], operand[DBL_LABEL];

	if (job->own)
		return;
	say_done(job, err);
	dbl_report_again(job, command);
	if (dbl_is_repeatable(job->file->version)) {
		dbl_err_line(err, DBL_LINE_NEXT, "%srun 'dblock migrate %s': it begins anew",
			     before(job, sound), command);
		return;
	}
	if (sound || job->blocked) {
		dbl_err_line(err, DBL_LINE_NEXT,
			     "%srun 'dblock migrate %s': it goes on at statement %lld",
			     before(job, sound), command, done + 1);
		return;
	}
	dbl_err_line(err, DBL_LINE_NEXT,
		     "edit the file from line %zu on, then run 'dblock migrate %s' (it goes on at "
		     "statement %lld)",
		     dbl_piece(job->pieces, job->at)->line, command, done + 1);
	if (job->down || done > 0)
		dbl_err_line(err, DBL_LINE_MORE,
			     "or undo %s by hand, then run 'dblock migrate repair %s --forget'",
			     job->down ? "the rest" : dbl_report_statements(done, those),
			     dbl_report_operand(job, operand));
}

void dbl_report_not_set(const struct dbl_job *job, struct dblock_error *err)
{
	char command[DBL_COMMAND_TEXT], those[64];

	dbl_err_line(err, DBL_LINE_STATE,
		     "%s; this one was to be sent again for what it sets in its session",
		     dbl_report_stand((long long)job->row.done, those));
	dbl_err_line(err, DBL_LINE_NEXT,
		     "see that it can be done again, then run 'dblock migrate %s'",
		     dbl_report_again(job, command));
}
