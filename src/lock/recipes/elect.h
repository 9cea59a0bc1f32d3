/* SPDX-License-Identifier: MIT */
/* Leader election: a leader is who holds the lock, and its value is for others to read. */
#ifndef DBL_LOCK_ELECT_H
#define DBL_LOCK_ELECT_H

#include "lock/admin/admin.h"
#include "lock/core/name.h"

struct dbl_campaign {
	/* The database failed; the campaign goes on. Or NULL */
	void (*trouble)(void *arg, const struct dblock_error *);
	void *trouble_arg;
};

/* As dbl_lock_wait(), through outages of the database as well. */
int dbl_elect(struct dbl_locks *, const struct dbl_acquire_spec *, const struct dbl_campaign *,
	      struct dblock_lock **out, struct dblock_error *err);

/* What somebody has seen of a leader: enough to tell it from another. */
struct dbl_leader {
	int64_t token; /* 0: nobody leads */
	char value[DBL_VALUE_MAX + 1];
	char host[256], app[64];
	int64_t pid;
	int64_t since; /* us, by the database's clock of people */
};

/* Who leads; nobody: token 0. One round trip. */
int dbl_leader_look(struct dbl_locks *, const char *name, struct dbl_leader *,
		    struct dblock_error *err);

struct dbl_leader_watch {
	const char *name;
	int64_t until; /* on env->now(); or DBL_NEVER */
	int64_t every; /* us, between two looks */
	int (*canceled)(void *arg);
	void *canceled_arg;
};

/* Until another one leads than *leader says, or with another value; then *leader is that one.
 * DBLOCK_TIMEOUT, DBLOCK_CANCELED: not so. */
int dbl_leader_await(struct dbl_locks *, const struct dbl_leader_watch *, struct dbl_leader *,
		     struct dblock_error *err);

/* What others read. DBLOCK_LOST: it does not hold the lock any more. */
int dbl_lock_set_value(struct dblock_lock *, const char *value, struct dblock_error *err);

#endif
