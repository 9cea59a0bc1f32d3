/* SPDX-License-Identifier: MIT */
/*
 * If many processes start at once and a file is refused, the first that tries it leaves a note, and
 * those that waited meanwhile fail with the same message, instead of trying one after another. A
 * process that starts later tries again.
 *
 * A note is a row of the history under another scope, so nothing that reads a scope ever sees it.
 * It is written after the file was undone, and deleted when a process gets the file done.
 */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "migrate/engine/job.h"

/* No user's scope has a '#'. Two long scopes may share one scope of notes, which does no harm,
 * since a note is about a version and a text. */
#define BEHIND "#failed"

enum { SCOPE_MAX = 64 };

/* Two readings of a clock may differ by so much more without its having been set. */
#define CLOCK_SLACK_US 1000000

/* Returns a runner whose scope is that of the notes. */
static struct dbl_runner notes(const struct dbl_run *run, char scope[SCOPE_MAX + 1])
{
	struct dbl_runner on = dbl_run_on(run);

	snprintf(scope, SCOPE_MAX + 1, "%.*s" BEHIND, SCOPE_MAX - (int)strlen(BEHIND), on.scope);
	on.scope = scope;
	return on;
}

int dbl_note_begin(struct dbl_run *run, struct dblock_error *err)
{
	if (run->set.own || run->since)
		return 0;
	run->since_here = dbl_now(run->target->env);
	return dbl_run_lost(
		run, dbl_ask(dbl_run_on(run), DBL_OP_migrate_now, DBL_NO_ARGS, &run->since, err));
}

static int read_note(struct dbl_run *run, int64_t version, struct dbl_past *note, bool *there,
		     struct dblock_error *err)
{
	char scope[SCOPE_MAX + 1];
	int rc = dbl_history_row(notes(run, scope), version, note, there, err);

	if (rc == DBLOCK_E_BLOCKED || rc == DBLOCK_E_CONFLICT)
		run->again = DBL_AGAIN_WAIT;
	return dbl_run_lost(run, rc);
}

/* Whether the note was written since this call began. A note from the future, as the clock has been
 * set back, does not count: else nobody would ever try again. */
static bool is_news(const struct dbl_run *run, const struct dbl_past *note)
{
	int64_t took = dbl_now(run->target->env) - run->since_here;

	return run->since && note->started > run->since &&
	       note->started <= run->since + took + CLOCK_SLACK_US;
}

int dbl_note_heed(struct dbl_job *job, struct dblock_error *err)
{
	struct dbl_past note;
	int rc;

	if (job->own || job->down)
		return 0;
	rc = read_note(job->run, job->file->version, &note, &job->has_note, err);
	if (rc || !job->has_note || strcmp(note.checksum, job->file->up.checksum) != 0 ||
	    !is_news(job->run, &note))
		return rc;
	return dbl_fail_lines(err, DBLOCK_E_MIGRATION, note.error);
}

static int forget(struct dbl_run *run, int64_t version, struct dblock_error *err)
{
	char scope[SCOPE_MAX + 1];
	struct dbl_past note;
	bool there;
	int rc = read_note(run, version, &note, &there, err);

	if (rc == 0 && there)
		rc = dbl_history_move(notes(run, scope), &note, NULL, err);
	return rc == DBLOCK_E_CONFLICT ? 0 : rc; /* somebody else deleted it */
}

int dbl_note_forget(struct dbl_run *run, int64_t version, struct dblock_error *err)
{
	return run->set.own ? 0 : dbl_run_lost(run, forget(run, version, err));
}

static int write_note(struct dbl_job *job, const char *text, struct dblock_error *err)
{
	struct dbl_run *run = job->run;
	struct dbl_past seen = dbl_past_of(job->file, DBL_ROW_FAILED, run->by), note;
	char scope[SCOPE_MAX + 1];
	int rc = forget(run, seen.version, err);

	seen.steps = job->pieces->n;
	seen.begun = seen.done = job->at - 1;
	note = seen;
	note.begun = job->at;
	dbl_utf8_cut(note.error, sizeof(note.error), text);
	if (rc == 0)
		rc = dbl_history_claim(notes(run, scope), &seen, err);
	return rc ? rc : dbl_history_move(notes(run, scope), &seen, &note, err);
}

/* Writes the note in the transaction that is open, or in one of its own. */
static void write_whole(struct dbl_job *job, const char *text)
{
	struct dbl_run *run = job->run;
	struct dblock_error ignored;
	bool open = dbl_db_in_tx(run->db);
	int rc = dbl_run_own_role(run, &ignored);

	if (rc == 0)
		rc = dbl_history_make(run->db, dbl_run_on(run), &ignored);
	if (rc == 0 && !open)
		rc = dbl_db_begin(run->db, dbl_run_deadline(run), &ignored);
	if (rc)
		return;
	rc = write_note(job, text, &ignored);
	if (!open)
		rc = dbl_db_end(run->db, rc, dbl_run_deadline(run), &ignored);
	job->noted = rc == 0;
}

void dbl_note_failure(struct dbl_job *job, int outcome, const char *text)
{
	enum dbl_again again = job->run->again;

	if (outcome != DBLOCK_E_MIGRATION || job->own || job->down || job->noted ||
	    dbl_db_broken(job->run->db))
		return;
	write_whole(job, text);
	job->run->again = again; /* a failure to write the note does not count */
}
