/* SPDX-License-Identifier: MIT */
/*
 * The speed of the machine. A process that has no part in the storm does the same small piece of
 * work all the time (PULSE). While that takes no longer than it should, all time counts; a piece
 * that takes ten times as long counts as one. Bounds for the library's work are in this time; a
 * promise by the clock itself, such as a session's end, is not. If nobody did that work, all time
 * counts. A build that watches itself (ThreadSanitizer) does that work as fast as any, and the
 * library's not: therefore a slowness besides.
 */
#ifndef TESTS_HISTORY_PACE_H
#define TESTS_HISTORY_PACE_H

#include "history/history.h"

/* The time for a piece of work, and the pause before it, on a machine that has little else to do.
 */
#define PACE_OF_A_PULSE 25000

struct pace {
	struct slow {
		int64_t from, to, lost; /* lost: in sum, with all pieces before */
	} * slow;
	size_t n;
	int64_t slowness; /* as in struct history */
};

void pace_read(struct pace *, const struct history *);
void pace_free(struct pace *);

/* Returns when `span`, times the slowness, of the time that counts has passed since `from`. NEVER
 * stays NEVER. */
int64_t pace_after(const struct pace *, int64_t from, int64_t span);

#endif
