/* SPDX-License-Identifier: MIT */
/*
 * A double barrier: nobody is in before all n parties are, and nobody is out before all want to be. A party is a permit
 * of a semaphore of n, so there are never more; it lives with its session, and is seen to be dead as any holder is. Its
 * value says in which generation it has arrived, and where it is to be rung.
 *
 *                all have arrived              all want to leave
 *     gathering ------------------> inside -----------------------> gathering
 *     2 k         generation passes  2 k + 1   generation passes    2 k + 2
 *         |                             |                              ^
 *         +-----------------------------+------------------------------+
 *             a party has gone, or gives up: it is broken
 *
 * What decides is one row (countdown.h): its generation goes on by compare-and-set only, whoever does that, and `passed` says
 * whether the last one was broken. So all of a generation hear the same:
 *   - it passes once n living permits have been seen that had arrived in it. Who sees them moves the row. (Who dies
 *     between the two has died after it passed.)
 *   - who gives up breaks it first, by the same statement. If that comes too late it has passed, for this party as well.
 *   - who sees that a party has gone breaks it: fewer have arrived than before; or fewer than n are there, inside.
 * A permit is kept from before the party arrives until it is out. So while it is held, and the party still stands at
 * generation g, no generation above g passes: then `passed` is g if and only if that passed.
 */
#ifndef DBL_LOCK_BARRIER_H
#define DBL_LOCK_BARRIER_H

#include "lock/handle/lock.h"
#include "lock/queue/failure_detector.h"
#include "lock/recipes/bell.h"
#include "lock/recipes/countdown.h"

struct dblock_barrier {
	struct dbl_bell bell; /* its lock is the permit */
	int64_t size, generation;
	int64_t arrived; /* so many have been seen in this generation; 0: it is new */
	struct dbl_queue queue;
	struct dbl_detector detector;
	struct dbl_vigil vigil;
	char name[DBL_NAME_MAX + 1];
};

/* Wait for a place, and until all are in. The spec has the name, how long, and who may cancel. DBLOCK_BROKEN: somebody
 * has gone or given up; DBLOCK_LOST: this party was taken for dead; after DBLOCK_TIMEOUT and DBLOCK_CANCELED the others
 * are told that it is broken. *out: NULL unless 0. */
int dbl_barrier_enter(struct dbl_locks *, const struct dbl_acquire_spec *, int64_t size,
		      struct dblock_barrier **out, struct dblock_error *err);

/* Wait until all want to leave, likewise. The handle is gone, whatever this returns. */
int dbl_barrier_leave(struct dblock_barrier *, const struct dbl_acquire_spec *,
		      struct dblock_error *err);

#endif
