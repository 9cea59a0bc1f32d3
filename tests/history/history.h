/* SPDX-License-Identifier: MIT */
/* All that was recorded, in the order in which it happened. */
#ifndef TESTS_HISTORY_HISTORY_H
#define TESTS_HISTORY_HISTORY_H

#include "history/event.h"

struct history {
	struct event *events;
	size_t n;
};

void history_add(struct history *, const struct event *);

/* Those of one time stay in the order in which they were added. */
void history_sort(struct history *);

/* All files of a folder's recorders. What the last line of one lacks was never written: its client
 * was killed. false, and *problem says it: there is something else that is no event. */
bool history_load(struct history *, const char *folder, char problem[1200]);

void history_free(struct history *);

#endif
