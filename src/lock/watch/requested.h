/* SPDX-License-Identifier: MIT */
/* The holder hears that it is asked to let go; who asks uses admin/request.h. Inside src/lock. */
#ifndef DBL_LOCK_WATCH_REQUESTED_H
#define DBL_LOCK_WATCH_REQUESTED_H

#include <dblock/request.h>

#include "lock/handle/lock.h"

/* One request to let go, with its texts; freed with dbl_free(). */
struct dbl_requester {
	struct dblock_release_request request;
	char texts[];
};

/* NULL: no memory. */
struct dbl_requester *dbl_requester_new(const struct dbl_value *reason,
					const struct dbl_value *host, int64_t pid,
					const struct dbl_value *app, int64_t since);

/* How long requests for grants that we have given back may stay, so that one look forgets many. */
#define DBL_REQUESTS_OVER_US 100000

/* Let the heartbeat thread look, within so many us, what this process is asked for. */
void dbl_requests_look(struct dbl_locks *, int64_t within);

/* A datagram says that the holder of the grant with this token is asked to let go. */
void dbl_requests_notified(struct dbl_locks *, int64_t token);

/* The heartbeat's reply says that there are requests for us. */
void dbl_requests_there_are(void *locks);

/* Free what is noted of a handle that is about to be freed. */
void dbl_requests_forget(struct dblock_lock *);

/* Read the requests, if there is a reason to look; on the heartbeat thread, after a heartbeat. */
void dbl_requests_read(struct dbl_locks *, struct dbl_link *, int64_t deadline);

/* Has the holder been asked to let go of the grant that it has now? No round trip. */
static inline bool dbl_lock_is_requested(const struct dblock_lock *lock)
{
	return lock->grant.token != 0 && atomic_load(&lock->requested_for) == lock->grant.token;
}

/* A descriptor, the handle's, that is readable once the holder is asked; -1: there is none. */
int dbl_lock_requested_fd(struct dblock_lock *);

#endif
