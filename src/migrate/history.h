/* SPDX-License-Identifier: MIT */
/* The table of what was applied, and whether the other tables are ours. */
#ifndef DBL_MIGRATE_HISTORY_H
#define DBL_MIGRATE_HISTORY_H

#include "migrate/plan.h"
#include "sql/db.h"

/* Whose files these are: users' own migrations will stand in the same table under other names. */
#define DBL_MIGRATE_SCOPE "dblock"

/* Something that runs requests: a connection, or a link that heals. */
struct dbl_runner {
	int (*run)(void *on, struct dbl_request *, struct dblock_error *);
	void *on;
	const struct dbl_target *target;
	int64_t deadline;
};

struct dbl_runner dbl_runner_db(struct dbl_db *, const struct dbl_target *, int64_t deadline);

/* Run an operation that answers with one integer. */
int dbl_ask(const struct dbl_runner *, enum dbl_op, const struct dbl_value *args, int64_t *answer,
	    struct dblock_error *err);

/* Read the history; where there is none it is empty. DBLOCK_E_SCHEMA: a table of another shape
 * has its name. dbl_history_free() is due in any case; the struct must be zero or filled before. */
int dbl_history_read(const struct dbl_runner *, struct dbl_history *, struct dblock_error *err);
void dbl_history_free(struct dbl_history *);

/* Make the history, if it is not there. */
int dbl_history_make(struct dbl_db *, const struct dbl_runner *, struct dblock_error *err);

/* The tables that are ready once `version` is applied: are they ours? CREATE TABLE IF NOT EXISTS
 * also passes over a stranger's. DBLOCK_E_SCHEMA names the table. */
int dbl_shape_check(const struct dbl_runner *, int64_t version, struct dblock_error *err);

#endif
