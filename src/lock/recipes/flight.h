/* SPDX-License-Identifier: MIT */
/*
 * Single flight: a result that many ask for, and one makes. Of the threads of a process that ask
 * for one key, one is the leader of a flight (flight_lead.c) and the others are its followers
 * (flight.c): they wait in memory, and cost the database nothing.
 *
 * A leader takes the key's lock in mode exclusive, makes the result, writes it to its table and
 * releases the lock. The leaders of other processes ask for it in mode shared, so they are granted
 * it at once when it is released, and read the result. If there is nothing new then, the maker has
 * failed or died, and they ask for the lock in mode exclusive.
 *
 * The results that count are those that were published after the call came. Between processes the
 * tokens alone tell: of two results of a key the later has the larger token, so a result is new if
 * its token is larger than that of the one that was there when we came. No clock is asked.
 */
#ifndef DBL_LOCK_FLIGHT_H
#define DBL_LOCK_FLIGHT_H

#include "lock/core/cancel.h"
#include "lock/handle/lock.h"
#include "lock/recipes/result.h"

struct dbl_flight_call {
	struct dbl_acquire_spec spec; /* for the key's lock; its mode does not matter */
	int64_t fresh;                /* us: a result that was begun no longer ago will do */
	dblock_make_fn *make;
	void *arg;
};

/* 0: *out is a share of the result. Else what `make` returned, or as dbl_lock_wait(). */
int dbl_flight(struct dbl_locks *, const struct dbl_flight_call *, struct dblock_result **out,
	       struct dblock_error *err);

/* ---- inside --------------------------------------------------------------------------------- */

/* A thread that waits for the leader of its flight. */
struct dbl_follower {
	struct dbl_follower *next;
	uint64_t thread;
};

/* A flight of one key. A call joins only one that wants its result as fresh as the call does. */
struct dbl_flight {
	struct dbl_flight *next; /* in locks->flights, until it is complete */
	struct dbl_locks *locks;
	int64_t fresh; /* us: what its first call wanted; no other one wants a fresher result */
	struct dbl_cond news;
	struct dbl_sleeper sleeper; /* by which dbl_shutdown() finds `news` */
	/* Under locks->mutex: */
	uint64_t leader; /* its thread; 0: the leader has gone, and a follower takes over */
	unsigned callers;
	struct dbl_follower *followers;
	bool making; /* its leader has the lock, and calls the function */
	bool completed;
	/* The leader writes these before it completes the flight: */
	int rc;
	struct dblock_error why;
	struct dblock_result *result;
	bool read;     /* the result was read from the database, ... */
	bool is_fresh; /* ... and is as fresh as the flight wants it */
	int64_t made;  /* it was not in the database before this time of our own clock */
	char name[];
};

/* Lead the flight. 0: it is complete, with a result or an error. Else it is not, and *err why. */
int dbl_flight_lead(struct dbl_flight *, const struct dbl_flight_call *, struct dblock_error *err);

/* Complete the flight, with its result or an error: its followers wake, and take that. */
void dbl_flight_complete(struct dbl_flight *, int rc);

#endif
