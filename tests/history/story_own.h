/* SPDX-License-Identifier: MIT */
/* The parts of the telling, in the order in which they need each other. */
#ifndef TESTS_HISTORY_STORY_OWN_H
#define TESTS_HISTORY_STORY_OWN_H

#include "history/story.h"

/* Zeroed, and with room for at least one. */
void *story_array(size_t n, size_t size);

/* Tells who there was, and what befell them. */
void story_tell_clients(struct story *);

/* When the calls are known: who may have lost what to whom. */
void story_tell_breaks(struct story *);

/* Name by name. */
void story_tell_locks(struct story *);

#endif
