/* SPDX-License-Identifier: MIT */
/* The public wait, which its caller drives step by step: here an acquire, in begun.h a call that a
 * worker makes. It copies what it needs. */
#ifndef DBL_LOCK_DRIVEN_H
#define DBL_LOCK_DRIVEN_H

#include "lock/wait/wait.h"

struct dbl_driven_kind {
	/* Does what is due; err is written for DBLOCK_WAITING, too. */
	int (*step)(struct dblock_wait *, struct dblock_lock **, struct dblock_error *err);
	void (*cancel)(struct dblock_wait *); /* also in a signal handler */
	void (*end)(struct dblock_wait *);    /* and free it, with its alarm */
};

struct dblock_wait {
	const struct dbl_driven_kind *kind;
	struct dbl_locks *locks;
	const char *name;
	int alarm;
	struct dblock_wait *next; /* in locks->driven, under locks->mutex */
	atomic_flag inside;       /* a thread is in a step */
	int outcome;              /* DBLOCK_WAITING: there is none yet */
};

/* Creates an acquire, which dbl_driven_free() frees. No round trip. */
int dbl_driven_new(struct dbl_locks *, const struct dbl_acquire_spec *, struct dblock_wait **,
		   struct dblock_error *err);

/* Copies a spec for a call that its thread does not wait for, to texts with so much room: who names
 * no owner is one of his own. */
size_t dbl_driven_room(const struct dbl_acquire_spec *);
void dbl_driven_copy(struct dbl_acquire_spec *, const struct dbl_acquire_spec *from, char *texts);

/* Makes an alarm for the wait, and begins it. False: no descriptor is left. */
bool dbl_driven_begin(struct dblock_wait *, const struct dbl_driven_kind *, struct dbl_locks *,
		      const char *name);

/* From now on the client cannot be closed. */
void dbl_driven_add(struct dblock_wait *);

/* As dbl_wait_step(), or the other call's outcome, but err is also written for DBLOCK_WAITING.
 * DBLOCK_E_INVALID, and nothing is done, if another thread is in a step or there has been an outcome. */
int dbl_driven_step(struct dblock_wait *, struct dblock_lock **, struct dblock_error *err);

/* Makes steps, and sleeps between them, until there is an outcome. */
int dbl_driven_finish(struct dblock_wait *, struct dblock_lock **, struct dblock_error *err);

/* The first makes a step of each wait due, the second says whether there is a wait. The caller has
 * locks->mutex. */
void dbl_driven_wake_all(struct dbl_locks *);
bool dbl_driven_any(const struct dbl_locks *);

void dbl_driven_cancel(struct dblock_wait *);

/* No thread may be in a step any more. */
void dbl_driven_free(struct dblock_wait *);

#endif
