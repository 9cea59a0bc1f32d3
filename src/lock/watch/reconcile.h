/* SPDX-License-Identifier: MIT */
/*
 * After a crash of the database, its rows and what this client knows may differ: it may have
 * forgotten the last commits (a relaxed client's; a release, which never waits for the disk; those
 * that a standby did not have). Inside src/lock.
 */
#ifndef DBL_LOCK_RECONCILE_H
#define DBL_LOCK_RECONCILE_H

#include "lock/handle/lock.h"

/* From now on the session beats as soon as a connection is lost, and then reconciles. */
void dbl_reconcile_begin(struct dbl_locks *);

/* Reconcile, if a connection of this client was lost since the last time. On the heartbeat thread,
 * right after a heartbeat by that link went well. */
void dbl_reconcile(void *locks, struct dbl_link *, int64_t deadline);

/* Ends a pass that is under way. Nobody reconciles at the same time. */
struct dbl_watchdog;
void dbl_reconcile_drop(struct dbl_watchdog *);

/* Reconcile soon, as if a connection had been lost. */
void dbl_reconcile_soon(struct dbl_locks *);

#endif
