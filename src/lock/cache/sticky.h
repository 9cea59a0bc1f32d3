/* SPDX-License-Identifier: MIT */
/*
 * Sticky ownership: what was released, and nobody waits for, stays with the client for a while, as
 * an idle grant. Who acquires it meanwhile has it without a word to the database; each time with a
 * larger token, out of those that `turn` has reserved (see local.h). Inside src/lock.
 *
 *   thread            this client's memory          database
 *   acquire ------------------------------------->  granted: token 100
 *   release --------- turn ---------------------->  token 1100, thread -1: nobody waits
 *   acquire --------- idle: 101
 *   release --------- idle                                             somebody else
 *   acquire --------- idle: 102                                        asks (notifier.h)
 *   release ------------------------------------->  handed over  <-----------+
 *
 * The row's thread is -1 then, so that others know that it may be idle, and ask its client to let
 * go: who waits, and also who only tries (reclaim.h). Who cannot be heard is seen in the queue with
 * the next heartbeat. Nobody asks: it is given back when it has been idle for as long as the
 * acquire said, and when the client is closed; it ends with its session, whose deadline holds for
 * it as for any grant.
 *
 * An idle grant keeps its handle: among those that are out (held.h), as that of nobody, so that
 * all that looks after grants looks after it as well. It is idle, and taken, and let go of, under
 * locks->mutex. A thread of its own, the idle thread, gives back what is due. What was fenced is
 * not kept, nor what the database may not say that it is ours alone, for long enough.
 */
#ifndef DBL_LOCK_STICKY_H
#define DBL_LOCK_STICKY_H

#include "lock/handle/lock.h"

/* In the place of a thread, in the row: perhaps nobody. */
#define DBL_THREAD_OF_IDLE (-1)

/* For so long it is kept and taken again, in a loop, before a release asks the database again
 * whether it is ours, and nobody waits. */
#define DBL_IDLE_FRESH_US 1000000

/* So many tokens are asked for at first, each acquire takes one; and more each time that the
 * database is asked, up to a limit: tokens are microseconds, and whoever reserves more of them than
 * pass is ahead of the clock by a second before long, where nobody is given any. */
#define DBL_TOKEN_BLOCK_FIRST  1000
#define DBL_TOKEN_BLOCK_LAST   100000
#define DBL_TOKEN_BLOCK_FACTOR 8

struct dbl_entry;
struct dbl_idle_thread;

/* How many to ask for now. */
int64_t dbl_sticky_tokens(struct dblock_lock *);

/* From now on grants can be kept. False: no memory, or no thread. */
bool dbl_sticky_start(struct dbl_locks *);

/* Nothing is kept any more, and what is idle stays so. */
void dbl_sticky_stop(struct dbl_locks *);
void dbl_sticky_free(struct dbl_cache *); /* afterwards, when none is idle */

/* A grant of the database's that may be kept one day: it is known to its entry from now on. */
void dbl_sticky_begin(struct dblock_lock *, int64_t idle_for);

/* Take the idle grant of that name: no round trip. False: there is none (any more). One that does
 * not do, or is not to be kept any longer, is given back. */
bool dbl_sticky_take(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_lock **);

/* What is idle of that name is given back, for whoever comes next. */
void dbl_sticky_give_back(struct dbl_locks *, const char *name);

bool dbl_sticky_keeps(struct dbl_locks *, const char *name);

/* One that is out, and the last one to have it: idle is not what it was any more. Under
 * locks->mutex. */
void dbl_sticky_claim(struct dblock_lock *);

/* If it is idle, it is to be given back soon. Under locks->mutex. */
void dbl_sticky_hurry(struct dblock_lock *);

/* ---- under the mutex of its entry's shard ---------------------------------------------------- */

/* Nobody of us waits for it, nor others, as far as we know, and it has tokens: keep it. False: it
 * is to be released. */
bool dbl_sticky_keep(struct dblock_lock *);

/* The segment's idle grant, for that spec: no longer idle. NULL: there is none that would do. */
struct dblock_lock *dbl_sticky_revive(struct dbl_entry *, const struct dbl_acquire_spec *);

#endif
