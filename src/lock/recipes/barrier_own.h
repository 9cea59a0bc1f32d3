/* SPDX-License-Identifier: MIT */
/* What the files of a barrier share: barrier.c arrives, and barrier_wait.c waits for the others. */
#ifndef DBL_LOCK_BARRIER_OWN_H
#define DBL_LOCK_BARRIER_OWN_H

#include "lock/recipes/barrier.h"

/* A wait of a party for the end of its generation. */
struct dbl_barrier_wait {
	struct dblock_barrier *b;
	struct dbl_locks *locks;
	const struct dbl_acquire_spec *spec;
	bool declared; /* somebody was declared dead just now: look again at once */
	bool watches;  /* one of the first two */
};

/* Others are inside at that generation. */
static inline bool dbl_barrier_is_inside(int64_t generation)
{
	return generation % 2 != 0;
}

/* Move the row on, if it still is at that generation, and ring. */
int dbl_barrier_move(const struct dbl_barrier_wait *, int64_t generation, bool passes,
		     const char *what, struct dblock_error *err);

/* What to do after such a statement: DBLOCK_WAITING: look; else the database has failed, and does not pass in time. */
int dbl_barrier_after(const struct dbl_barrier_wait *, int rc);

/* Wait until the party's generation has come to its end. */
int dbl_barrier_await(struct dbl_barrier_wait *, struct dblock_error *err);

#endif
