/* SPDX-License-Identifier: MIT */
/* System calls of this process, counted by strace, if that can be started. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include <sys/types.h>

/* Begins to count; what calls_end() needs. */
pid_t calls_begin(void);

/* Prints a table of all that were made since, errors among them. */
void calls_end(pid_t strace);

#endif
