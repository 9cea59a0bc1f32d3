/* SPDX-License-Identifier: MIT */
/* A process that has no part in the storm, and writes down how fast the machine and the database
 * are: see history/pace.h. */
#ifndef TESTS_STORM_WITNESS_H
#define TESTS_STORM_WITNESS_H

#include <sys/types.h>

/* Starts it, as this program, on that server; NULL: on SQLite. */
pid_t witness_start(const char *server);

/* Does a small piece of work all the time, on DBLOCK_TEST_URL, until it is killed. */
int witness_run(void);

#endif
