/* SPDX-License-Identifier: MIT */
/*
 * A result that many ask for, and one makes. Of the threads of a process that ask for one key, one
 * flies (flight_lead.c) and the others are followers (flight.c): they wait in memory, and cost the
 * database nothing.
 *
 * Who flies takes the lock of the key alone, makes the result, writes it to its table and lets go;
 * who cannot have it asks for it shared, so all those are granted at once when it is let go, and
 * reads. If there is nothing new then, the one before has failed or died: it wants the lock alone.
 *
 * Which results count: those that were published after the call came. Between processes that is
 * told by tokens alone: of two results of a key the later has the larger token, so it is new if its
 * token is larger than the one that was there when we came. No clock is asked.
 */
#ifndef DBL_LOCK_FLIGHT_H
#define DBL_LOCK_FLIGHT_H

#include "lock/core/cancel.h"
#include "lock/handle/lock.h"
#include "lock/recipes/result.h"

struct dbl_flight_call {
	struct dbl_acquire_spec spec; /* for its lock; the mode is not asked */
	int64_t fresh;                /* us: a result whose making began so long ago is good */
	dblock_make_fn *make;
	void *arg;
};

/* 0: *out is a share of the result. What `make` said, if not 0; or as dbl_lock_wait(). */
int dbl_flight(struct dbl_locks *, const struct dbl_flight_call *, struct dblock_result **out,
	       struct dblock_error *err);

/* ---- inside --------------------------------------------------------------------------------- */

/* A thread that waits for what another one flies. */
struct dbl_follower {
	struct dbl_follower *next;
	uint64_t thread;
};

/* Nobody boards one that would be content with what is too old for him. */
struct dbl_flight {
	struct dbl_flight *next; /* in locks->flights, until it is complete */
	struct dbl_locks *locks;
	int64_t fresh; /* us: that of who began it; nobody on it wants it fresher */
	struct dbl_cond news;
	struct dbl_sleeper sleeper; /* on it */
	/* Under locks->mutex: */
	uint64_t leader; /* thread; 0: nobody any more, a follower takes over */
	unsigned callers;
	struct dbl_follower *followers;
	bool making; /* its leader has the lock, and calls the function */
	bool completed;
	/* Written by the leader before it completes: */
	int rc;
	struct dblock_error why;
	struct dblock_result *result;
	bool read;     /* it comes from the database, */
	bool is_fresh; /* where it was before, but is fresh enough; */
	int64_t made;  /* or where it was not before that time of our own clock */
	char name[];
};

/* Fly it: it lands, or what kept it from that is this thread's own affair. */
int dbl_flight_lead(struct dbl_flight *, const struct dbl_flight_call *, struct dblock_error *err);

/* How it ended is known: whoever is on it may go. */
void dbl_flight_complete(struct dbl_flight *, int rc);

#endif
