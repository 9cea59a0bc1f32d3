/* SPDX-License-Identifier: MIT */
/*
 * Local first: threads of one client that want the same name alone wait for each other in memory.
 * The first of them asks the database, and what it was granted goes from thread to thread, first
 * come, first served, each turn with a larger token of its own. Inside src/lock.
 *
 *   thread 1                     thread 2, 3, ...                  database
 *   acquire --------------------------------------------------->   granted: token 100
 *                                acquire: in memory, in the queue
 *   release: turn -------------------------------------------->    token 164: nobody else waits
 *     passes it on: 101 ------>  has it
 *                                release: passes it on: 102 ...
 *                                ... 164, release: turn ------>    token 228: nobody else waits
 *
 * The row of the lock has the largest token of the turns that are reserved, so whatever comes after
 * that grant, however it ends, is above all of them; and all that asks the database about the grant
 * asks by the row's token (dbl_row_token()). It names no thread then, so that a grant that has been
 * passed on is not taken for the first thread's by who looks for deadlocks.
 *
 * It is passed on only as long as nobody else waits, as far as we know: `turn` asks the queue, once
 * in so many turns, and each tenth of a second; who joins the queue of a lock that names no thread
 * tells its holder, by a datagram (notifier.h); and each heartbeat looks. Nor when it has a stake
 * in a transaction, was asked for, or has not long to live. Who has waited a second in memory goes
 * to the database's queue itself: there others see him, and a deadlock is found.
 */
#ifndef DBL_LOCK_LOCAL_H
#define DBL_LOCK_LOCAL_H

#include "lock/handle/lock.h"

struct dbl_local;

/* For who waits no longer than that it is no use to be in a queue that the database knows. */
#define DBL_LOCAL_WAIT_US 1000000

/* And no longer than that it is passed on without a word to the database: whoever cannot tell us is
 * heard of then, and who has broken it. */
#define DBL_LOCAL_FRESH_US 100000

/* NULL: no memory. */
struct dbl_local *dbl_local_new(void);
void dbl_local_free(struct dbl_local *);

/* A call that waits, and wants nothing out of the ordinary. */
bool dbl_local_applies(const struct dbl_locks *, const struct dbl_acquire_spec *);

/* As dbl_lock_wait(), for who has it not yet; `ask` does that where the database is to be asked. */
int dbl_local_wait(struct dbl_locks *, const struct dbl_acquire_spec *, dbl_acquire_fn *ask,
		   struct dblock_lock **, struct dblock_error *err);

enum dbl_stay {
	DBL_STAYS_NOT,
	DBL_PASSED_ON, /* to the next thread: the handle is out no more */
	DBL_STAYS_IDLE /* idle: see sticky.h. The handle is the client's */
};

/* Instead of a release, if the last acquire of the handle is given back, and nothing keeps it. */
enum dbl_stay dbl_local_stay(struct dblock_lock *);

/* What a handle was granted has been released: whoever waits in memory goes on. Before the handle
 * is freed. */
void dbl_local_released(struct dblock_lock *);

/* The thread is about to wait in a queue: what it holds in turns is to bear its name. */
int dbl_local_name(struct dbl_locks *, int64_t deadline, struct dblock_error *err);

/* Whoever waits in memory looks whether it still is to. */
void dbl_local_wake_all(struct dbl_locks *);

/* The grant is going to be known by its token: that becomes the row's. */
void dbl_local_use_row_token(struct dblock_lock *);

/* Somebody waits for the grant whose row has that token. */
void dbl_local_wanted(struct dbl_locks *, int64_t token);

/* Rides with the heartbeat: does anybody wait for what is held in turns? */
void dbl_local_look(struct dbl_locks *, struct dbl_link *, int64_t deadline);

#endif
