/* SPDX-License-Identifier: MIT */
/*
 * What the locks protect: a cell for each name, which acts like a careful storage. A holder who has
 * the lock alone writes, and is refused if a newer token has been here; one who shares it reads,
 * and is refused if a newer token has written. The cells are shared memory, in a file, without a
 * lock: a process that is stopped or killed in the middle hinders nobody.
 */
#ifndef TESTS_HISTORY_RESOURCE_H
#define TESTS_HISTORY_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct resource {
	struct resource_cell {
		_Atomic int64_t base;   /* a time before the first token: others count from it */
		_Atomic uint64_t state; /* the newest token, and the newest that wrote */
	} * cells;
	int n;
};

/* Opens the file, or makes it. Returns false with errno. */
bool resource_open(struct resource *, const char *path, int names);
void resource_close(struct resource *);

/* Returns true if the token is accepted. *before becomes the newest token that this cell had
 * accepted before: accepted tokens are a chain, and no clock is needed to say which came first.
 * *wrote becomes the newest that had written. Tokens are microseconds, and the cell has room for
 * those of an hour: an older one is refused. */
bool resource_present(struct resource *, int name, int64_t token, bool writes, int64_t *before,
		      int64_t *wrote);

/* The same where each holder has the lock alone. A token may be any number above 0: a cell that is used so has
 * the newest itself, and is not to be presented anything by the other way. */
bool resource_present_alone(struct resource *, int name, int64_t token, int64_t *before);

#endif
