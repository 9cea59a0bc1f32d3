/* SPDX-License-Identifier: MIT */
/* The times at which there is a reason to wait: two views of one lock, for the rules that look for
 * waits without a reason. */
#ifndef TESTS_HISTORY_OBSTACLES_H
#define TESTS_HISTORY_OBSTACLES_H

#include "history/story.h"

struct span {
	int64_t from, to;
};

/* The spans are in order, and none touches another. */
struct obstacles {
	struct span *spans;
	size_t n;
};

/* The times at which somebody holds the lock, or a group of names waits, for which it may be kept
 * free. */
void obstacles_of_holds(struct obstacles *, const struct lock_story *);

/* The times of a crowd: those who hold the lock and those who wait for it could not all hold it
 * together. */
void obstacles_of_crowds(struct obstacles *, const struct lock_story *);

void obstacles_free(struct obstacles *);

/* Returns the index of the first span that ends after `at`, or n if there is none. */
size_t obstacle_after(const struct obstacles *, int64_t at);

#endif
