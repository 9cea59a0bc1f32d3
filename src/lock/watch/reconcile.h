/* SPDX-License-Identifier: MIT */
/*
 * After a crash of the database: what it says and what this client knows may differ, if it has
 * forgotten the last commits (a relaxed client's; a release, which never waits for the disk; those
 * that a standby did not have). Inside src/lock.
 */
#ifndef DBL_LOCK_RECONCILE_H
#define DBL_LOCK_RECONCILE_H

#include "lock/handle/lock.h"

/* From now on a lost connection lets the session beat at once, and reconcile. */
void dbl_reconcile_begin(struct dbl_locks *);

/* Right after a heartbeat went well by that link, on the heartbeat thread: if a connection of this
 * client has been lost since the last time. */
void dbl_reconcile(void *locks, struct dbl_link *, int64_t deadline);

/* As if a connection had been lost. */
void dbl_reconcile_soon(struct dbl_locks *);

#endif
