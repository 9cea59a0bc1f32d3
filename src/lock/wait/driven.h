/* SPDX-License-Identifier: MIT */
/* The public wait: an acquire that its caller drives step by step. It copies what it needs. */
#ifndef DBL_LOCK_DRIVEN_H
#define DBL_LOCK_DRIVEN_H

#include "lock/wait/wait.h"

struct dblock_wait {
	struct dbl_wait wait;
	struct dbl_acquire_spec spec;
	struct dblock_wait *next; /* in locks->driven, under locks->mutex */
	atomic_flag inside;       /* a thread is in a step */
	int64_t began;            /* on env->now() */
	int outcome;              /* DBLOCK_WAITING: there is none yet */
	char texts[];             /* the name and the value */
};

/* Creates a wait, which dbl_driven_free() frees. No round trip. */
int dbl_driven_new(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_wait **,
		   struct dblock_error *err);

/* Returns a descriptor that is readable when a step is due. The wait owns it. */
int dbl_driven_fd(const struct dblock_wait *);

/* As dbl_wait_step(), but err is also written for DBLOCK_WAITING. DBLOCK_E_INVALID, and nothing is
 * done, if another thread is in a step or there has been an outcome. */
int dbl_driven_step(struct dblock_wait *, struct dblock_lock **, struct dblock_error *err);

/* Makes steps, and sleeps between them, until there is an outcome. */
int dbl_driven_finish(struct dblock_wait *, struct dblock_lock **, struct dblock_error *err);

/* The first makes a step of each wait due, the second says whether there is a wait. The caller has
 * locks->mutex. */
void dbl_driven_wake_all(struct dbl_locks *);
bool dbl_driven_any(const struct dbl_locks *);

/* No thread may be in a step any more. */
void dbl_driven_free(struct dblock_wait *);

#endif
