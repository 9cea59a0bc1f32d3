/* SPDX-License-Identifier: MIT */
/* The locks of one client: its work connection, its session, and the handles that are out. */
#ifndef DBL_LOCK_CORE_CONTEXT_H
#define DBL_LOCK_CORE_CONTEXT_H

#include <dblock/lock.h>

#include "base/thread.h"
#include "link/link.h"
#include "lock/core/expect.h"
#include "lock/core/hooks.h"
#include "session/session.h"

struct dbl_attached;
struct dbl_cache;
struct dbl_flight;
struct dbl_handles;
struct dbl_notify;
struct dbl_sleeper;
struct dbl_suspects;
struct dbl_watchdog;
struct dblock_wait;

struct dbl_locks {
	const struct dbl_target *target;
	const struct dbl_env *env;
	const struct dbl_hooks *hooks;
	struct dbl_link *link; /* for requests */
	struct dbl_link
		*steady; /* for what is durable though the client is relaxed; NULL: it is not */
	struct dbl_session *session;
	int64_t ttl;           /* us: of our session */
	int64_t timeout;       /* us: bound of one request */
	_Atomic int64_t until; /* no request goes on past it: set while closing */
	atomic_bool shut;      /* nobody waits any more: see client.h */
	atomic_uint inside;    /* calls that are under way, and may wait: see cancel.h */
	atomic_bool served; /* a wait came to its end: its row is still there. src/lock/queue's */
	struct dbl_expected expected; /* names that others have been handed */
	/* Guards what follows, the modules' parts, and what handles say. */
	struct dbl_mutex mutex;
	bool closing;
	const struct dblock_lock *telling; /* whose callback is running; it may be gone after it */
	struct dbl_sleeper *sleepers;      /* see cancel.h */
	/* Each module's own part, which is known to it alone. */
	struct dbl_notify *notify;
	struct dbl_handles *handles;
	struct dbl_cache *cache;
	struct dbl_watchdog *watchdog;
	struct dbl_suspects *suspects; /* src/lock/admin's; NULL: none yet */
	struct dblock_wait *driven;    /* src/lock/wait's: those that their callers drive */
	struct dbl_attached *attached; /* src/lock/tx's */
	struct dbl_flight *flights;    /* src/lock/recipes's: results that threads ask for */
};

/* now + timeout: the deadline of a request sent now. */
int64_t dbl_locks_deadline(const struct dbl_locks *);

/* The same for a caller who wants to be back by `until`: not much later than that. On SQLite a
 * request may wait for the file until its deadline. */
int64_t dbl_locks_deadline_by(const struct dbl_locks *, int64_t until);

#endif
