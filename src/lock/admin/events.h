/* SPDX-License-Identifier: MIT */
/* Lists what happened: the rows of dblock_event. */
#ifndef DBL_LOCK_EVENTS_H
#define DBL_LOCK_EVENTS_H

#include "lock/core/context.h"

/* A row. All strings are there. */
struct dbl_event {
	int64_t id, at, kind, token, pid, by_pid;
	int64_t now; /* by the same clock as `at` */
	char *name, *host, *app, *session, *by_host, *by_app, *detail;
};

typedef int dbl_event_cb(void *ctx, const struct dbl_event *);

struct dbl_event_list {
	const char *name; /* NULL: of all */
	int64_t after;    /* only those with a larger id */
	int64_t since;    /* only of the last so many us; 0: all */
	int64_t limit;    /* the newest so many; 0: all */
};

/* Lists events, the newest last; the callback is as in dbl_holders_list(). */
int dbl_events_list(struct dbl_locks *, const struct dbl_event_list *, dbl_event_cb *, void *ctx,
		    struct dblock_error *err);

#endif
