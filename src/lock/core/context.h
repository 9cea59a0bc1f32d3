/* SPDX-License-Identifier: MIT */
/* The locks of one client: its work connection, its session, and the handles that are out. */
#ifndef DBL_LOCK_CORE_CONTEXT_H
#define DBL_LOCK_CORE_CONTEXT_H

#include <dblock/lock.h>

#include "base/bell.h"
#include "base/thread.h"
#include "base/turn.h"
#include "link/link.h"
#include "lock/core/expect.h"
#include "lock/core/hooks.h"
#include "lock/handle/held.h"
#include "lock/handle/spare.h"
#include "session/session.h"

struct dbl_doorbell;
struct dbl_flight;
struct dbl_local;
struct dbl_posted;
struct dbl_revocation;
struct dbl_sleeper;
struct dbl_stake;
struct dbl_steward;
struct dbl_waiter;

/* Sessions that look dead, as the reaper has seen them: see suspect.c. */
struct dbl_suspects {
	struct dbl_item *items;
	size_t n, room;
};

struct dbl_locks {
	const struct dbl_target *target;
	const struct dbl_env *env;
	const struct dbl_hooks *hooks;
	struct dbl_link *link; /* for requests */
	struct dbl_link
		*steady; /* for what is durable though the client is relaxed; NULL: it is not */
	struct dbl_session *session;
	int64_t timeout;              /* us: bound of one request */
	_Atomic int64_t until;        /* no request goes on past it: set while closing */
	atomic_bool shut;             /* nobody waits any more: see shutdown.h */
	atomic_uint inside;           /* calls that are under way, and may wait */
	struct dbl_sleeper *sleepers; /* under the mutex: see cancel.h */
	struct dbl_thread sentinel;
	uint64_t sentinel_id;
	struct dbl_mutex mutex; /* guards what follows, and what its handles say */
	struct dbl_spare spare;
	struct dblock_lock
		*all; /* that there are: also those not granted yet, and being released */
	struct dbl_held held;
	struct dblock_lock
		*coming;          /* acquired in transactions that are not known to be committed */
	struct dbl_stake *stakes; /* what locks have at stake in transactions: see stake.h */
	struct dbl_cond news;     /* for the sentinel, */
	int64_t sentinel_until;   /* which sleeps until then; 0: it is awake, or woken */
	int64_t sentinel_next;    /* the end of what it was woken for last */
	struct dbl_cond told;     /* a callback has returned */
	struct dblock_lock *telling; /* whose callback is running */
	_Atomic int64_t rung_early;  /* somebody asks for a token that we do not know (yet) */
	bool closing;
	/* How waiting calls are woken: see bells.h. */
	unsigned wake_off; /* DBLOCK_WAKE_*: ways not to be used; set right after opening */
	struct dbl_waiter *waiting;
	struct dblock_wait *driven; /* those that their callers drive */
	struct dbl_bell *bell;      /* NULL: there is none (yet) */
	bool bell_tried;
	struct dbl_thread listener;
	struct dbl_doorbell *doorbell; /* likewise */
	bool doorbell_tried;
	struct dbl_flight *flights;   /* of results that threads of this client ask for */
	struct dbl_expected expected; /* names that others have been handed */
	struct dbl_posted *posted;    /* releases that nobody waits for; NULL: all are waited for */
	atomic_bool served;           /* a wait came to its end: its row is still there */
	/* See reconcile.c; but for serials the keeper's alone: */
	bool unreconciled;
	int64_t losses;          /* of connections, as noticed last */
	uint64_t serial_at_loss; /* of the youngest handle then */
	uint64_t serial;         /* of the youngest handle */
	_Atomic int64_t feigned; /* of which so many were none */
	_Atomic int64_t passes;  /* so often has it been done */
	atomic_bool asked; /* somebody may have asked us to let go, or need not any more: look */
	struct dbl_revocation *revoked; /* what others took away of ours: see revoked.h */
	atomic_bool revoked_released;   /* what was lost by that has been given back: look */
	struct dbl_local *local;        /* threads that wait for threads of ours: see local.h */
	unsigned local_turns;           /* 0: none is passed on; set right after opening */
	struct dbl_steward
		*steward; /* of what is kept idle: see sticky.h; NULL: nothing ever was */
	atomic_uint n_idle;
	int64_t ttl;                  /* us: of our session */
	struct dbl_suspects suspects; /* under the mutex */
};

/* now + timeout: the deadline of a request sent now. */
int64_t dbl_locks_deadline(const struct dbl_locks *);

/* The same for a caller who wants to be back by `until`: not much later than that. On SQLite a
 * request may wait for the file until its deadline. */
int64_t dbl_locks_deadline_by(const struct dbl_locks *, int64_t until);

#endif
