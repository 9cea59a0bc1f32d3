/* SPDX-License-Identifier: MIT */
/* The capacity of a semaphore that is stored, and changes: what it may have been, as far as those who changed it
 * know. */
#ifndef TESTS_HISTORY_CAPACITY_H
#define TESTS_HISTORY_CAPACITY_H

#include "history/story.h"

/* Somebody began to store it; it was stored at the latest by `to` (NEVER: nobody knows whether, and when). */
struct resize {
	int64_t capacity, from, to;
};

struct capacities {
	struct resize *all;
	size_t n;
};

/* To be freed by capacities_free(). n == 0: each call names it. */
void capacities_read(struct capacities *, const struct story *, const char *name);
void capacities_free(struct capacities *);

/* The largest that it may have been at some time from `from` to `to`; what it was before the first was stored
 * nobody has said. */
int64_t capacities_most(const struct capacities *, int64_t from, int64_t to);

#endif
