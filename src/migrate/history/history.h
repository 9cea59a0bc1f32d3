/* SPDX-License-Identifier: MIT */
/* The table of what was applied: one row for each file of a set (a scope) that was ever begun. */
#ifndef DBL_MIGRATE_HISTORY_H
#define DBL_MIGRATE_HISTORY_H

#include "migrate/set/set.h"
#include "sql/db.h"

enum dbl_row_state { DBL_ROW_APPLIED, DBL_ROW_RUNNING, DBL_ROW_FAILED, DBL_ROW_REVERTING };

/* Returns the state as the table has it. */
const char *dbl_row_state_text(enum dbl_row_state);

/* One row. */
struct dbl_past {
	int64_t version;
	int64_t seq; /* rises in the order in which files were applied */
	enum dbl_row_state state;
	bool baseline;
	bool undone;                /* set in memory by `down`: it is undone, or about to be */
	int64_t steps, begun, done; /* statements: in the file, sent, known to be done */
	int64_t started, finished;  /* us; finished is 0 until it is applied */
	char name[201];
	char checksum[DBL_SHA256_HEX + 1];
	char token_checksum[DBL_TOKEN_SUM + 1];
	char prefix[DBL_SHA256_HEX + 1]; /* the sum of the statements that are done; "": none */
	char by[401];
	char error[1001];
};

/* The history of one set of files, in order of version. */
struct dbl_history {
	struct dbl_past *rows;
	size_t n;
	bool there; /* the table exists */
	/* If it does not: other schemas of the database with our tables, as "a or b"; "": none. */
	char elsewhere[200];
};

/* Something that runs requests, a connection or a link that reconnects, and the scope of a set. */
struct dbl_runner {
	int (*run)(void *on, struct dbl_request *, struct dblock_error *);
	void *on;
	const struct dbl_target *target;
	const char *scope;
	int64_t deadline;
};

struct dbl_runner dbl_runner_db(struct dbl_db *, const struct dbl_target *, const char *scope,
				int64_t deadline);

/* Runs an operation that returns one integer (no row: 0), or one text (no row: ""). */
int dbl_ask(struct dbl_runner, enum dbl_op, struct dbl_args args, int64_t *answer,
	    struct dblock_error *err);
int dbl_ask_text(struct dbl_runner, enum dbl_op, struct dbl_args args, char *answer, size_t room,
		 struct dblock_error *err);

/* Whether a statement failed because a table does not have the shape that it needs. */
bool dbl_is_shape_error(int rc);

/* Reads the history of a scope; it is empty if there is no table. DBLOCK_E_SCHEMA: a table of
 * another shape has its name. DBLOCK_E_DENIED: it may not be read, or be seen. dbl_history_free()
 * is due in any case; the struct must be zero or filled before. */
int dbl_history_read(struct dbl_runner, struct dbl_history *, struct dblock_error *err);
void dbl_history_free(struct dbl_history *);

/* Reads one row anew; *there: it is in the history. */
int dbl_history_row(struct dbl_runner, int64_t version, struct dbl_past *, bool *there,
		    struct dblock_error *err);

/* Returns the row of a file of which no statement is done. */
struct dbl_past dbl_past_of(const struct dbl_file *, enum dbl_row_state, const char *by);

/* Sets the row's checksums to those of this text. */
void dbl_past_take(struct dbl_past *, const struct dbl_script *);

const struct dbl_past *dbl_history_find(const struct dbl_history *, int64_t version);

/* Returns the largest version that is applied; 0: none. */
int64_t dbl_history_last(const struct dbl_history *);

/* Makes the table, if it is not there; err must not be NULL. */
int dbl_history_make(struct dbl_db *, struct dbl_runner, struct dblock_error *err);

/* Inserts the row of a file. DBLOCK_E_CONFLICT: there is one. */
int dbl_history_claim(struct dbl_runner, const struct dbl_past *, struct dblock_error *err);

/* Changes the row of a file from `seen` to `to`, or deletes it (to == NULL). DBLOCK_E_CONFLICT: it
 * is not as it was seen. */
int dbl_history_move(struct dbl_runner, const struct dbl_past *seen, const struct dbl_past *to,
		     struct dblock_error *err);

/* Checks that tables with the names of the library's own, if there are any, are ours, since CREATE
 * TABLE IF NOT EXISTS passes over any table. DBLOCK_E_SCHEMA names the table. */
int dbl_shape_check(struct dbl_runner, struct dblock_error *err);

/* ---- plan.c: what a set has against what the database has had; no connection ----------------- */

/* One version: in the set, or in the history, or both. */
struct dbl_step {
	int64_t version;
	const char *name;
	const struct dbl_file *file; /* NULL: not in this set */
	const struct dbl_past *past; /* NULL: never begun */
	enum dblock_migration_state state;
	bool changed;      /* it was applied from another text than the one in the set */
	bool out_of_order; /* it is not applied, though one with a larger number is */
	bool newer;        /* it is not in this set, and above all that are */
};

/* A walk over all versions, in order. Begin with {set, history}. */
struct dbl_plan {
	const struct dbl_set *set;
	const struct dbl_history *history;
	size_t file_at, past_at;
};

/* Returns the last row of an older dblock, below all of the library's own set, or NULL. Version
 * 0.1.0 has applied 1 to 15, and the set makes of its tables what they are now. */
const struct dbl_past *dbl_plan_older(const struct dbl_set *, const struct dbl_history *);

/* Whether that row is the last one of version 0.1.0, and applied. */
bool dbl_plan_is_0_1_0(const struct dbl_past *older);
enum { DBL_LAST_OF_0_1_0 = 15 };

/* Gives the next version; false at the end. Of an older dblock's it gives only the last one. */
bool dbl_plan_next(struct dbl_plan *, struct dbl_step *);

/* Gives the next version that is in the set and not applied; false at the end. */
bool dbl_plan_pending(struct dbl_plan *, struct dbl_step *);

/* The same, but only of those that `up` is to apply, if it has applied `done` by now. */
bool dbl_plan_wanted(struct dbl_plan *, const struct dblock_migrate_options *, int64_t done,
		     struct dbl_step *);

/* Returns how many versions are pending. */
unsigned dbl_plan_count(const struct dbl_set *, const struct dbl_history *);

#endif
