/* SPDX-License-Identifier: MIT */
/* The wait-for graph of all names, for people. */
#ifndef DBL_LOCK_GRAPH_H
#define DBL_LOCK_GRAPH_H

#include "lock/handle/lock.h"

/* One waiter or holder of a name that somebody waits for. */
struct dbl_stander {
	char name[256];
	int64_t token; /* 0: it waits */
	int64_t ticket, nonce;
	int64_t mode, weight;
	int64_t upgrades; /* nonce of the grant that it is to replace; 0: none */
	char session[33]; /* "": none */
	int64_t thread;
	bool blocks, by_time;
	char host[256];
	int64_t pid;
	char app[64];
	int64_t since;
};

/* Called for each pair of which the first waits for the second. Not 0 ends the listing. */
typedef int dbl_waits_for_cb(void *ctx, const struct dbl_stander *, const struct dbl_stander *);

/* The pattern, if any, is of names. Returns the callback's result, or a failure. One round trip. */
int dbl_graph(struct dbl_locks *, const char *pattern, dbl_waits_for_cb *, void *ctx,
	      struct dblock_error *err);

#endif
