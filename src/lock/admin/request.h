/* SPDX-License-Identifier: MIT */
/*
 * Requests to let go: dblock_request has a row for each grant whose holder is asked, by name and
 * token. A pair of these never comes again, so a request that comes late, or stays, is never about
 * somebody else's grant.
 *
 *   who asks                          database                        who holds it
 *   request_grants (whom to ask) -->
 *   request (name, token) ----------> a row, by host and pid of
 *                                     who holds that grant
 *   datagram (token), if it is on the same machine -----------------> looks at once, or
 *                                     <------------- heartbeat: is this process asked?
 *                                     <------------- requested: what, by whom? (only if so)
 *                                                    tells its holder, by the watchdog
 *                                     <------------- request_delete, when the grant is over
 *
 * The row that carries a grant has the holder's host and pid, for a lease too, and they do not
 * change; the holder's process looks for requests by them. Each client of that process then looks
 * in its own memory whether it has the grant (requested.h).
 */
#ifndef DBL_LOCK_REQUEST_H
#define DBL_LOCK_REQUEST_H

#include <dblock/request.h>

#include "lock/watch/requested.h"

/* The client that is asked for all that it holds: a session, or, if that is "", a process. */
struct dbl_drain {
	const char *session;
	const char *host;
	int64_t pid;
	int64_t n_asked; /* out */
};

/* Asks all holders of the name to let go. DBLOCK_STALE: nobody holds it. */
int dbl_request(struct dbl_locks *, const char *name, const char *reason, struct dblock_error *err);

/* Asks a client for all that it holds. DBLOCK_STALE: the client is unknown, and holds nothing. */
int dbl_request_drain(struct dbl_locks *, struct dbl_drain *, const char *reason,
		      struct dblock_error *err);

#endif
