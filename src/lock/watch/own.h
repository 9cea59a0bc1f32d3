/* SPDX-License-Identifier: MIT */
/* The watchdog's state. Only src/lock/watch and its tests include this. */
#ifndef DBL_LOCK_WATCH_OWN_H
#define DBL_LOCK_WATCH_OWN_H

#include "base/thread.h"
#include "lock/handle/lock.h"

struct dbl_pass;
struct dbl_revocation;
struct dbl_states;

/* Under locks->mutex, but for what is atomic, or the heartbeat thread's alone. */
struct dbl_watchdog {
	struct dbl_thread thread;
	uint64_t thread_id;
	struct dbl_cond news;      /* wakes the watchdog's thread */
	int64_t sleeps_until;      /* when that wakes by itself; 0: it is awake, or was woken */
	int64_t next;              /* when the grant ends that it was woken for last */
	struct dbl_cond told;      /* a callback has returned */
	struct dbl_states *states; /* states.h; NULL: nobody listens */
	/* Requests to let go: requested.h. */
	atomic_bool look_for_requests; /* there may be some: the heartbeat thread has to look */
	_Atomic int64_t wanted_early;  /* the token of a request whose grant is not known yet */
	/* Grants of ours that others took away: revoked.h. */
	struct dbl_revocation *revoked;
	atomic_bool revoked_released; /* such a handle was released: look what is over */
	/* After lost connections: reconcile.c. The heartbeat thread's alone, but for the serial. */
	bool unreconciled;
	struct dbl_pass *pass;     /* that has not read all yet; or NULL */
	int64_t losses;            /* connections that were lost, when it looked last */
	uint64_t serial_at_loss;   /* the serial of the youngest handle then */
	_Atomic int64_t simulated; /* losses of dbl_reconcile_soon(): no connection was lost */
	_Atomic int64_t passes;    /* how often all has been reconciled */
};

#endif
