/* SPDX-License-Identifier: MIT */
/*
 * A `dblock run` inside of another one's command. The outer one goes on holding its lock while the
 * inner one waits, which the database cannot know: so the inner one says it in its client's name,
 * "dblock in PID,PID": the keepers that it runs under, on the same host. Who waits so adds to the
 * graph of who waits for whom that these wait for him, and looks for a ring through himself.
 */
#ifndef DBL_CLI_NESTED_H
#define DBL_CLI_NESTED_H

#include "cli/ui/cli.h"

enum { DBL_NESTED_MAX = 6, DBL_NESTED_TEXT = 64 };

struct dbl_nested {
	size_t n; /* keepers above us, the nearest first */
	char app[DBL_NESTED_TEXT];
};

/* Who is above us? Read from /proc; where that cannot be read, nobody. */
void dbl_nested_look(struct dbl_nested *);

/* As dblock_acquire(), for a client with that name: DBLOCK_DEADLOCK, too, if it would wait for ever
 * for one that waits for us: the youngest of those on a ring who can know gives up. */
int dbl_nested_acquire(const struct dbl_nested *, struct dblock_client *, const char *name,
		       const struct dblock_acquire_options *, struct dblock_lock **,
		       struct dblock_error *);

#endif
