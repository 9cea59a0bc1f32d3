/* SPDX-License-Identifier: MIT */
/* Which fault strikes which process, and when: all of it follows from the seed. */
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
	int slot; /* the process's; of no meaning for RESTART */
};

enum { FAULTS_MAX = 4000 };

const char *fault_name(enum fault_kind);

/* Returns how many faults there are, in their order. Only a remote database can be cut off and
 * killed. */
int schedule_make(struct fault faults[FAULTS_MAX], uint64_t seed, int64_t length_ms, bool remote);

/* The habits of a process: some processes have each habit, some do not, in all combinations. */
struct habits {
	bool posts;        /* it does not wait for its releases */
	bool share_a_name; /* its threads mostly want the same name */
	int64_t idle_ms;   /* how long it keeps released locks idle; 0: it does not */
};

struct habits schedule_habits(int client);

#endif
