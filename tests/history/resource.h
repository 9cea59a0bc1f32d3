/* SPDX-License-Identifier: MIT */
/*
 * What the locks protect: for each name a cell that refuses every token older than the newest that
 * it has seen, as a careful storage would. It is memory shared by file, and takes no lock of its
 * own: nobody who is stopped or killed in the middle of it is in anybody's way.
 */
#ifndef TESTS_HISTORY_RESOURCE_H
#define TESTS_HISTORY_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct resource {
	struct resource_cell {
		_Atomic int64_t newest;
	} * cells;
	int n;
};

/* The file is made if it is not there. false: see errno. */
bool resource_open(struct resource *, const char *path, int names);
void resource_close(struct resource *);

/* true: accepted. *before: the newest token that this cell had accepted before; of all that is
 * accepted that makes a chain, so that nobody's clock has to say which came first. */
bool resource_present(struct resource *, int name, int64_t token, int64_t *before);

#endif
