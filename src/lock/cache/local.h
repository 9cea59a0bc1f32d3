/* SPDX-License-Identifier: MIT */
/*
 * Local first: threads of one client that want the same name in mode exclusive wait for each other
 * in memory. The first of them asks the database, and its grant goes from thread to thread, first
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
 * The row of the lock has the largest token of the turns that are reserved, so whatever is granted
 * after that grant, however it ends, is above all of them; and every statement about the grant
 * names it by the row's token (dbl_row_token()). The row then names no thread, so that a search
 * for deadlocks does not take a grant that has been passed on for the first thread's.
 *
 * The grant is passed on only while no other client waits, as far as we know: the operation `turn`
 * looks at the queue, once in so many turns, and each tenth of a second; a client that joins the
 * queue of a lock whose row names no thread tells the holder by a datagram (notifier.h); and each
 * heartbeat looks. Nor is it passed on when a transaction has fenced it, when its holder was asked
 * to let go, or when it is not valid for long. A thread that has waited a second in memory goes to
 * the database's queue itself: there other clients see it, and a deadlock is found.
 */
#ifndef DBL_LOCK_LOCAL_H
#define DBL_LOCK_LOCAL_H

#include "lock/handle/lock.h"

struct dbl_local;

/* How long a thread waits in memory before it joins the database's queue, where others see it. */
#define DBL_LOCAL_WAIT_US 1000000

/* How long a grant is passed on without asking the database: after that, we hear of a waiter that
 * cannot send us datagrams, and of a break. */
#define DBL_LOCAL_FRESH_US 100000

/* NULL: no memory. */
struct dbl_local *dbl_local_new(void);
void dbl_local_free(struct dbl_local *);

/* True for a call that blocks, and wants an exclusive lock with nothing else. */
bool dbl_local_applies(const struct dbl_locks *, const struct dbl_acquire_spec *);

/* As dbl_lock_wait(), for a caller that does not hold the lock yet; `ask` asks the database. */
int dbl_local_wait(struct dbl_locks *, const struct dbl_acquire_spec *, dbl_acquire_fn *ask,
		   struct dblock_lock **, struct dblock_error *err);

enum dbl_stay {
	DBL_STAYS_NOT,
	DBL_PASSED_ON, /* the next thread has it, and the old handle is not out any more */
	DBL_STAYS_IDLE /* it is kept idle (sticky.h), and the handle is the client's */
};

/* Called for a handle's last release: keep its grant with this client, if it may stay. */
enum dbl_stay dbl_local_stay(struct dblock_lock *);

/* The grant has been released: let those who wait in memory go on. Before its handle is freed. */
void dbl_local_released(struct dblock_lock *);

/* The calling thread is about to wait in the database's queue: write its name into the rows of what
 * it holds in turns, for the search for deadlocks. A round trip for each of them. */
int dbl_local_name(struct dbl_locks *, int64_t deadline, struct dblock_error *err);

/* Wake all threads that wait in memory, so that each looks whether it is still to wait. */
void dbl_local_wake_all(struct dbl_locks *);

/* Make the row's token the handle's, and pass the grant on no more: others are to see the token. */
void dbl_local_use_row_token(struct dblock_lock *);

/* Another client waits for the grant whose row has that token: pass it on no more. */
void dbl_local_wanted(struct dbl_locks *, int64_t token);

/* Look whether anybody waits for what is held in turns; called after each heartbeat. */
void dbl_local_look(struct dbl_locks *, struct dbl_link *, int64_t deadline);

#endif
