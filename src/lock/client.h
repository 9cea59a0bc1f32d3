/* SPDX-License-Identifier: MIT */
/* A client's locks: opening, observing, ending all waits, closing. */
#ifndef DBL_LOCK_CLIENT_H
#define DBL_LOCK_CLIENT_H

#include "lock/core/context.h"

/* Open a client's session on a link that is there. This takes the link, also on failure; the link's
 * target must outlive the client. */
int dbl_locks_open(struct dbl_locks **, struct dbl_link *, const struct dbl_session_options *,
		   int64_t deadline, struct dblock_error *err);

/* Open a client that only looks, without a session, and without any thread; it takes the link. */
int dbl_locks_observe(struct dbl_locks **, struct dbl_link *, int64_t timeout,
		      struct dblock_error *err);

/* Before it is closed, where nothing depends on what it has yet to do: a database that is down takes no time. What
 * is under way goes on, but is not tried again. Any thread may call this. */
void dbl_locks_hasten(struct dbl_locks *);

/* Release what lives by the session, leave leases, end the session, and free every handle. All that
 * takes the timeout at most; what was not released by then ends with the session. */
void dbl_locks_close(struct dbl_locks *);

/* End all waits with DBLOCK_CANCELED, and those to come as well. Any thread may call this, in a
 * callback too. A call that waits sleeps where this can wake it, or a tenth of a second at most. */
void dbl_shutdown(struct dbl_locks *);

/* DBLOCK_E_INVALID: the client cannot be closed, as a call is inside that may wait or run callbacks,
 * or a wait that its caller drives has not been ended, or this is one of the client's own threads. */
int dbl_locks_check_unused(struct dbl_locks *, struct dblock_error *err);

#endif
