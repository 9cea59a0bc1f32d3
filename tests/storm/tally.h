/* SPDX-License-Identifier: MIT */
/* What was done in a storm: so that one sees that each mode was. */
#ifndef TESTS_STORM_TALLY_H
#define TESTS_STORM_TALLY_H

#include "history/history.h"

/* How many events of a kind, with this outcome. */
int tally_count(const struct history *, enum event_kind, int outcome);

/* Prints it. Returns how much was left out, by chance, or since there was no time for it: then
 * nothing was proven of that. */
int tally(const struct history *);

#endif
