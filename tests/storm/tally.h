/* SPDX-License-Identifier: MIT */
/* What was done in a storm: so that one sees that each mode was. */
#ifndef TESTS_STORM_TALLY_H
#define TESTS_STORM_TALLY_H

#include "history/history.h"

/* Prints it, and fails if something was left out. */
void tally(const struct history *);

#endif
