/* SPDX-License-Identifier: MIT */
/* A tally of what was done in a storm, so that one sees that each mode was used. */
#ifndef TESTS_STORM_TALLY_H
#define TESTS_STORM_TALLY_H

#include "history/history.h"

/* Returns how many events of a kind have this outcome. */
int tally_count(const struct history *, enum event_kind, int outcome);

/* Prints it. Returns how many kinds were left out, by chance, or for lack of time: nothing was
 * proven of those. */
int tally(const struct history *);

#endif
