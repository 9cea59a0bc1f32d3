/* SPDX-License-Identifier: MIT */
/* Transactions of the caller's, and statements of ours inside them. For one thread at a time. */
#ifndef DBL_SQL_TX_H
#define DBL_SQL_TX_H

#include "sql/db.h"

/* The client library's handle: PGconn *, MYSQL *, sqlite3 *. */
void *dbl_db_handle(struct dbl_db *);

/* What becomes of a statement that is sent now. No round trip. */
enum dbl_tx_state dbl_db_state(struct dbl_db *);

/* What is open on it cannot be known any more: its state is lost. */
void dbl_db_give_up(struct dbl_db *);

/* After a failure inside a transaction that is no more, or can only be rolled back: err's message
 * ends with that. */
void dbl_db_tell_end(struct dbl_db *, struct dblock_error *err);

/* Begin: `isolation` 0 read committed, 1 repeatable read, 2 serializable. Two round trips on MySQL,
 * else one. */
int dbl_db_start(struct dbl_db *, int isolation, bool read_only, int64_t deadline,
		 struct dblock_error *err);

/* Run `body` inside the transaction that is open. If it does not return 0, all that it did is
 * undone and the transaction is as it was before; unless the database has rolled the whole of it
 * back, or the connection is lost: then err's message ends with that. A savepoint: body's round
 * trips and two more; three if it fails. */
int dbl_db_guarded(struct dbl_db *, int (*body)(void *, struct dbl_db *, struct dblock_error *),
		   void *ctx, int64_t deadline, struct dblock_error *err);

/* What ours have set is as it was, by an operation whose argument, if it has one, does not matter.
 * Where the transaction has failed, it is the savepoint's to do. If it cannot be done, not even at
 * the second try, the connection's state is lost. */
int dbl_db_put_back(struct dbl_db *, enum dbl_op, struct dblock_error *err);

/* A statement of the caller's. */
struct dbl_query {
	const char *sql;              /* with $1 .. $n, wherever it runs */
	const struct dbl_value *args; /* n of them */
	unsigned n;
	bool reads; /* it changes nothing */
	/* Called for each row, of n values; its texts live until it returns. Not 0 ends the rows:
	 * the call returns that. NULL: rows are passed over. */
	int (*row)(void *ctx, const struct dbl_value *row, unsigned n);
	void *ctx;
	int64_t deadline;

	int64_t changed; /* out: rows inserted, updated, deleted */
	int64_t rows;    /* out: rows that came */
};

/* One round trip; one more on MySQL where it has arguments or rows. What the database refuses for
 * certain, for a reason that has no class of its own, is DBLOCK_E_REFUSED. */
int dbl_db_query(struct dbl_db *, struct dbl_query *, struct dblock_error *err);

#endif
