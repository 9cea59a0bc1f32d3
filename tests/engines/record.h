/* SPDX-License-Identifier: MIT */
/*
 * What is seen from outside, for tests/engines/check.awk: a line for each event,
 *     MICROSECONDS CLIENT KIND NAME TOKEN OUTCOME
 * by CLOCK_BOOTTIME, "-" for a name that there is not. Several processes may write into one file.
 */
#ifndef TESTS_ENGINES_RECORD_H
#define TESTS_ENGINES_RECORD_H

#include <stdint.h>

/* Ends the process if the file cannot be opened, as without it there is nothing to do. */
void record_open(const char *path);

int64_t record_now(void);

/* An outcome as the public API has it. */
void record(int64_t at, int client, const char *kind, const char *name, int64_t token, int outcome);

#endif
