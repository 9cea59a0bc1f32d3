/* SPDX-License-Identifier: MIT */
/*
 * Sticky ownership: a grant that was released, and that nobody waits for, stays with the client for
 * a while, idle. A thread that acquires the name takes it without asking the database, each time
 * with a larger token, out of those that `turn` has reserved (local.h). Inside src/lock.
 *
 *   thread            this client's memory          database
 *   acquire ------------------------------------->  granted: token 100
 *   release --------- turn ---------------------->  token 1100, thread -1: nobody waits
 *   acquire --------- idle: 101
 *   release --------- idle                                             somebody else
 *   acquire --------- idle: 102                                        asks (notifier.h)
 *   release ------------------------------------->  handed over  <-----------+
 *
 * The row's thread is -1 then, so that other clients know that the grant may be idle, and ask its
 * client to give it back: those that wait, and those that only try (reclaim.h). A waiter whose
 * datagrams do not arrive is seen in the queue with the next heartbeat. If nobody asks, the grant
 * is given back once it has been idle for as long as the acquire said, or when the client is
 * closed; it ends with its session, whose deadline holds for it as for any grant.
 *
 * An idle grant keeps its handle, which stays out (held.h) without an owner, so that all that looks
 * after grants looks after it as well. It becomes idle, is taken and is given back under
 * locks->mutex. The idle thread gives back what is due. A grant that was fenced is not kept.
 */
#ifndef DBL_LOCK_STICKY_H
#define DBL_LOCK_STICKY_H

#include "lock/handle/lock.h"

/* What a row says instead of a thread, where the grant may be idle. */
#define DBL_THREAD_OF_IDLE (-1)

/* How long a grant may become idle and be taken again before a release asks the database whether it
 * is still ours, and nobody waits. */
#define DBL_IDLE_FRESH_US 1000000

/* The size of a token block, from which each acquire takes one: the first block, and by how much
 * and up to what size the following ones grow. Tokens are microseconds: a client that reserves more
 * of them than pass is soon a second ahead of the clock, and then it is given none. */
#define DBL_TOKEN_BLOCK_FIRST  1000
#define DBL_TOKEN_BLOCK_LAST   100000
#define DBL_TOKEN_BLOCK_FACTOR 8

struct dbl_entry;
struct dbl_idle_thread;

/* The size of the next token block; each call makes it larger. */
int64_t dbl_sticky_tokens(struct dblock_lock *);

/* Start the idle thread, if it does not run. False: no memory, no thread, or the client closes. */
bool dbl_sticky_start(struct dbl_locks *);

/* Stop the idle thread: from now on no grant becomes idle, and those that are stay so. */
void dbl_sticky_stop(struct dbl_locks *);
void dbl_sticky_free(struct dbl_cache *); /* after that, once no grant is idle */

/* Let a new grant be kept idle after its release: its entry knows it from now on. */
void dbl_sticky_begin(struct dblock_lock *, int64_t idle_for);

/* Take the idle grant of that name; no round trip. False: there is none, or it does not suit the
 * spec, and was given back. */
bool dbl_sticky_take(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_lock **);

/* Give back the idle grant of that name, if there is one. */
void dbl_sticky_give_back(struct dbl_locks *, const char *name);

/* True: this client has an idle grant of that name. */
bool dbl_sticky_keeps(struct dbl_locks *, const char *name);

/* If the grant is idle, it is the caller's from now on. Under locks->mutex. */
void dbl_sticky_claim(struct dblock_lock *);

/* If the grant is idle, let the idle thread give it back now. Under locks->mutex. */
void dbl_sticky_hurry(struct dblock_lock *);

/* ---- under the mutex of its entry's shard ---------------------------------------------------- */

/* Keep a grant idle that has tokens left, and that nobody waits for as far as we know. False: it is
 * to be released. */
bool dbl_sticky_keep(struct dblock_lock *);

/* Take the entry's idle grant. NULL: there is none that suits the spec. */
struct dblock_lock *dbl_sticky_revive(struct dbl_entry *, const struct dbl_acquire_spec *);

#endif
