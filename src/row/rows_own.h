/* SPDX-License-Identifier: MIT */
/* Inside src/row: what the ways to lock rows have in common. */
#ifndef DBL_ROW_ROWS_OWN_H
#define DBL_ROW_ROWS_OWN_H

#include "base/str.h"
#include "row/rows.h"
#include "sql/quote.h"

/* rows_names.c: names of the caller's, quoted; a column with its table, since "nosuch" alone is a
 * text for SQLite. */
struct dbl_rows_names {
	char *table; /* with its schema */
	char *bare;  /* without */
	char *columns[DBLOCK_VALUES_MAX];
	unsigned n_key, n; /* the first n_key are the key */
};

int dbl_rows_names_init(struct dbl_rows_names *, const struct dblock_tx *, const char *table,
			const char *const *key, unsigned n_key, const char *const *columns,
			unsigned n_columns, struct dblock_error *err);
void dbl_rows_names_free(struct dbl_rows_names *);

/* Append the first n columns, with something between them. */
void dbl_rows_list(struct dbl_str *, const struct dbl_rows_names *, unsigned n,
		   const char *between);

struct dbl_rows_job;
typedef int dbl_rows_way(struct dbl_rows_job *, struct dblock_error *err);

/* One call. */
struct dbl_rows_job {
	dbl_rows_way *way;
	struct dblock_tx *tx;
	struct dbl_db *db;
	const struct dbl_rows *rows;
	struct dbl_rows_wanted *wanted; /* of a take, else NULL */
	struct dbl_rows_names names;
	enum dblock_row_wait wait;
	int64_t timeout;  /* us; 0: none of ours */
	int64_t until;    /* the end of waiting, DBL_NEVER */
	int64_t deadline; /* of statements that wait for locks */
	bool called;      /* the caller's row() ended it: what it returned is nobody else's */
};

/* rows_job.c */

/* Run a statement of the job's, and free its text; NULL: out of memory. The outcome is that of a
 * row lock: BUSY, TIMEOUT, DEADLOCK. */
int dbl_rows_query(struct dbl_rows_job *, char *sql, const struct dbl_value *args, unsigned n,
		   int (*row)(void *, const struct dbl_value *, unsigned), void *ctx,
		   struct dblock_error *err);

/* An operation without rows, that takes one number. */
int dbl_rows_set(struct dbl_rows_job *, enum dbl_op, int64_t number, struct dblock_error *err);

/* A row() for a query whose row, if there is one, says that *ctx, a state, is DBLOCK_OK. */
int dbl_rows_found(void *state, const struct dbl_value *row, unsigned n);

/* The row() of a take: counts, and calls the caller's. */
int dbl_rows_hand(void *job, const struct dbl_value *row, unsigned n);

/* SELECT the first n columns. */
void dbl_rows_select(struct dbl_str *, const struct dbl_rows_names *, unsigned n);

/* ORDER BY the key. */
void dbl_rows_order(struct dbl_str *, const struct dbl_rows_names *);

/* SELECT the columns of a take, with the caller's condition, in order of the key. */
void dbl_rows_select_wanted(struct dbl_str *, const struct dbl_rows_job *);

/* The states are known: what that comes to. */
int dbl_rows_verdict(const struct dbl_rows_job *, struct dblock_error *err);

/* The ways, each inside a guard. */
dbl_rows_way dbl_rows_lock_result, dbl_rows_lock_scanned, dbl_rows_lock_file;
dbl_rows_way dbl_rows_take_result, dbl_rows_take_scanned, dbl_rows_take_file;

#endif
