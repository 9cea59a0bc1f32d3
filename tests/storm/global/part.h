/* SPDX-License-Identifier: MIT */
/* What one process does over several databases, of which the first is the home. */
#ifndef TESTS_STORM_GLOBAL_PART_H
#define TESTS_STORM_GLOBAL_PART_H

#include <stdint.h>
#include <sys/types.h>

#include "storm/global/fate.h"

enum { DATABASES_MAX = 3 };

/* How it ends, if it ends by itself. */
enum { PART_DONE, PART_UNSURE, PART_NOT, PART_FAILED };

struct part {
	const char *role; /* "begin": a row in each, in one transaction; "recover" */
	enum fate fate;   /* at the k-th statement that has this text in it */
	const char *text;
	int k; /* 0: at none; then part_told() is how many there are */
	int64_t timeout_ms;
	int n;
	const char *urls[DATABASES_MAX];
};

/* Starts one. */
pid_t part_start(const struct part *);

/* Waits until it has ended, or stands still: a status as of waitpid(2). */
int part_see(pid_t);

/* Returns at which statement the last one met its fate, and why it has failed; good until the next call. */
const char *part_told(void);

/* Be that process: argv[1] is its role. Returns the exit code. */
int part_run(int argc, char **argv);

#endif
