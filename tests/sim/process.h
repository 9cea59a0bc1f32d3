/* SPDX-License-Identifier: MIT */
/* A process: threads, memory, a clock, and (mostly) one dblock client. It can be stopped, and it
 * can be killed at any moment. */
#ifndef TESTS_SIM_PROCESS_H
#define TESTS_SIM_PROCESS_H

#include <dblock/client.h>

#include "base/env.h"
#include "sim/coroutine.h"

/* Eight that work, one that looks after the end. */
enum { PROCESSES_MAX = 9, PROCESS_TTL_MAX_MS = 1500, PROCESS_ALARMS_MAX = 16 };

struct memory {
	struct memory *next, **at;
};

/* Readable from then on. */
struct alarm {
	bool used;
	int64_t until; /* by the process's clock */
};

struct process {
	struct world *world;
	int number;
	bool alive;
	struct dbl_env env;
	struct coroutine *threads;
	struct memory *memory;
	struct dblock_client *client;
	struct dbl_socket *sock; /* NULL: it has none */
	struct alarm alarms[PROCESS_ALARMS_MAX];

	int64_t origin; /* of its CLOCK_BOOTTIME */
	int64_t ppm;    /* by how much that one is fast */
	int64_t wall_set;

	int64_t stopped_until; /* SIGSTOP */
	int64_t cut_until;     /* its network is away */
	int64_t slow_until;    /* or what it receives comes late, */
	int64_t slow_by;       /* by that much */
	uint64_t cuts;         /* connections from before the last cut are gone */

	int64_t ttl_ms, timeout_ms;
	bool posts;                 /* nobody waits for its releases */
	int64_t idle_ms;            /* it keeps what it does not need; 0: it does not */
	int threads_asked, helpers; /* how many beside the main one; and now at work */
	bool idle;                  /* it has given back everything, and waits for the end */
};

/* Begin to live, as a new process: body(process) is its main thread. */
void process_start(struct world *, int number, void *(*body)(void *));

/* The process ends at once: no destructor, no goodbye. What it sent is still under way. */
void process_kill(struct process *);

/* Its CLOCK_BOOTTIME, in us; and when, in the world's time, that clock will show `local`. */
int64_t process_clock(const struct process *);
int64_t process_when(const struct process *, int64_t local);

#endif
