/* SPDX-License-Identifier: MIT */
/* For src/row only: what the ways to lock rows have in common. */
#ifndef DBL_ROW_ROWS_OWN_H
#define DBL_ROW_ROWS_OWN_H

#include "base/str.h"
#include "row/rows.h"
#include "sql/quote.h"

/* rows_names.c: the caller's names, quoted. A column is qualified by its table, since SQLite takes
 * "nosuch" alone as a text. */
struct dbl_rows_names {
	char *table; /* the table with its schema */
	char *bare;  /* the table without its schema */
	char *columns[DBLOCK_VALUES_MAX];
	unsigned n_key, n; /* the first n_key are the key */
};

int dbl_rows_names_init(struct dbl_rows_names *, const struct dblock_tx *, const char *table,
			const char *const *key, unsigned n_key, const char *const *columns,
			unsigned n_columns, struct dblock_error *err);
void dbl_rows_names_free(struct dbl_rows_names *);

/* Appends the first n columns, with the text `between` them. */
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
	struct dbl_rows_wanted *wanted; /* NULL unless rows are taken */
	struct dbl_rows_names names;
	enum dbl_row_patience wait;
	int64_t timeout;  /* us; 0: we set no limit */
	int64_t until;    /* when to stop waiting, or DBL_NEVER */
	int64_t deadline; /* of statements that wait for locks */
	bool called;      /* the caller's row() ended the call: its result is returned as it is */
};

/* rows_job.c */

/* Runs a statement, and frees its text; a text of NULL fails as out of memory. The outcome is that
 * of a row lock: BUSY, TIMEOUT, DEADLOCK. */
int dbl_rows_query(struct dbl_rows_job *, char *sql, const struct dbl_value *args, unsigned n,
		   int (*row)(void *, const struct dbl_value *, unsigned), void *ctx,
		   struct dblock_error *err);

/* Runs an operation that takes one number and returns no rows. */
int dbl_rows_set(struct dbl_rows_job *, enum dbl_op, int64_t number, struct dblock_error *err);

/* Fails with a message like "row 2 (id = 7)"; rows are counted from 0, as the caller does. */
int dbl_rows_fail_row(const struct dbl_rows *, unsigned at, int code, const char *why,
		      struct dblock_error *err);

/* The row() of a query: if a row comes, *state is DBLOCK_OK. */
int dbl_rows_found(void *state, const struct dbl_value *row, unsigned n);

/* The row() of a take: counts the row, and calls the caller's row(). */
int dbl_rows_hand(void *job, const struct dbl_value *row, unsigned n);

/* Appends a SELECT of the first n columns. */
void dbl_rows_select(struct dbl_str *, const struct dbl_rows_names *, unsigned n);

/* Appends an ORDER BY of the key. */
void dbl_rows_order(struct dbl_str *, const struct dbl_rows_names *);

/* Appends a SELECT of a take's columns, with the caller's condition, in order of the key. */
void dbl_rows_select_wanted(struct dbl_str *, const struct dbl_rows_job *);

/* Returns the outcome that follows from the states of all rows. */
int dbl_rows_verdict(const struct dbl_rows_job *, struct dblock_error *err);

/* The ways to lock and to take rows. Each runs within a guard. */
dbl_rows_way dbl_rows_lock_result, dbl_rows_lock_scanned, dbl_rows_lock_file;
dbl_rows_way dbl_rows_take_result, dbl_rows_take_scanned, dbl_rows_take_file;

#endif
