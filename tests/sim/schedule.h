/* SPDX-License-Identifier: MIT */
/* When which coroutine runs. */
#ifndef TESTS_SIM_SCHEDULE_H
#define TESTS_SIM_SCHEDULE_H

#include "sim/world.h"

/* Let something happen at `at`. */
void schedule_event(struct world *, int64_t at, void (*happen)(struct world *, void *, uint64_t),
		    void *what, uint64_t number);

/* A thread of the process (NULL: of nobody), which begins now. */
struct coroutine *schedule_thread(struct world *, struct process *, void *(*body)(void *),
				  void *arg);

/* The running coroutine waits: until `until`, or until somebody wakes the channel (NULL: nobody
 * will). True: it was woken. */
bool schedule_wait(const void *channel, int64_t until);

/* Everybody of the process who waits at the channel goes on, now. */
void schedule_wake(struct process *, const void *channel);

/* This coroutine goes on now, if it still waits with that ticket. */
void schedule_wake_one(struct world *, struct coroutine *, uint64_t ticket);

/* Live until nothing is left to happen. */
void schedule_run(struct world *);

#define SCHEDULE_NEVER INT64_MAX

#endif
