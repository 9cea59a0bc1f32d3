/* SPDX-License-Identifier: MIT */
/* The table of what was applied. One row for each file of a set (a scope) that was ever begun. */
#ifndef DBL_MIGRATE_HISTORY_H
#define DBL_MIGRATE_HISTORY_H

#include "migrate/set/set.h"
#include "sql/db.h"

enum dbl_row_state { DBL_ROW_APPLIED, DBL_ROW_RUNNING, DBL_ROW_FAILED, DBL_ROW_REVERTING };

/* As it stands in the table. */
const char *dbl_row_state_text(enum dbl_row_state);

/* One row. */
struct dbl_past {
	int64_t version;
	int64_t seq; /* in which order they were applied */
	enum dbl_row_state state;
	bool baseline;
	bool undone;                /* who undoes passes over it: it has gone, or is about to */
	int64_t steps, begun, done; /* statements: in it, sent, known to be done */
	int64_t started, finished;  /* us; finished is 0 until it is applied */
	char name[201];
	char checksum[DBL_SHA256_HEX + 1];
	char token_checksum[DBL_TOKEN_SUM + 1];
	char prefix[DBL_SHA256_HEX + 1]; /* the sum of those that are done; "" = none */
	char by[401];
	char error[1001];
};

/* The history of one set of files, in order of version. */
struct dbl_history {
	struct dbl_past *rows;
	size_t n;
	bool there; /* the table is */
	/* If not: other schemas of the database that have tables of ours, "a or b"; "": none. */
	char elsewhere[200];
};

/* Something that runs requests, a connection or a link that heals, and whose files these are. */
struct dbl_runner {
	int (*run)(void *on, struct dbl_request *, struct dblock_error *);
	void *on;
	const struct dbl_target *target;
	const char *scope;
	int64_t deadline;
};

struct dbl_runner dbl_runner_db(struct dbl_db *, const struct dbl_target *, const char *scope,
				int64_t deadline);

/* Run an operation that answers with one integer (no row: 0), or with one text (""). */
int dbl_ask(struct dbl_runner, enum dbl_op, struct dbl_args args, int64_t *answer,
	    struct dblock_error *err);
int dbl_ask_text(struct dbl_runner, enum dbl_op, struct dbl_args args, char *answer, size_t room,
		 struct dblock_error *err);

/* A statement that the database understands, but not for this table. */
bool dbl_is_shape_error(int rc);

/* Read the history of a scope; where there is none it is empty. DBLOCK_E_SCHEMA: a table of another
 * shape has its name. DBLOCK_E_DENIED: it may not be read, or be seen. dbl_history_free() is due in
 * any case; the struct must be zero or filled before. */
int dbl_history_read(struct dbl_runner, struct dbl_history *, struct dblock_error *err);
void dbl_history_free(struct dbl_history *);

/* Read one row anew; *there: it is in the history. */
int dbl_history_row(struct dbl_runner, int64_t version, struct dbl_past *, bool *there,
		    struct dblock_error *err);

/* The row of a file, with nothing of it done. */
struct dbl_past dbl_past_of(const struct dbl_file *, enum dbl_row_state, const char *by);

/* That is the text that the row is about. */
void dbl_past_take(struct dbl_past *, const struct dbl_script *);

const struct dbl_past *dbl_history_find(const struct dbl_history *, int64_t version);

/* The largest version that is applied; 0: none. */
int64_t dbl_history_last(const struct dbl_history *);

/* Make the history, if it is not there; err is not NULL. */
int dbl_history_make(struct dbl_db *, struct dbl_runner, struct dblock_error *err);

/* Insert the row of a file. DBLOCK_E_CONFLICT: there is one. */
int dbl_history_claim(struct dbl_runner, const struct dbl_past *, struct dblock_error *err);

/* Change the row of a file from what was seen to something else, or delete it (to == NULL).
 * DBLOCK_E_CONFLICT: it is not as it was seen. */
int dbl_history_move(struct dbl_runner, const struct dbl_past *seen, const struct dbl_past *to,
		     struct dblock_error *err);

/* Those of the library's own tables that are there: are they ours? CREATE TABLE IF NOT EXISTS also
 * passes over a stranger's. DBLOCK_E_SCHEMA names the table. */
int dbl_shape_check(struct dbl_runner, struct dblock_error *err);

/* ---- plan.c: what a set has against what the database has had; no connection ----------------- */

/* One version: in the set, or in the history, or both. */
struct dbl_step {
	int64_t version;
	const char *name;
	const struct dbl_file *file; /* NULL: not in this set */
	const struct dbl_past *past; /* NULL: never begun */
	enum dblock_migration_state state;
	bool changed;      /* applied from another text than the one in the set */
	bool out_of_order; /* not applied, though one with a larger number is */
	bool newer;        /* not in this set, and above all that is */
};

/* A walk over all versions, in order. Begin with {set, history}. */
struct dbl_plan {
	const struct dbl_set *set;
	const struct dbl_history *history;
	size_t file_at, past_at;
};

/* The last row of an older dblock, below all of the library's own set; NULL: there is none. Version
 * 0.1.0 has applied 1 to 15, and the set makes of its tables what they are now. */
const struct dbl_past *dbl_plan_older(const struct dbl_set *, const struct dbl_history *);

/* It is that of version 0.1.0, and done. */
bool dbl_plan_is_0_1_0(const struct dbl_past *older);
enum { DBL_LAST_OF_0_1_0 = 15 };

/* The next version; false at the end. Of those of an older dblock there is only the last one. */
bool dbl_plan_next(struct dbl_plan *, struct dbl_step *);

/* The next version that is in the set and not applied; false at the end. */
bool dbl_plan_pending(struct dbl_plan *, struct dbl_step *);

/* The same of those that `up` shall apply, once so many are done. */
bool dbl_plan_wanted(struct dbl_plan *, const struct dblock_migrate_options *, int64_t done,
		     struct dbl_step *);

/* How many are pending. */
unsigned dbl_plan_count(const struct dbl_set *, const struct dbl_history *);

#endif
