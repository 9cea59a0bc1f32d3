/* SPDX-License-Identifier: MIT */
/* Runs one file, up or down: what can be done with a struct dbl_job. The commands only read it. */
#ifndef DBL_MIGRATE_JOB_H
#define DBL_MIGRATE_JOB_H

#include "migrate/engine/run.h"
#include "migrate/report/report.h"

/* ---- job.c ---------------------------------------------------------------------------------- */

/* Begins to run the step's file, up or down as the call says, from where its row says. The caller
 * has to call dbl_pieces_free() in any case. */
int dbl_job_open(struct dbl_job *, struct dbl_run *, const struct dbl_step *,
		 struct dblock_error *err);

/* Takes the file's row for us: inserts it, or goes on with one that somebody has left. The first
 * statement to run is then row.done + 1. E_CONFLICT: somebody else was faster; E_REPAIR. */
int dbl_job_claim(struct dbl_job *, struct dblock_error *err);

/* Checks that the file can go on from this row in another session. E_REPAIR: it cannot. */
int dbl_job_check(struct dbl_job *, const struct dbl_past *, struct dblock_error *err);

/* Changes the row to `to`, or deletes it if that is NULL. */
int dbl_job_move(struct dbl_job *, const struct dbl_past *to, struct dblock_error *err);

/* Sends statement k (from 1). A user's statement has no deadline. Errors are the driver's. */
int dbl_job_send(struct dbl_job *, unsigned k, struct dblock_error *err);

/* Whether statement k is done, and has to be sent again for what it sets; and sends all of
 * these. */
bool dbl_job_is_setting(const struct dbl_job *, unsigned k);
int dbl_job_settings(struct dbl_job *, struct dblock_error *err);

/* Ends the file after its last statement: the row then says that it is applied, or is deleted. */
int dbl_job_finish(struct dbl_job *, struct dblock_error *err);

/* After E_BLOCKED or E_CONFLICT: sleeps, and says whether to try again. */
bool dbl_job_again(struct dbl_job *, int rc);

/* Whether a statement may be sent again, whatever came of it. */
bool dbl_job_repeatable(const struct dbl_job *);

/* Keeps this call from trying again, since a person has to decide first, or since a user's
 * statement may be what brings the server down. Returns rc. */
int dbl_job_stop(struct dbl_job *, int rc);

/* ---- protocols ------------------------------------------------------------------------------ */

int dbl_job_in_tx(struct dbl_job *, struct dblock_error *err);    /* tx.c */
int dbl_job_stepwise(struct dbl_job *, struct dblock_error *err); /* stepwise.c */

/* Does all of dbl_job_in_tx() but BEGIN and COMMIT. */
int dbl_job_within(struct dbl_job *, struct dblock_error *err);

/* Whether statement k, of a file that runs step by step, is sent outside of any transaction. */
bool dbl_job_alone(const struct dbl_job *, unsigned k);

/* tick.c: tells the caller which statement is under way, and what it is at (NULL: it is sent only now); and
 * does so once a second while it is, if the caller wants to know. */
void dbl_job_say(const struct dbl_job *, const char *doing);
void dbl_job_ticks(struct dbl_job *, bool on);

/* rows.c: how many statements from k on go together, in a transaction with one count. */
int dbl_job_rows(struct dbl_job *, unsigned k, unsigned *n, struct dblock_error *err);

/* blocked.c: adds to the report of a refused statement who was in its way, if that is why. */
void dbl_job_blocked(const struct dbl_job *, struct dblock_error *err);

/* ---- note.c --------------------------------------------------------------------------------- */

/* E_MIGRATION: while this call waited, another one tried the same text, which was refused. */
int dbl_note_heed(struct dbl_job *, struct dblock_error *err);

/* Notes for waiting calls that the file was refused. It only saves work, so it does not fail. */
void dbl_note_failure(struct dbl_job *, int outcome, const char *text);

#endif
