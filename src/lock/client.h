/* SPDX-License-Identifier: MIT */
/* A client's locks: opening, observing, ending all waits, closing. */
#ifndef DBL_LOCK_CLIENT_H
#define DBL_LOCK_CLIENT_H

#include "lock/core/context.h"

/* Open the session on a work connection that is there; the link is the locks' from now on, also on
 * failure. Its target must outlive it. */
int dbl_locks_open(struct dbl_locks **, struct dbl_link *, const struct dbl_session_options *,
		   int64_t deadline, struct dblock_error *err);

/* Only to look: without a session, and without any thread. The link likewise. */
int dbl_locks_observe(struct dbl_locks **, struct dbl_link *, int64_t timeout,
		      struct dblock_error *err);

/* Release what lives by the session, leave leases, end the session; frees every handle. Takes at
 * most the timeout for all of it; what could not be delivered by then ends with the session. */
void dbl_locks_close(struct dbl_locks *);

/* End all waits from outside: every wait comes to DBLOCK_CANCELED, those to come as well. Any
 * thread, also in a callback. A call that waits sleeps where this finds and wakes it, or for a
 * tenth of a second at most. */
void dbl_shutdown(struct dbl_locks *);

/* It cannot be closed: a call that may wait, or has its caller's callbacks run, is inside, or a
 * wait that its caller drives has not been ended, or this is one of its own threads. */
bool dbl_locks_in_use(struct dbl_locks *);

#endif
