/* SPDX-License-Identifier: MIT */
/* One file being run, up or down: what there is to do with a struct dbl_job. The commands only read
 * it. */
#ifndef DBL_MIGRATE_JOB_H
#define DBL_MIGRATE_JOB_H

#include "migrate/engine/run.h"
#include "migrate/report/report.h"

/* ---- job.c ---------------------------------------------------------------------------------- */

/* The step's file is to be run, up or down as the call says, from where its row stands.
 * dbl_pieces_free() is due in any case. */
int dbl_job_open(struct dbl_job *, struct dbl_run *, const struct dbl_step *,
		 struct dblock_error *err);

/* Take the file's row for us: insert it, or go on with one that somebody left. The first statement
 * to run is then row.done + 1. E_CONFLICT: somebody else was faster, E_REPAIR. */
int dbl_job_claim(struct dbl_job *, struct dblock_error *err);

/* Can it go on from where this row says that it stands, in another session? E_REPAIR. */
int dbl_job_check(struct dbl_job *, const struct dbl_past *, struct dblock_error *err);

/* The row is now `to`; NULL: it is gone. */
int dbl_job_move(struct dbl_job *, const struct dbl_past *to, struct dblock_error *err);

/* Send statement k (from 1), which may take as long as it takes. Errors are what the driver says.
 */
int dbl_job_send(struct dbl_job *, unsigned k, struct dblock_error *err);

/* Is statement k one that is done, and is to be sent again for what it sets? Send all these. */
bool dbl_job_is_setting(const struct dbl_job *, unsigned k);
int dbl_job_settings(struct dbl_job *, struct dblock_error *err);

/* After the last statement: is all as it should be? The row then says so. */
int dbl_job_finish(struct dbl_job *, struct dblock_error *err);

/* After E_LOCKED or E_CONFLICT: sleep, and say whether to try it again. */
bool dbl_job_again(struct dbl_job *, int rc);

/* May what was sent be sent again, whatever became of it? */
bool dbl_job_repeatable(const struct dbl_job *);

/* This call does not try it again: a person has to see to it first, or a statement of a user's may
 * be what brings the server down. Returns rc. */
int dbl_job_stop(struct dbl_job *, int rc);

/* ---- protocols ------------------------------------------------------------------------------ */

int dbl_job_in_tx(struct dbl_job *, struct dblock_error *err);    /* tx.c */
int dbl_job_stepwise(struct dbl_job *, struct dblock_error *err); /* stepwise.c */

/* All but BEGIN and COMMIT of dbl_job_in_tx(). */
int dbl_job_within(struct dbl_job *, struct dblock_error *err);

/* Step by step: is statement k sent outside of any transaction? */
bool dbl_job_alone(const struct dbl_job *, unsigned k);

/* ---- note.c --------------------------------------------------------------------------------- */

/* E_MIGRATION: while this call waited, another one has tried the same text, and it was refused. */
int dbl_note_heed(struct dbl_job *, struct dblock_error *err);

/* It was refused: tell those who wait. A courtesy, so it does not fail. */
void dbl_note_failure(struct dbl_job *, int outcome, const char *text);

#endif
