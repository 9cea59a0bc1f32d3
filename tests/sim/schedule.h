/* SPDX-License-Identifier: MIT */
/* The scheduler decides which coroutine runs when. */
#ifndef TESTS_SIM_SCHEDULE_H
#define TESTS_SIM_SCHEDULE_H

#include "sim/world.h"

/* Lets something happen at `at`. */
void schedule_event(struct world *, int64_t at, void (*happen)(struct world *, void *, uint64_t),
		    void *what, uint64_t number);

/* Makes a thread of the process (NULL: of nobody), which begins now. */
struct coroutine *schedule_thread(struct world *, struct process *, void *(*body)(void *),
				  void *arg);

/* The running coroutine waits until `until`, or until somebody wakes the channel (NULL: nobody
 * will). Returns true if it was woken. */
bool schedule_wait(const void *channel, int64_t until);

/* All coroutines of the process that wait at the channel go on, now. */
void schedule_wake(struct process *, const void *channel);

/* This coroutine goes on now, if it still waits with that ticket. */
void schedule_wake_one(struct world *, struct coroutine *, uint64_t ticket);

/* Runs the world until nothing is left to happen. */
void schedule_run(struct world *);

#define SCHEDULE_NEVER INT64_MAX

#endif
