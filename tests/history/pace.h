/* SPDX-License-Identifier: MIT */
/*
 * How fast the machine was. Somebody who has no part in the storm does the same small piece of work
 * all the time (PULSE): as long as that takes no longer than it should, time counts as it is; a
 * piece that takes ten times as long counts as one. Bounds of what the library may need for its
 * work are in this time; what is promised by the clock itself, as a session's end is, is not.
 * Where nobody did that work, all time counts.
 */
#ifndef TESTS_HISTORY_PACE_H
#define TESTS_HISTORY_PACE_H

#include "history/history.h"

/* A piece of work, and the pause after the one before, on a machine that has little else to do. */
#define PACE_OF_A_PULSE 25000

struct pace {
	struct slow {
		int64_t from, to, lost; /* lost: with all before it */
	} * slow;
	size_t n;
};

void pace_read(struct pace *, const struct history *);
void pace_free(struct pace *);

/* When so much time has passed that counts. NEVER stays what it is. */
int64_t pace_after(const struct pace *, int64_t from, int64_t span);

#endif
