/* SPDX-License-Identifier: MIT */
/* The parts of telling a story, in the order in which they need each other. */
#ifndef TESTS_HISTORY_STORY_OWN_H
#define TESTS_HISTORY_STORY_OWN_H

#include "history/story.h"

/* Returns a zeroed array with room for at least one. */
void *story_array(size_t n, size_t size);

/* Tells which clients there were, and their troubles. */
void story_tell_clients(struct story *);

/* Tells, when the calls are known, who may have lost a lock to whom. */
void story_tell_breaks(struct story *);

/* Tells the locks, name by name. */
void story_tell_locks(struct story *);
void story_free_locks(struct story *);

#endif
