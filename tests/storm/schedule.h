/* SPDX-License-Identifier: MIT */
/* What befalls whom, and when: all of it follows from the seed. */
#ifndef TESTS_STORM_SCHEDULE_H
#define TESTS_STORM_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#define FAULT_MAP(X)                                                                               \
	X(KILL, "kill -9, and another process comes in its place")                                 \
	X(STOP, "SIGSTOP")                                                                         \
	X(CONT, "SIGCONT")                                                                         \
	X(CUT, "its connections are reset")                                                        \
	X(PART, "nothing comes through on them, and nobody is told")                               \
	X(JOIN, "it does again")                                                                   \
	X(RESTART, "the server is killed and comes back")

enum fault_kind {
#define X(name, meaning) FAULT_##name,
	FAULT_MAP(X)
#undef X
		FAULT_KINDS
};

struct fault {
	int64_t at_ms;
	enum fault_kind kind;
	int slot; /* of processes; RESTART: of no meaning */
};

enum { FAULTS_MAX = 4000 };

const char *fault_name(enum fault_kind);

/* Returns how many there are, in their order. Only a remote database can be cut off and be killed.
 */
int schedule_make(struct fault faults[FAULTS_MAX], uint64_t seed, int64_t length_ms, bool remote);

/* How a process goes about it: so that of each habit there are some that have it, and some not,
 * together with each other one. */
struct habits {
	bool posts;        /* it does not wait for its releases */
	bool share_a_name; /* its threads want the same one more often than not */
	int64_t idle_ms;   /* it keeps what it has released for so long; 0: it does not */
};

struct habits schedule_habits(int client);

#endif
