/* SPDX-License-Identifier: MIT */
/* The public struct dblock_tx: a connection for the caller's transactions, the caller's own or one
 * of the client's. For one thread at a time. Who takes part in a transaction (a fence, a release)
 * is told how it ended, if it is ended here. */
#ifndef DBL_LINK_TX_H
#define DBL_LINK_TX_H

#include "link/pool.h"

enum dbl_tx_end {
	DBL_TX_COMMITTED,
	DBL_TX_ROLLED_BACK,
	DBL_TX_ASK,     /* one that was begun elsewhere has ended, perhaps a later one: ask */
	DBL_TX_UNKNOWN, /* it ended elsewhere, or the answer to COMMIT was lost */
	DBL_TX_LEFT     /* it is prepared, keeps its rows locked, and a recovery finishes it */
};

/* A part of each struct that takes part: `ended` is called once, after it has left the list. */
struct dbl_tx_part {
	struct dbl_tx_part *next;
	void (*ended)(struct dbl_tx_part *, enum dbl_tx_end);
};

struct dblock_global;

struct dblock_tx {
	struct dbl_target own;           /* the target of an adopted connection */
	const struct dbl_target *target; /* that one, or the client's */
	struct dbl_db *db;
	struct dbl_pool *pool; /* where it came from; NULL: it was adopted */
	int64_t pid;           /* of the process that made it */
	int64_t timeout;       /* us: bound of each call that does not wait for locks */
	bool begun_here;       /* the open transaction was begun here, if it is still that one */
	bool used;             /* the caller's own statements have been run */
	struct dblock_global *global; /* it is a part of that one, which ends it; or NULL */
	struct dbl_tx_part *parts;
};

/* Take a connection of the pool; nothing is begun yet. */
int dbl_tx_take(struct dblock_tx **, struct dbl_pool *, int64_t timeout, struct dblock_error *err);

/* Adopt the caller's own connection. */
int dbl_tx_adopt(struct dblock_tx **, const char *dialect, void *handle, const char *schema,
		 const char *prefix, int64_t timeout, const struct dbl_env *,
		 struct dblock_error *err);

/* Roll back what is open on a connection of the pool; the caller's own stays. NULL is allowed. */
void dbl_tx_close(struct dblock_tx *);

/* now + timeout */
int64_t dbl_tx_deadline(const struct dblock_tx *);

/* How many ms a statement may wait for a row that others have locked: less than the timeout, after which there
 * is no connection any more, and so no transaction. */
int64_t dbl_tx_patience(const struct dblock_tx *);

/* Can our statements be run in it? DBLOCK_E_INVALID if not, and why. This also notices that the
 * transaction has been ended elsewhere. */
int dbl_tx_check_open(struct dblock_tx *, struct dblock_error *err);

int dbl_tx_begin(struct dblock_tx *, int isolation, bool read_only, struct dblock_error *err);

/* DBLOCK_E_UNSURE: the answer was lost. DBLOCK_E_CONFLICT: it was rolled back instead.
 * DBLOCK_E_INVALID: no transaction is open. */
int dbl_tx_commit(struct dblock_tx *, struct dblock_error *err);
int dbl_tx_rollback(struct dblock_tx *, struct dblock_error *err);

/* As dbl_db_guarded(), in a transaction that is open. */
int dbl_tx_guarded(struct dblock_tx *, int (*body)(void *, struct dbl_db *, struct dblock_error *),
		   void *ctx, int64_t deadline, struct dblock_error *err);

/* As before, with settings of ours: no statement waits longer than `ms` for a lock (at least a
 * second on MySQL), and MySQL's times are UTC. Two more round trips on a server. */
int dbl_tx_guarded_waiting(struct dblock_tx *, int64_t ms,
			   int (*body)(void *, struct dbl_db *, struct dblock_error *), void *ctx,
			   int64_t deadline, struct dblock_error *err);

/* Run a single operation as before; on PostgreSQL in one round trip. If it succeeds it is kept, whatever
 * its rows are. */
int dbl_tx_run_guarded(struct dblock_tx *, int64_t ms, struct dbl_request *,
		       struct dblock_error *err);

/* The part is told of the end from now on. */
void dbl_tx_join(struct dblock_tx *, struct dbl_tx_part *);

/* Tell all parts that the transaction has ended. */
void dbl_tx_tell(struct dblock_tx *, enum dbl_tx_end);

#endif
