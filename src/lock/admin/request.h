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
 *                                                    tells its holder, by the watchdog
 *                                     <------------- request_delete, when the grant is over
 *
 * A grant's lock row has host and pid whether it lives by a session or has an end of its own, and
 * they do not change; that is where its holder looks. They are an address only: which of the
 * clients there has the grant, each finds out in its own memory (requested.h). Inside src/lock.
 */
#ifndef DBL_LOCK_REQUEST_H
#define DBL_LOCK_REQUEST_H

#include <dblock/request.h>

#include "lock/watch/requested.h"

/* Who is to be asked for all that it holds: a session, or, if that is "", a process. */
struct dbl_drain {
	const char *session;
	const char *host;
	int64_t pid;
	int64_t n_asked; /* out */
};

/* DBLOCK_STALE: nobody holds it. */
int dbl_request(struct dbl_locks *, const char *name, const char *reason, struct dblock_error *err);

/* DBLOCK_STALE: there is no such client, and nothing that it would have left. */
int dbl_request_drain(struct dbl_locks *, struct dbl_drain *, const char *reason,
		      struct dblock_error *err);

#endif
