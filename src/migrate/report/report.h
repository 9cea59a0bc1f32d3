/* SPDX-License-Identifier: MIT */
/* What a person is told when a file could not be run. */
#ifndef DBL_MIGRATE_REPORT_H
#define DBL_MIGRATE_REPORT_H

#include "migrate/history/history.h"
#include "migrate/set/pieces.h"

/* One file that is run, up or down, and how far it has come. The engine runs it. */
struct dbl_job {
	struct dbl_run *run; /* no report looks into it */
	const struct dbl_target *target;
	const struct dblock_migrate_options *which;
	bool own; /* the file is the library's */
	bool down;
	int64_t done; /* how many files the call has done before it */
	const struct dbl_file *file;
	const struct dbl_script *script; /* of the file: up, or down */
	struct dbl_pieces pieces;
	struct dbl_past row; /* as the database has it, as far as we know */
	bool has_row;
	bool has_note;     /* of a failure, by whomever */
	bool noted;        /* by us, of this one */
	unsigned at;       /* which statement is under way, from 1; 0: none, n + 1: the COMMIT */
	unsigned error_at; /* where in it the error is: see struct dbl_conn */
	unsigned tries;    /* how often it was in somebody's way */
	bool leaves;       /* it failed, and left something behind all the same */
};

/* The database refused statement job->at: "file:line:col:
 * statement k of n: ...", and the statement in a line of its own. Returns the outcome of the call:
 * mostly E_MIGRATION. */
int dbl_report_refused(const struct dbl_job *, int rc, struct dblock_error *err);

/* The connection was lost while it was under way. Of these two, err is not NULL. */
int dbl_report_lost(const struct dbl_job *, int rc, struct dblock_error *err);

/* What stands now, and what to do next: lines behind either of these. sound: nothing is to be
 * corrected before it is run again. */
void dbl_report_rolled_back(const struct dbl_job *, bool sound, struct dblock_error *err);
void dbl_report_stopped(const struct dbl_job *, bool sound, struct dblock_error *err);

/* The same behind dbl_report_refused(), of a statement that was only sent again. */
void dbl_report_not_set(const struct dbl_job *, struct dblock_error *err);

/* E_REPAIR: only a person can say how to go on with the row as it is. */
int dbl_report_in_doubt(const struct dbl_job *, struct dblock_error *err);
int dbl_report_session(const struct dbl_job *, unsigned k, struct dblock_error *err);
int dbl_report_edited(const struct dbl_job *, struct dblock_error *err);
int dbl_report_reverting(const struct dbl_job *, struct dblock_error *err);

/* Copy a text, cut to fit, not within a character. */
void dbl_report_cut(char *to, size_t room, const char *text);

#endif
