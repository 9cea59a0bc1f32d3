/* SPDX-License-Identifier: MIT */
/* To stop a process, but not in the middle of what would stop everybody. */
#ifndef TESTS_STORM_STANDSTILL_H
#define TESTS_STORM_STANDSTILL_H

#include <sys/types.h>

/* SIGSTOP, and wait until it stands still. On SQLite who writes has the file locked, and there is
 * nobody who could take that from one that is stopped: then it may go on a little first. */
void stand_still(pid_t pid);

#endif
