/* SPDX-License-Identifier: MIT */
/*
 * What the locks protect: for each name a cell, as a careful storage would be. Who has the lock
 * alone writes, and is refused if a newer token than its own has been here; who shares it reads,
 * and is refused if a newer one has written. It is memory shared by file, and takes no lock of its
 * own: nobody who is stopped or killed in the middle of it is in anybody's way.
 */
#ifndef TESTS_HISTORY_RESOURCE_H
#define TESTS_HISTORY_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct resource {
	struct resource_cell {
		_Atomic int64_t base; /* tokens are told from here on: the first one, and before */
		_Atomic uint64_t state; /* the newest token, and the newest that wrote, as one */
	} * cells;
	int n;
};

/* The file is made if it is not there. false: see errno. */
bool resource_open(struct resource *, const char *path, int names);
void resource_close(struct resource *);

/* true: accepted. *before: the newest token that this cell had accepted before; of all that is
 * accepted that makes a chain, so that nobody's clock has to say which came first. *wrote: the
 * newest that had written. Tokens are microseconds, and those of an hour can be told apart: an
 * older one is refused. */
bool resource_present(struct resource *, int name, int64_t token, bool writes, int64_t *before,
		      int64_t *wrote);

#endif
