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
struct dbl_notifier;
struct dbl_sleeper;
struct dbl_suspects;
struct dbl_watchdog;
struct dblock_wait;

struct dbl_locks {
	const struct dbl_target *target;
	const struct dbl_env *env;
	const struct dbl_hooks *hooks;
	const struct dbl_host *host; /* who we are, as the session's row says; NULL: no session */
	int64_t pid;                 /* of the process that opened it */
	struct dbl_link *link;       /* for requests */
	struct dbl_link
		*steady; /* for what is durable though the client is relaxed; NULL: it is not */
	struct dbl_session *session;
	int64_t ttl;           /* us: of our session */
	int64_t timeout;       /* us: bound of one request */
	_Atomic int64_t until; /* no request goes on past it: set while closing */
	atomic_bool shut;      /* nobody waits any more: see client.h */
	atomic_uint inside;    /* calls that are under way, and may wait: see cancel.h */
	atomic_bool
		dequeue_due; /* a wait came to its end: its row is still there. src/lock/queue's */
	struct dbl_expected expected; /* names that others have been handed */
	/* Guards what follows, the modules' parts, and what handles say. */
	struct dbl_mutex mutex;
	bool closing;
	bool listens;             /* who takes a grant away can tell us: src/lock/notify's */
	atomic_uint attachments;  /* so many transactions depend on grants: src/lock/tx's */
	struct dbl_cond extended; /* an extension is over: extend.c */
	const struct dblock_lock *telling; /* whose callback is running; it may be gone after it */
	struct dbl_sleeper *sleepers;      /* see cancel.h */
	/* Each module's own part, which is known to it alone. */
	struct dbl_notifier *notifier;
	struct dbl_handles *handles;
	struct dbl_cache *cache;
	struct dbl_watchdog *watchdog;
	struct dbl_suspects *suspects; /* src/lock/admin's; NULL: none yet */
	struct dblock_wait *driven;    /* src/lock/wait's: those that their callers drive */
	struct dbl_attached *attached; /* src/lock/tx's */
	struct dbl_flight *flights;    /* src/lock/recipes's: results that threads ask for */
};

/* What a request gets even if its caller wanted to be back before. To a server: longer than it
 * waits for a row (on MySQL up to two seconds), since a request that is cut off on its way leaves
 * more to clear up than one that is late. A file is simply let go of. */
#define DBL_LEAST_SERVER_US 3000000
#define DBL_LEAST_FILE_US   100000

/* now + timeout: the deadline of a request sent now. */
static inline int64_t dbl_locks_deadline(const struct dbl_locks *locks)
{
	DBL_ASSERT(locks->timeout > 0 && locks->until > 0, "%lld, %lld", (long long)locks->timeout,
		   (long long)locks->until);
	return dbl_least(dbl_add(dbl_now(locks->env), locks->timeout), locks->until);
}

/* The same for a caller who wants to be back by `until`: not much later than that. On SQLite a
 * request may wait for the file until its deadline. */
static inline int64_t dbl_locks_deadline_by(const struct dbl_locks *locks, int64_t until)
{
	int64_t least = dbl_now(locks->env) +
			(locks->target->dialect->is_file ? DBL_LEAST_FILE_US : DBL_LEAST_SERVER_US);

	return dbl_least(until > least ? until : least, dbl_locks_deadline(locks));
}

#endif
