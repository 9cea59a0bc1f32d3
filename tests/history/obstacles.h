/* SPDX-License-Identifier: MIT */
/* When there is a reason to wait: two views of one lock, for the rules that look for waits without
 * one. */
#ifndef TESTS_HISTORY_OBSTACLES_H
#define TESTS_HISTORY_OBSTACLES_H

#include "history/story.h"

struct span {
	int64_t from, to;
};

/* They are in order, and none touches another. */
struct obstacles {
	struct span *spans;
	size_t n;
};

/* Somebody has it, or a group of names waits, for which it may be kept free. */
void obstacles_of_holds(struct obstacles *, const struct lock_story *);

/* There is a crowd: those who have it and those who wait for it could not all have it together. */
void obstacles_of_crowds(struct obstacles *, const struct lock_story *);

void obstacles_free(struct obstacles *);

/* The first one that ends after then: n if there is none. */
size_t obstacle_after(const struct obstacles *, int64_t at);

#endif
