/* SPDX-License-Identifier: MIT */
/* Hearing that one is asked to let go: the holder's side of admin/request.h. Inside src/lock. */
#ifndef DBL_LOCK_WATCH_REQUESTED_H
#define DBL_LOCK_WATCH_REQUESTED_H

#include <dblock/request.h>

#include "lock/handle/lock.h"

/* One request, with its texts; freed with dbl_free(). */
struct dbl_requester {
	struct dblock_request request;
	char texts[];
};

/* NULL: no memory. */
struct dbl_requester *dbl_requester_new(const struct dbl_value *reason,
					const struct dbl_value *host, int64_t pid,
					const struct dbl_value *app, int64_t since);

/* How long a request for what we have given back may stay: then it is one look for many. */
#define DBL_REQUESTS_OVER_US 100000

/* Look within so many us what we are asked for; on the heartbeat thread. */
void dbl_requests_look(struct dbl_locks *, int64_t within);

/* Somebody rang: whoever has the grant with this token is asked. */
void dbl_requests_notified(struct dbl_locks *, int64_t token);

/* There are requests for us, says the heartbeat. */
void dbl_requests_there_are(void *locks);

/* The handle goes away. */
void dbl_requests_forget(struct dblock_lock *);

/* If there is a reason to look, do: rides with the heartbeat. */
void dbl_requests_read(struct dbl_locks *, struct dbl_link *, int64_t deadline);

/* A memory read. */
static inline bool dbl_lock_is_requested(const struct dblock_lock *lock)
{
	return lock->grant.token != 0 && atomic_load(&lock->requested_for) == lock->grant.token;
}

/* A descriptor that is readable once the holder is asked; -1: none to be had. The handle's. */
int dbl_lock_requested_fd(struct dblock_lock *);

#endif
