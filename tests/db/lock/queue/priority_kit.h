/* SPDX-License-Identifier: MIT */
/* Waits with a priority, for the tests of them. */
#ifndef TESTS_DB_PRIORITY_KIT_H
#define TESTS_DB_PRIORITY_KIT_H

#include "db/lock/queue/queue_kit.h"

static inline void joins(struct scene *s, struct waiting *w, struct dblock_client *client,
			 int priority)
{
	memset(w, 0, sizeof(*w));
	w->how.priority = priority;
	waiting_join(w, client, s->raw);
}

/* It gets the lock, and those that come after it in the list do not yet. */
static inline void gets_before(struct waiting *w[], int n)
{
	waiting_end(w[0], OK);
	assert_true(dblock_valid(w[0]->lock, 0));
	for (int i = 1; i < n; i++)
		assert_false(w[i]->call.done);
}

#endif
