/* SPDX-License-Identifier: MIT */
/* Leader election: the leader is the holder of the lock, and others read the lock's value. */
#ifndef DBL_LOCK_ELECT_H
#define DBL_LOCK_ELECT_H

#include "lock/admin/admin.h"
#include "lock/core/name.h"

/* What a look has shown of a leader: enough to tell it from another. */
struct dbl_leader {
	int64_t token; /* 0: nobody leads */
	char value[DBL_VALUE_MAX + 1];
	char host[256], app[64];
	int64_t pid;
	int64_t since; /* us since 1970, by the database's clock */
};

/* Look who leads. One round trip. */
int dbl_leader_look(struct dbl_locks *, const char *name, struct dbl_leader *,
		    struct dblock_error *err);

struct dbl_leader_watch {
	const char *name;
	int64_t until; /* on env->now(); or DBL_NEVER */
	int64_t every; /* us between two looks */
	int (*canceled)(void *arg);
	void *canceled_arg;
};

/* Wait until another one leads than *leader says, or with another value; then *leader is that one.
 * DBLOCK_TIMEOUT, DBLOCK_CANCELED: nothing has changed. */
int dbl_leader_await(struct dbl_locks *, const struct dbl_leader_watch *, struct dbl_leader *,
		     struct dblock_error *err);

/* Write the value that others read. DBLOCK_LOST: the handle does not hold the lock any more. */
int dbl_lock_set_value(struct dblock_lock *, const char *value, struct dblock_error *err);

#endif
