/* SPDX-License-Identifier: MIT */
/* Threads that may have waited for each other, all the way round. */
#ifndef TESTS_HISTORY_CYCLE_H
#define TESTS_HISTORY_CYCLE_H

#include "history/story.h"

/* Does a cycle go through what this call waited for, when it was told so by `told`? Whatever may
 * have been held, or waited for, at that time is looked at, whether its client knew or not: so
 * there may have been none; but where there is none, there was none. */
bool cycle_may_be(const struct story *, const struct call *, const struct event *told);

#endif
