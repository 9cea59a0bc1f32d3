/* SPDX-License-Identifier: MIT */
/*
 * What carries a grant in the database: the lock's own row, where one holder has the lock alone and
 * did not wait in the queue, or else a row of the queue (dblock_queue), which may be one of several
 * that hold the lock. Each has its own operations for what is done to a grant. Inside src/lock.
 */
#ifndef DBL_LOCK_HANDLE_CARRIER_H
#define DBL_LOCK_HANDLE_CARRIER_H

#include "session/session.h"
#include "sql/op.h"

struct dbl_carrier {
	enum dbl_op release; /* arguments: name, token, nonce */
	enum dbl_op extend;  /* name, token, nonce, lease */
	enum dbl_op reentry; /* name, token, nonce, count */
	enum dbl_op value;   /* name, token, nonce, value */
	/* In a transaction of the caller's, where a row of the queue is named by its ticket: */
	enum dbl_op fence_share, fence_update;
	enum dbl_op fence_write; /* name, token or ticket, nonce */
	enum dbl_op idle;        /* nobody has the row locked */
	/* Gives the grant back with a later heartbeat, by its nonce; a token of 0 is any. */
	void (*give_back)(struct dbl_session *, struct dbl_cleanup *, int64_t token, int64_t nonce);
};

extern const struct dbl_carrier dbl_own_row, dbl_queue_row_carrier;

#endif
