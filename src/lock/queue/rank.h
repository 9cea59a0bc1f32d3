/* SPDX-License-Identifier: MIT */
/*
 * The order of a queue in which somebody has a priority. Inside src/lock.
 *
 * Who waits is ranked by when he joined, DBLOCK_PRIORITY_AGE_MS earlier for each step of priority: so a wait of
 * class c is passed only by those of a class d above it who join within (d - c) times that, which nobody can
 * extend. Priorities need not be counted up for that, as nothing but the start counts (a static form of ageing:
 * Silberschatz, Galvin and Gagne, Operating System Concepts, 5.3.4). Tickets say what the clock may not: nobody has
 * joined later than one with a larger ticket, whatever the clock said then. So within a class, and without
 * priorities, it is first come, first served.
 */
#ifndef DBL_LOCK_RANK_H
#define DBL_LOCK_RANK_H

#include <dblock/lock.h>

#include "lock/queue/queue_rows.h"

/* Of what somebody may have written into the table. */
static inline int64_t dbl_priority_within(int64_t priority)
{
	if (priority < DBLOCK_PRIORITY_MIN)
		return DBLOCK_PRIORITY_MIN;
	return priority > DBLOCK_PRIORITY_MAX ? DBLOCK_PRIORITY_MAX : priority;
}

/* Brings the rows that wait, which come by ticket, into that order. The SQL of places and of deadlocks has the same
 * one, but for waits that joined before the clock was set back. */
void dbl_rank(struct dbl_queue *);

#endif
