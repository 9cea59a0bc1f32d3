/* SPDX-License-Identifier: MIT */
/* All that was recorded, in the order in which it happened. */
#ifndef TESTS_HISTORY_HISTORY_H
#define TESTS_HISTORY_HISTORY_H

#include "history/event.h"

struct history {
	struct event *events;
	size_t n;
	int64_t slowness; /* how many times as long the library's work may take; 0: once */
};

void history_add(struct history *, const struct event *);

/* Events of one time stay in the order in which they were added. */
void history_sort(struct history *);

/* Loads all files of a folder's recorders. A last line that is not complete was never written: its
 * client was killed. Returns false, with *problem, if anything else is no event. */
bool history_load(struct history *, const char *folder, char problem[1200]);

void history_free(struct history *);

#endif
