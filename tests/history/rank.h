/* SPDX-License-Identifier: MIT */
/* The order of a queue in which waits have priorities: each counts as if it had joined DBLOCK_PRIORITY_AGE_MS
 * earlier for each step. */
#ifndef TESTS_HISTORY_RANK_H
#define TESTS_HISTORY_RANK_H

#include "history/story.h"

/* Returns for how long after a wait has joined, one who comes may still be ranked before it (us); negative: so
 * much earlier he must have come; 0: nobody is who comes later. Both events say what is wanted, and how. */
int64_t rank_lead(const struct event *waits, const struct event *comes);

/* Returns the time at which the order was settled in which the lock's i-th grant went to somebody else than this
 * wait: who joins the queue later does not go before that grant. */
int64_t rank_settled(const struct lock_story *, size_t i, const struct event *waits);

/* Tells whether that grant should have been this wait's, which had joined the queue by then. */
bool rank_is_passed(const struct story *, const struct lock_story *, size_t i,
		    const struct event *waits, int64_t joined);

#endif
