/* SPDX-License-Identifier: MIT */
/* Many processes do one thing at the same time, and report. */
#ifndef TESTS_DB_MIGRATE_FORKS_H
#define TESTS_DB_MIGRATE_FORKS_H

#include <sys/wait.h>
#include <unistd.h>

#include "db/migrate/migrate_kit.h"

struct crowd {
	unsigned n;
	int start; /* the children wait until it is closed */
	int said;
};

/* A child's writing end. */
static int crowd_mouth;

static inline void crowd_say(char byte)
{
	if (write(crowd_mouth, &byte, 1) != 1)
		_exit(2);
}

/* Reports which versions it applied, a digit each: 1 is the first of the set. */
static inline void crowd_say_told(const struct told *told, int64_t first)
{
	for (unsigned i = 0; i < told->n; i++)
		crowd_say((char)('1' + told->version[i] - first));
}

static inline void crowd_child(int start, int (*act)(void *), void *arg)
{
	char byte;

	while (read(start, &byte, 1) > 0) /* until every writing end is closed */
		;
	_exit(act(arg) ? 1 : 0);
}

/* Makes so many children: each waits for crowd_go(), and ends well if act() returns 0. */
static inline void crowd_fork(struct crowd *crowd, unsigned n, int (*act)(void *), void *arg)
{
	int start[2], said[2];

	assert_int_equal(pipe(start), 0);
	assert_int_equal(pipe(said), 0);
	crowd_mouth = said[1];
	for (unsigned i = 0; i < n; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid > 0)
			continue;
		close(start[1]);
		close(said[0]);
		crowd_child(start[0], act, arg);
	}
	close(start[0]);
	close(said[1]);
	*crowd = (struct crowd){n, start[1], said[0]};
}

static inline void crowd_go(const struct crowd *crowd)
{
	close(crowd->start);
}

/* Returns the next byte that a child reports; 0: all have ended. */
static inline char crowd_hear(const struct crowd *crowd)
{
	char byte;

	return read(crowd->said, &byte, 1) == 1 ? byte : '\0';
}

/* All children must have ended well. */
static inline void crowd_end(const struct crowd *crowd)
{
	int status;

	close(crowd->said);
	for (unsigned i = 0; i < crowd->n; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
}

/* Counts how often the children report the digits 1, 2, 3 ... */
static inline void crowd_count(unsigned n, int (*act)(void *), void *arg, unsigned *counts,
			       unsigned n_counts)
{
	struct crowd crowd;
	char byte;

	memset(counts, 0, n_counts * sizeof(*counts));
	crowd_fork(&crowd, n, act, arg);
	crowd_go(&crowd);
	while ((byte = crowd_hear(&crowd)) != '\0') {
		assert_in_range(byte - '1', 0, n_counts - 1);
		counts[byte - '1']++;
	}
	crowd_end(&crowd);
}

#endif
