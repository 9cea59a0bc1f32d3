/* SPDX-License-Identifier: MIT */
/* The processes of a storm, each with its own way to the database, or to each member of a cluster; and what is done
 * to them. */
#ifndef TESTS_STORM_CROWD_H
#define TESTS_STORM_CROWD_H

#include <sys/types.h>

#include "history/recorder.h"
#include "storm/schedule.h"
#include "storm/storm.h"
#include "support/proxy.h"

enum { WAYS_MAX = 3 };

struct slot {
	pid_t pid;
	int client; /* the number of its present process */
	bool stopped, parted;
	struct proxy *ways[WAYS_MAX];
};

struct crowd {
	struct slot slots[SLOTS];
	struct recorder recorder;
	uint64_t seed;
	int64_t until; /* us: then they come to their end */
	int n_ways;    /* 0: on SQLite */
	int clients;   /* numbers so far */
	int faults[FAULT_KINDS];
};

/* Returns the number in this variable of the environment. */
uint64_t number_of(const char *name, uint64_t otherwise);

/* Makes the storm's folder, and a way for each process to each of these. */
void crowd_open(struct crowd *, const char *const urls[], int n);
void crowd_close(struct crowd *);

/* Writes down what has happened to a process; 0: to all. */
void crowd_tell(struct crowd *, int client, enum event_kind);

/* Starts all. Each becomes this program, as `storm worker CLIENT SEED UNTIL`, with the URLs in DBLOCK_TEST_URL, a
 * blank between two. */
void crowd_start(struct crowd *);

/* Any fault but FAULT_RESTART. */
void crowd_strike(struct crowd *, const struct fault *);

/* Whatever still lasts ends. */
void crowd_relieve(struct crowd *);

/* Waits until all have ended. Returns how many do not. */
int crowd_end(struct crowd *);

#endif
