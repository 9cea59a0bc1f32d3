/* SPDX-License-Identifier: MIT */
/* Threads that may have waited for each other in a cycle. */
#ifndef TESTS_HISTORY_CYCLE_H
#define TESTS_HISTORY_CYCLE_H

#include "history/story.h"

/* Tells whether a cycle may have gone through what this call waited for, when `told` told it so. It
 * counts all that may have been held, or waited for, at that time, whether its client knew or not.
 * So true proves nothing; but false proves that there was no cycle. */
bool cycle_may_be(const struct story *, const struct call *, const struct event *told);

#endif
