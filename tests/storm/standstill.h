/* SPDX-License-Identifier: MIT */
/* Stops a process, but not in the middle of a write that would stop everybody. */
#ifndef TESTS_STORM_STANDSTILL_H
#define TESTS_STORM_STANDSTILL_H

#include <sys/types.h>

/* Sends SIGSTOP, and waits until the process stands still. On SQLite a writer has the file locked,
 * and nobody can take that from a stopped process: then it may go on a little first. */
void stand_still(pid_t pid);

#endif
