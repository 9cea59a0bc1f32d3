/* SPDX-License-Identifier: MIT */
/*
 * Requests to let go: a row in dblock_request for each grant that is asked, by name and token,
 * which never come again. So a request that comes late, or stays, is never about somebody else's
 * grant.
 *
 *   who asks                          database                        who holds it
 *   request_grants (whom to ask) -->
 *   request (name, token) ----------> a row, by host and pid of
 *                                     who holds that grant
 *   datagram (token), if it is on the same machine -----------------> looks at once, or
 *                                     <------------- heartbeat: "is this process asked for
 * anything?"
 *                                     <------------- requested: what, by whom? (only if so)
 *                                                    tells its holder, by the sentinel
 *                                     <------------- request_delete, when the grant is over
 *
 * A grant's lock row has host and pid whether it lives by a session or has an end of its own, and
 * they do not change; that is where its holder looks. They are an address only: which of the
 * clients there has the grant, each finds out in its own memory. Inside src/lock.
 */
#ifndef DBL_LOCK_REQUEST_H
#define DBL_LOCK_REQUEST_H

#include <dblock/request.h>

#include "lock/core/context.h"

/* One request, with its texts; freed with dbl_free(). */
struct dbl_asked {
	struct dblock_request request;
	char texts[];
};

/* NULL: no memory. */
struct dbl_asked *dbl_asked_new(const struct dbl_value *reason, const struct dbl_value *host,
				int64_t pid, const struct dbl_value *app, int64_t since);

/* Who is to be asked for all that it holds: a session, or, if that is "", a process. */
struct dbl_drain {
	const char *session;
	const char *host;
	int64_t pid;
	int64_t asked; /* out */
};

/* DBLOCK_STALE: nobody holds it. */
int dbl_request(struct dbl_locks *, const char *name, const char *reason, struct dblock_error *err);

/* DBLOCK_STALE: there is no such client, and nothing that it would have left. */
int dbl_request_drain(struct dbl_locks *, struct dbl_drain *, const char *reason,
		      struct dblock_error *err);

/* How long a request for what we have given back may stay: then it is one look for many. */
#define DBL_REQUESTS_OVER_US 100000

/* Look within so many us what we are asked for; on the keeper's thread. */
void dbl_requests_look(struct dbl_locks *, int64_t within);

/* Somebody rang: whoever has the grant with this token is asked. */
void dbl_requests_rung(struct dbl_locks *, int64_t token);

/* If there is a reason to look, do: rides with the heartbeat. */
void dbl_requests_read(struct dbl_locks *, struct dbl_link *, int64_t deadline);

/* A memory read. */
static inline bool dbl_lock_is_requested(const struct dblock_lock *lock)
{
	return lock->token != 0 && atomic_load(&lock->requested_for) == lock->token;
}

/* A descriptor that is readable once the holder is asked; -1: none to be had. The handle's. */
int dbl_lock_requested_fd(struct dblock_lock *);

#endif
