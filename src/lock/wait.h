/* SPDX-License-Identifier: MIT */
/*
 * One acquire that waits: a machine that is driven step by step, by a thread that sleeps between
 * the steps (acquire.c), or by a loop of the caller's.
 *
 *              free                 not free               row is there
 *       ASK ---------> granted  ASK ---------> ENQUEUE ------------------> ANNOUNCE
 *                                                 ^                            |
 *                      our session or our place   |                            | said
 *                      in line is gone            |                            v
 *                                                 +------------------------- WATCH --> granted
 *                                                                           rung, or seen
 *
 * From ENQUEUE on it is in line, until it is granted or leaves: canceled, out of time, or failed.
 * While it watches it needs no statement to be woken; all the same it looks once a second (more
 * often where nobody can ring), and when the holder may be over. Inside src/lock.
 */
#ifndef DBL_LOCK_WAIT_H
#define DBL_LOCK_WAIT_H

#include "lock/attempt.h"
#include "lock/bells.h"
#include "lock/progress.h"

struct dbl_wait {
	struct dbl_attempt attempt;
	struct dbl_waiter waiter;
	struct dbl_debt *debt; /* to note what an enqueue may leave behind */
	struct dbl_sm phase;
	struct dbl_progress progress;
	int64_t ticket; /* 0: not in line */
	int64_t asked;  /* before the last statement was sent that found us not granted */
	int64_t poll;   /* pause between two looks */
	int64_t next;   /* when to go on, unless woken */
	int64_t unsure_until; /* each enqueue's answer has been lost: give up then; 0: none has */
	bool rings;     /* who has it now can wake us */
	bool looked;    /* however short the wait: it has tried all that a try does */
};

/* A step's outcome where it is not over: go on at wait->next, or when woken. */
#define DBL_WAITING DBLOCK_BUSY

/* The wish, and its name, must outlive the wait. No round trip. */
int dbl_wait_begin(struct dbl_wait *, struct dbl_locks *, const struct dbl_wish *,
		   struct dblock_error *err);

/* Go one step, about one round trip. DBL_WAITING, or the outcome; *out is the handle if that is 0.
 * After an outcome it is not in line any more. */
int dbl_wait_step(struct dbl_wait *, struct dblock_lock **out, struct dblock_error *err);

/* Sleep until it is time for the next step, in pieces of at most 100 ms if the caller wants to be
 * asked whether it is canceled. */
void dbl_wait_sleep(struct dbl_wait *);

/* Out of line, if it still is in it; frees what it has. */
void dbl_wait_end(struct dbl_wait *);

#endif
