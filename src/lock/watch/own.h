/* SPDX-License-Identifier: MIT */
/* The watchdog: src/lock/watch alone, and its tests. */
#ifndef DBL_LOCK_WATCH_OWN_H
#define DBL_LOCK_WATCH_OWN_H

#include "base/thread.h"
#include "lock/handle/lock.h"

struct dbl_revocation;

/* Under locks->mutex, but for what is atomic and what is the heartbeat thread's. */
struct dbl_watchdog {
	struct dbl_thread thread;
	uint64_t thread_id;
	struct dbl_cond news; /* for the thread, */
	int64_t sleeps_until; /* which sleeps until then; 0: it is awake, or woken */
	int64_t next;         /* the end of what it was woken for last */
	struct dbl_cond told; /* a callback has returned */
	/* Requests to let go: requested.h. */
	atomic_bool look_for_requests; /* there may be news of that: look */
	_Atomic int64_t wanted_early;  /* somebody asks for a token that we do not know (yet) */
	/* What others took away of ours: revoked.h. */
	struct dbl_revocation *revoked;
	atomic_bool revoked_released; /* what was lost by that has been given back: look */
	/* After lost connections: reconcile.c. The keeper's alone, but for the serial. */
	bool unreconciled;
	int64_t losses;            /* of connections, as noticed last */
	uint64_t serial_at_loss;   /* of the youngest handle then */
	_Atomic int64_t simulated; /* of which so many were none */
	_Atomic int64_t passes;    /* so often has it been done */
};

#endif
