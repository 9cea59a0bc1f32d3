/* SPDX-License-Identifier: MIT */
/* A process: threads, memory, a clock, and (mostly) one dblock client. It can be stopped, and it
 * can be killed at any moment. */
#ifndef TESTS_SIM_PROCESS_H
#define TESTS_SIM_PROCESS_H

#include <dblock/client.h>

#include "base/env.h"
#include "sim/coroutine.h"

/* Eight of them work, one looks after the end. */
/* When time begins. */
#define EPOCH_US INT64_C(1750000000000000)

enum {
	PROCESSES_MAX = 9,
	PROCESS_TTL_MAX_MS = 1500,
	PROCESS_ALARMS_MAX = 16,
	PROCESS_SOCKETS_MAX = 10
};

/* What the kernel says of a process: see mark.c. */
enum { MARKS_MAX = 64, MARK_BEATS = 16 };

struct mark_file {
	uint64_t id;                 /* 0: there is none */
	const struct process *owner; /* NULL: it is dead, */
	int64_t kept_until;          /* and until then a child of its keeps the mark */
	int64_t settle;
	int64_t beats[MARK_BEATS];
	unsigned n_beats;
	char citation[32];
};

struct memory {
	struct memory *next, **at;
};

enum { SERVERS_MAX = 7 };

/* To a server. */
struct way {
	int64_t cut_until;  /* there is none */
	int64_t slow_until; /* or answers come late, */
	int64_t slow_by;    /* by so much */
	uint64_t cuts;      /* connections from before the last cut are dead */
};

/* It is readable from `until` on. */
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
	struct dbl_socket *socks[PROCESS_SOCKETS_MAX]; /* NULL: there is none */
	struct alarm alarms[PROCESS_ALARMS_MAX];

	int64_t origin; /* the start of its CLOCK_BOOTTIME */
	int64_t ppm;    /* by how much that clock is fast */
	int64_t wall_set;

	bool deaf;                    /* it does not hear what members are */
	bool calm;                    /* what it sends arrives, unless its network is cut */
	int64_t stopped_until;        /* after SIGSTOP */
	struct way ways[SERVERS_MAX]; /* to each server */

	int64_t ttl_ms, timeout_ms;
	bool posts;                 /* it posts its releases */
	int64_t idle_ms;            /* how long it keeps locks idle; 0: it does not */
	int threads_asked, helpers; /* threads besides the main one; those at work now */
	bool idle;                  /* it has given back everything, and waits for the end */
};

/* Starts a new process: body(process) is its main thread. */
void process_start(struct world *, int number, void *(*body)(void *));

/* The process ends at once: no destructor runs, nothing is closed. What it sent is still under way.
 */
void process_kill(struct process *);

/* Its marks lose their owner (mark.c). */
void mark_kill(struct process *);

/* Returns its CLOCK_BOOTTIME, in us; the other one returns when, in the world's time, that clock
 * will show `local`. */
int64_t process_clock(const struct process *);
int64_t process_when(const struct process *, int64_t local);

#endif
