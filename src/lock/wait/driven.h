/* SPDX-License-Identifier: MIT */
/* The public wait: an acquire that its caller drives, step by step, with copies of what it needs.
 */
#ifndef DBL_LOCK_DRIVEN_H
#define DBL_LOCK_DRIVEN_H

#include "lock/wait/wait.h"

struct dblock_wait {
	struct dbl_wait wait;
	struct dbl_acquire_spec spec;
	struct dblock_wait *next; /* in locks->driven, under locks->mutex */
	atomic_flag inside;       /* a thread is in a step */
	int outcome;              /* DBLOCK_WAITING: none yet */
	char texts[];             /* the name and the value */
};

/* No round trip. */
int dbl_driven_new(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_wait **,
		   struct dblock_error *err);

/* Readable when a step is due; the wait's. */
int dbl_driven_fd(const struct dblock_wait *);

/* As dbl_wait_step(); DBLOCK_WAITING has its words, too. DBLOCK_E_INVALID, and nothing done, if
 * another thread is inside or there has been an outcome. */
int dbl_driven_step(struct dblock_wait *, struct dblock_lock **, struct dblock_error *err);

/* Step, and sleep between the steps, to the outcome. */
int dbl_driven_finish(struct dblock_wait *, struct dblock_lock **, struct dblock_error *err);

/* Under the mutex: each of them is due, and there is one. */
void dbl_driven_wake_all(struct dbl_locks *);
bool dbl_driven_any(const struct dbl_locks *);

/* No thread is inside any more. */
void dbl_driven_free(struct dblock_wait *);

#endif
