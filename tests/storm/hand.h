/* SPDX-License-Identifier: MIT */
/* Hands: the threads of a process of the storm. */
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

/* What a hand asks for. */
struct spec {
	int name;
	enum dblock_mode mode;
	int64_t permits, capacity;
	int64_t wait_ms; /* 0: for ever; -1: not at all */
	int64_t lease_ms, at_least_ms, idle_ms;
	int priority; /* not of a group */
};

enum { PARTS = 3 }; /* of a group */

struct hand {
	struct worker *worker;
	int thread; /* 1 .. THREADS */
	struct rng rng;
	_Atomic int64_t wait;     /* the first call that it is in, or whose grant it has */
	_Atomic int parts;        /* the number of calls, which are one group */
	_Atomic int name[PARTS];  /* the names of these calls */
	_Atomic int64_t canceled; /* the call that was asked to give up */
	uint64_t owner;           /* as whom it has the lock: its number, or 0: as its thread */
	int64_t idle_ms;          /* how long it keeps the lock idle */
	int64_t ticket;           /* of its place in the queue, if it is known */
	int64_t former[NAMES];    /* tokens of grants that it has given back */
	struct dblock_error err;  /* its last call's */
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

/* Lives as a process until then (CLOCK_BOOTTIME, us), on DBLOCK_TEST_URL. Returns the exit code. */
int worker_run(int client, uint64_t seed, int64_t until);

/* Makes an event about a part of the hand's call, and its name. */
struct event hand_event(struct hand *, int part, enum event_kind);

/* Makes one that also says how the name is wanted. */
struct event hand_event_with(struct hand *, int part, enum event_kind, const struct spec *);

/* Begins a new call, for so many names. */
void hand_begin_call(struct hand *, const struct spec *, int parts);

/* Returns until when the lock is certainly valid; 0: it is not any more. */
int64_t hand_valid_until(const struct dblock_lock *);

/* Presents the token to the protected resource. */
void hand_present(struct hand *, int part, int64_t token, enum dblock_mode mode,
		  const struct dblock_lock *);

/* Gives the lock back; `wait` is the call whose release that is. Returns the outcome. */
int hand_release(struct hand *, int64_t wait, struct dblock_lock *);

/* Writes the protected table in a fenced transaction, if the lock is exclusive. Returns the lock;
 * NULL: it has been released. */
struct dblock_lock *hand_write_fenced(struct hand *, struct dblock_lock *);

/* Makes that table. */
void hand_make_guard(struct dblock_client *);

int hand_is_canceled(void *hand);

/* After DBLOCK_DEADLOCK this prints who waits for whom, for people who read the checker's findings.
 */
void hand_say_why(const struct hand *, int rc);
struct spec hand_choose(struct hand *);

/* Chooses as most of the threads do in a process whose threads share one name. */
struct spec hand_choose_alike(struct hand *);

/* Chooses a name of fixed capacity that many want. */
struct spec hand_choose_hot(struct hand *);
const char *hand_name_of(int name);

/* Tells whether the name is for readers and writers. */
bool hand_is_shared(int name);

/* Takes a grant of somebody away, by force or not. */
void hand_break(struct hand *);

/* Stores another capacity of the semaphore that has one that is stored. */
void hand_resize(struct hand *);

/* Does so first of all. */
void hand_make_stored(struct dblock_client *);

/* Makes all who wait for such a name count as if they had joined earlier. Returns the call of one who comes too
 * late to pass them. */
struct spec hand_age(struct hand *);

/* Releases, by its token, a grant that this hand no longer holds. */
void hand_release_former(struct hand *, int name);

/* Asks for several names at once; or for any one of several. */
void hand_take_group(struct hand *);
void hand_take_any(struct hand *);

/* Takes of a rate, or is refused. */
void hand_take_rate(struct hand *);

/* Chooses different names, in order. Returns how many. */
int hand_choose_names(struct hand *, struct spec specs[PARTS]);

/* Has got its call's lock: does with it what can be done, and releases it. */
void hand_hold(struct hand *, const struct spec *, struct dblock_lock *);

/* Asks for a lock in some way, and does with it what can be done. */
void hand_take_turn(struct hand *);

#endif
