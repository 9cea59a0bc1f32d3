/* SPDX-License-Identifier: MIT */
/* Tells a person why a file could not be run. */
#ifndef DBL_MIGRATE_REPORT_H
#define DBL_MIGRATE_REPORT_H

#include "migrate/history/history.h"
#include "migrate/set/pieces.h"

/* One file that is run, up or down, and how far it has come. The engine runs it. */
struct dbl_job {
	struct dbl_run *run; /* for the engine only */
	const struct dbl_target *target;
	const struct dblock_migrate_options *which;
	bool own; /* the file is the library's */
	bool down;
	int64_t done; /* how many files the call has done before this one */
	const struct dbl_file *file;
	const struct dbl_script *script; /* the file's up or down */
	struct dbl_pieces *pieces;
	struct dbl_past row; /* the file's row in the database, as far as we know */
	bool has_row;
	bool has_note;     /* somebody has noted that the file failed */
	bool noted;        /* we have noted that */
	unsigned at;       /* the statement that is being run, from 1; 0: none, n + 1: the COMMIT */
	int64_t sent;      /* when it was sent */
	int64_t *rows;     /* how many rows the call's statements of this file have changed */
	unsigned error_at; /* where in it the error is: see struct dbl_conn */
	unsigned tries;    /* how often it failed, as locks or others were in its way */
	bool leaves;       /* it failed, but left something behind */
	char said[600];    /* what the database said when it failed, beside its message, in lines */
	bool blocked;      /* it failed, as somebody kept a lock that it needs */
	unsigned singly;   /* up to here no rows go together, as one of them was refused */
};

/* Reports that the database refused statement job->at: "file:line:col: statement k of n: ...", and
 * the statement in a line of its own. Returns the outcome of the call, mostly E_MIGRATION. */
int dbl_report_refused(const struct dbl_job *, int rc, struct dblock_error *err);

/* Reports that the connection was lost during it. For these two functions err must not be NULL. */
int dbl_report_lost(const struct dbl_job *, int rc, struct dblock_error *err);

/* Add to either report what is done by now, and what to do next. sound: nothing has to be corrected
 * before the file is run again. */
void dbl_report_rolled_back(const struct dbl_job *, bool sound, struct dblock_error *err);
void dbl_report_stopped(const struct dbl_job *, bool sound, struct dblock_error *err);

/* The same after dbl_report_refused(), for a statement that was only sent again. */
void dbl_report_not_set(const struct dbl_job *, struct dblock_error *err);

/* Fail as E_REPAIR, since only a person can say how to go on with the row as it is. */
int dbl_report_in_doubt(const struct dbl_job *, struct dblock_error *err);
int dbl_report_session(const struct dbl_job *, unsigned k, struct dblock_error *err);
int dbl_report_edited(const struct dbl_job *, struct dblock_error *err);
int dbl_report_reverting(const struct dbl_job *, struct dblock_error *err);

#endif
