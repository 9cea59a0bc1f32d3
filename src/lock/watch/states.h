/* SPDX-License-Identifier: MIT */
/*
 * The session's states, on their way from the heartbeat thread to the caller's listener. The watchdog
 * tells them: a listener that takes its time keeps no heartbeat waiting. Inside src/lock/watch, and
 * of client.c.
 */
#ifndef DBL_LOCK_WATCH_STATES_H
#define DBL_LOCK_WATCH_STATES_H

#include "lock/core/context.h"

struct dbl_states;

/* Room for them, if anybody listens: before threads are started. False: no memory. */
bool dbl_states_init(struct dbl_locks *);

/* The state is another one; `why` is copied, and may be NULL. Any thread, no mutex held. */
void dbl_states_put(struct dbl_locks *, enum dblock_connection_state,
		    const struct dblock_error *why);

/* Under the mutex, which is given up while the listener runs: tells the oldest. False: there is
 * none. */
bool dbl_states_tell(struct dbl_locks *);

#endif
