/* SPDX-License-Identifier: MIT */
/* Money is moved between accounts of two databases. */
#ifndef TESTS_STORM_GLOBAL_MONEY_H
#define TESTS_STORM_GLOBAL_MONEY_H

#include <stdint.h>

enum { ACCOUNTS = 200, MONEY = 1000 /* on each of them, at first */ };

/* What a process writes down when a call has returned: how it has ended (part.h); or, with the id 0, what a recovery has
 * told (enum dblock_recovered). */
struct said {
	int64_t id; /* of a move: it is in the table `moved` of both databases, or of none */
	int64_t outcome;
};

/* Where that is; good until the next call. */
const char *said_path(int client);

/* The variable whose value is the first database's URL, if no proxy is before that. */
#define MONEY_FIRST "DBLOCK_MONEY_FIRST"

/* Moves money in transactions over both databases, and in pairs of plain ones; recovers again and again. Until then
 * (CLOCK_BOOTTIME, us), with the URLs in DBLOCK_TEST_URL. Returns the exit code. */
int mover_run(int client, uint64_t seed, int64_t until);

#endif
