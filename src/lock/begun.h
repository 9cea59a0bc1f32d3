/* SPDX-License-Identifier: MIT */
/*
 * The public wait: a call that was begun, and that its caller drives step by step, mostly from an
 * event loop. No step waits for the database: a worker of the client asks it, and rings the wait's
 * alarm when there is something to see.
 *
 *      caller                                     worker
 *      begin (of an acquire: idle, and due)
 *      step, as it is due ----------------------> go on
 *      step: DBLOCK_WAITING                         | with an outcome: ring; without one: the alarm
 *      step: the outcome <--------------------------+ is set to when it is due again
 *      end, before the outcome -----------------> go on, give back what it got, and free it
 *
 * What is begun: begun_acquire.c, begun_calls.c.
 */
#ifndef DBL_LOCK_BEGUN_H
#define DBL_LOCK_BEGUN_H

#include "base/workers.h"
#include "lock/core/acquire_spec.h"
#include "lock/core/context.h"

struct dbl_begun_kind {
	const char *what; /* in messages */
	/* Asks the database. DBLOCK_WAITING, with `why`: to be called again at due_at(). */
	int (*go_on)(struct dblock_wait *, struct dblock_lock **got, struct dblock_error *why);
	/* These are NULL but for an acquire. The first two are called under the mutex. */
	int64_t (*due_at)(const struct dblock_wait *);
	void (*alarm_is_closed)(struct dblock_wait *);
	void (*cancel)(struct dblock_wait *); /* also in a signal handler */
	void (*fini)(struct dblock_wait *);   /* may ask the database, if there was no outcome */
};

struct dblock_wait {
	const struct dbl_begun_kind *kind;
	struct dbl_locks *locks;
	const char *name;
	struct dbl_job job;
	bool calls_back;    /* a worker calls functions of the caller's for it */
	atomic_flag inside; /* a thread is in a step */
	bool over;          /* the caller has the outcome */
	atomic_bool canceled;
	/* Under locks->mutex: */
	struct dblock_wait *next; /* in locks->begun */
	int alarm;
	bool busy;  /* a worker has it, or is about to; what follows is its */
	bool ended; /* by its caller, while it was busy: the worker frees it */
	int outcome;
	struct dblock_lock *got;
	struct dblock_error why;
};

/* ---- beginning: for what is begun ------------------------------------------------------------ */

/* Copies a spec to texts with so much room: who names no owner is one of his own. */
size_t dbl_begun_room(const struct dbl_acquire_spec *);
void dbl_begun_copy(struct dbl_acquire_spec *, const struct dbl_acquire_spec *from, char *texts);

/* Begins a wait whose memory is zeroed, and the caller's; the spec is its copy. DBLOCK_E_NOMEM: no
 * memory, descriptor or thread is left. */
int dbl_begun_init(struct dblock_wait *, const struct dbl_begun_kind *, struct dbl_locks *,
		   const struct dbl_acquire_spec *, struct dblock_error *err);

/* The caller has it from now on, and the client cannot be closed. It is busy, and a worker goes on
 * with it; or it has an outcome already; or else its first step is due. */
void dbl_begun_add(struct dblock_wait *);

/* ---- being driven ---------------------------------------------------------------------------- */

/* The outcome, or DBLOCK_WAITING, with err. DBLOCK_E_INVALID, and nothing is done: another thread is
 * in a step, or there has been an outcome. Does not block. */
int dbl_begun_step(struct dblock_wait *, struct dblock_lock **, struct dblock_error *err);

/* Goes on in this thread, and sleeps, until there is an outcome. */
int dbl_begun_finish(struct dblock_wait *, struct dblock_lock **, struct dblock_error *err);

/* What it has not brought yet, it will not bring any more. Also in a signal handler. */
void dbl_begun_cancel(struct dblock_wait *);

/* No thread may be in a step any more. Does not block, unless it calls back: then until all that it
 * still does is done. */
void dbl_begun_end(struct dblock_wait *);

/* The first makes a step of each wait due, the second says for which name there is one; NULL: there
 * is none. The caller has locks->mutex. */
void dbl_begun_wake_all(struct dbl_locks *);
const char *dbl_begun_any(const struct dbl_locks *);

#endif
