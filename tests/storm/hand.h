/* SPDX-License-Identifier: MIT */
/* The threads of a process of the storm. */
#ifndef TESTS_STORM_HAND_H
#define TESTS_STORM_HAND_H

#include <stdatomic.h>

#include "history/recorder.h"
#include "history/resource.h"
#include "sim/random.h"
#include "storm/storm.h"
#include "support/kit.h"

struct worker;

struct hand {
	struct worker *worker;
	int thread; /* 1 .. THREADS */
	struct rng rng;
	_Atomic int64_t wait;     /* the call that it is in, or whose grant it has */
	_Atomic int name;         /* that this is about */
	_Atomic int64_t canceled; /* the call that was asked to give up */
	int64_t ticket;           /* of its place in line, if it knows it */
	int64_t former[NAMES];    /* tokens that it has given back */
};

struct worker {
	struct dblock_client *client;
	struct recorder recorder;
	struct resource resource;
	int64_t until;
	_Atomic int64_t waits;
	_Atomic bool stop;
	struct hand hands[THREADS];
};

/* About its call, and its name. */
struct event hand_event(struct hand *, enum event_kind);

/* Ask for a lock in some way, and do with it what can be done. */
void hand_take_turn(struct hand *);

#endif
