/* SPDX-License-Identifier: MIT */
/*
 * The public struct dblock_tx: a connection for transactions of the caller's, his own or one of the
 * client's. For one thread at a time. Whoever has a part in a transaction (a fence, a release)
 * hears how it ended, if it is ended here.
 */
#ifndef DBL_LINK_TX_H
#define DBL_LINK_TX_H

#include "link/pool.h"

enum dbl_tx_end {
	DBL_TX_COMMITTED,
	DBL_TX_ROLLED_BACK,
	DBL_TX_ASK, /* one has ended that was begun elsewhere, perhaps a later one: ask the database
		     */
	DBL_TX_UNKNOWN /* ended elsewhere, or the answer to COMMIT was lost */
};

/* Part of whatever takes part: it hears, once, and is off the list by then. */
struct dbl_tx_part {
	struct dbl_tx_part *next;
	void (*ended)(struct dbl_tx_part *, enum dbl_tx_end);
};

struct dblock_tx {
	struct dbl_target own;           /* of an adopted connection */
	const struct dbl_target *target; /* that, or the client's */
	struct dbl_db *db;
	struct dbl_pool *pool; /* it is the client's; NULL: adopted */
	int64_t pid;           /* of the process that made it */
	int64_t timeout;       /* us: bound of each call that does not wait for locks */
	bool begun_here;       /* the transaction that is open, unless it was ended elsewhere */
	bool used;             /* statements of the caller's have been run */
	struct dbl_tx_part *parts;
};

/* On a connection of the pool; nothing is begun yet. */
int dbl_tx_take(struct dblock_tx **, struct dbl_pool *, int64_t timeout, struct dblock_error *err);

/* On the caller's own. */
int dbl_tx_adopt(struct dblock_tx **, const char *dialect, void *handle, const char *schema,
		 const char *prefix, int64_t timeout, const struct dbl_env *,
		 struct dblock_error *err);

/* What is open on a connection of the pool is rolled back; on the caller's own it stays. NULL is
 * allowed. */
void dbl_tx_close(struct dblock_tx *);

/* now + timeout */
int64_t dbl_tx_deadline(const struct dblock_tx *);

/* Statements of ours can be run in it. DBLOCK_E_INVALID if not, and why. Also notices that a
 * transaction has been ended elsewhere. */
int dbl_tx_check_open(struct dblock_tx *, struct dblock_error *err);

int dbl_tx_begin(struct dblock_tx *, int isolation, bool read_only, struct dblock_error *err);

/* DBLOCK_E_UNSURE: the answer was lost. DBLOCK_E_CONFLICT: it was rolled back instead. Where
 * nothing is open: DBLOCK_E_INVALID. */
int dbl_tx_commit(struct dblock_tx *, struct dblock_error *err);
int dbl_tx_rollback(struct dblock_tx *, struct dblock_error *err);

/* As dbl_db_guarded(), in a transaction that is open. */
int dbl_tx_guarded(struct dblock_tx *, int (*body)(void *, struct dbl_db *, struct dblock_error *),
		   void *ctx, int64_t deadline, struct dblock_error *err);

/* Likewise, with settings of ours: each statement waits no longer than `ms` for a lock (at least a
 * second on MySQL), and MySQL's times are UTC. Two round trips more on a server. */
int dbl_tx_guarded_waiting(struct dblock_tx *, int64_t ms,
			   int (*body)(void *, struct dbl_db *, struct dblock_error *), void *ctx,
			   int64_t deadline, struct dblock_error *err);

/* From now on it hears. */
void dbl_tx_join(struct dblock_tx *, struct dbl_tx_part *);

/* All hear that it has ended. */
void dbl_tx_tell(struct dblock_tx *, enum dbl_tx_end);

#endif
