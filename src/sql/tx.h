/* SPDX-License-Identifier: MIT */
/* The caller's transactions, and our statements inside them. For one thread at a time. */
#ifndef DBL_SQL_TX_H
#define DBL_SQL_TX_H

#include "sql/db.h"

/* The client library's handle: PGconn *, MYSQL *, sqlite3 *. */
void *dbl_db_handle(struct dbl_db *);

/* The state of the transaction that a statement would be in now. No round trip. */
enum dbl_tx_state dbl_db_state(struct dbl_db *);

/* Mark the connection as broken: nobody knows any more what is open on it. */
void dbl_db_give_up(struct dbl_db *);

/* After a failure: if the transaction has ended, or can only be rolled back, err's message says so
 * at its end. */
void dbl_db_tell_end(struct dbl_db *, struct dblock_error *err);

/* Do that to the branch of that name, which has two parts: DBL_OP_branch_begin and the like. One round trip, two at its
 * begin on MySQL; none for an end where there is no such thing. */
int dbl_db_branch(struct dbl_db *, enum dbl_op, const char *gtrid, const char *bqual,
		  int64_t deadline, struct dblock_error *err);

/* What is prepared on the server, or in the database: the columns of branch_list. One round trip. */
int dbl_db_branch_list(struct dbl_db *, int (*row)(void *, const struct dbl_value *), void *ctx,
		       int64_t deadline, struct dblock_error *err);

/* Before a branch is prepared: fail if it has written a table that keeps no transactions, as MySQL has. Three round
 * trips there, else none. */
int dbl_db_branch_check(struct dbl_db *, int64_t deadline, struct dblock_error *err);

/* Begin a transaction. `isolation`: 0 read committed, 1 repeatable read, 2 serializable. Two round
 * trips on MySQL, else one. */
int dbl_db_start(struct dbl_db *, int isolation, bool read_only, int64_t deadline,
		 struct dblock_error *err);

/* Run `body` inside the open transaction, in a savepoint. If it does not return 0, all that it did
 * is undone; unless the database has rolled the whole transaction back, or the connection is lost:
 * then err's message ends with that. Two round trips beside body's own; three if it fails. */
int dbl_db_guarded(struct dbl_db *, int (*body)(void *, struct dbl_db *, struct dblock_error *),
		   void *ctx, int64_t deadline, struct dblock_error *err);

/* Run one operation of a single statement so, where the dialect `pipelines`; with ms > 0 it waits for
 * each lock only so long. All of it is one round trip; two more if it fails. If the statement succeeds
 * it is kept, whatever its rows are. */
int dbl_db_run_guarded(struct dbl_db *, struct dbl_request *, int64_t ms, struct dblock_error *err);

/* *certified: the server is a node of a cluster that certifies transactions by what they have
 * changed (Galera). One round trip, or two, the first time. */
int dbl_db_certified(struct dbl_db *, bool *certified, int64_t deadline, struct dblock_error *err);

/* *must: who wants to keep a row until the end of the open transaction, and beyond its prepare, has
 * to change it, as its lock would end before, or at the node's edge. `plain`: it was certainly begun
 * by dbl_db_start(). Where row locks may end so (MySQL), one round trip, or two the first time. */
int dbl_db_must_write(struct dbl_db *, bool plain, bool *must, int64_t deadline,
		      struct dblock_error *err);

/* Put back settings of ours, by an operation whose argument, if it has one, does not matter. Where
 * the transaction has failed, the savepoint does that. If it fails twice, the connection is
 * broken. */
int dbl_db_put_back(struct dbl_db *, enum dbl_op, struct dblock_error *err);

/* A statement of the caller's. */
struct dbl_query {
	const char *sql;              /* with $1 .. $n, on every database */
	const struct dbl_value *args; /* n of them */
	unsigned n;
	bool reads; /* it changes nothing in the database */
	/* Called for each row, of n values; its texts live until it returns. Not 0 ends the rows,
	 * and dbl_db_query() returns it. NULL: the rows are skipped. */
	int (*row)(void *ctx, const struct dbl_value *row, unsigned n);
	void *ctx;
	int64_t deadline;

	int64_t changed; /* out: rows inserted, updated, deleted */
	int64_t rows;    /* out: how many rows came */
};

/* One round trip; one more on MySQL if it has arguments or rows. DBLOCK_E_REFUSED: the database
 * certainly refused it, for a reason that has no class of its own. */
int dbl_db_query(struct dbl_db *, struct dbl_query *, struct dblock_error *err);

#endif
