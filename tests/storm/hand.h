/* SPDX-License-Identifier: MIT */
/* The threads of a process of the storm. */
#ifndef TESTS_STORM_HAND_H
#define TESTS_STORM_HAND_H

#include <stdatomic.h>

#include "history/recorder.h"
#include "history/resource.h"
#include "sim/random.h"
#include "storm/schedule.h"
#include "storm/storm.h"
#include "support/kit.h"

struct worker;

/* What is asked for. */
struct spec {
	int name;
	enum dblock_mode mode;
	int64_t permits, capacity;
	int64_t wait_ms; /* 0: for ever; -1: not at all */
	int64_t lease_ms, at_least_ms, idle_ms;
};

enum { PARTS = 3 }; /* of a group */

struct hand {
	struct worker *worker;
	int thread; /* 1 .. THREADS */
	struct rng rng;
	_Atomic int64_t wait;    /* the call that it is in, or whose grant it has; the first of.. */
	_Atomic int parts;       /* so many, that are one group */
	_Atomic int name[PARTS]; /* that this is about */
	_Atomic int64_t canceled; /* the call that was asked to give up */
	int64_t idle_ms;          /* it is kept for so long */
	int64_t ticket;           /* of its place in the queue, if it knows it */
	int64_t former[NAMES];    /* tokens that it has given back */
	struct dblock_error err;  /* of its last call */
};

struct worker {
	struct dblock_client *client;
	struct habits habits;
	struct recorder recorder;
	struct resource resource;
	int64_t until;
	_Atomic int64_t waits;
	_Atomic bool stop;
	struct hand hands[THREADS];
};

/* About a part of its call, and its name. */
struct event hand_event(struct hand *, int part, enum event_kind);

/* The same, with how it is wanted. */
struct event hand_event_with(struct hand *, int part, enum event_kind, const struct spec *);

/* A new call, of so many names. */
void hand_begin_call(struct hand *, const struct spec *, int parts);

/* Until when the lock is valid, at least; 0: it is not any more. */
int64_t hand_valid_until(const struct dblock_lock *);

/* Show what is protected that it has it. */
void hand_present(struct hand *, int part, int64_t token, enum dblock_mode mode,
		  const struct dblock_lock *);

/* Give it back; `wait`: the call whose release that is. Returns the outcome. */
int hand_release(struct hand *, int64_t wait, struct dblock_lock *);

/* Write what is protected in a transaction that is fenced, if the lock is had alone. Returns the
 * lock; NULL: it has been released. */
struct dblock_lock *hand_write_fenced(struct hand *, struct dblock_lock *);

/* The table for that. */
void hand_make_guard(struct dblock_client *);

int hand_is_canceled(void *hand);

/* Of a deadlock: who waits for whom, for who reads what the checker has found. */
void hand_say_why(const struct hand *, int rc);
struct spec hand_choose(struct hand *);

/* As most of the threads of its process do that share one name. */
struct spec hand_choose_alike(struct hand *);
const char *hand_name_of(int name);

/* It is for readers and writers. */
bool hand_is_shared(int name);

/* Take away what somebody has, by force or not. */
void hand_break(struct hand *);

/* What this hand no longer holds. */
void hand_release_former(struct hand *, int name);

/* Ask for several names at once. */
void hand_take_group(struct hand *);

/* Ask for a lock in some way, and do with it what can be done. */
void hand_take_turn(struct hand *);

#endif
