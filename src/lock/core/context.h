/* SPDX-License-Identifier: MIT */
/* What all modules of src/lock share about one client: its connections, session and mutex. */
#ifndef DBL_LOCK_CORE_CONTEXT_H
#define DBL_LOCK_CORE_CONTEXT_H

#include <dblock/lock.h>

#include "base/thread.h"
#include "link/link.h"
#include "lock/core/calls.h"
#include "lock/core/event_log.h"
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
struct dbl_workers;
struct dblock_wait;

struct dbl_locks {
	const struct dbl_target *target;
	const struct dbl_env *env;
	struct dbl_tally *tally; /* its calls are counted there, and told of; NULL: they are not */
	const struct dbl_hooks *hooks;
	const struct dbl_calls *calls;
	const struct dbl_host *host; /* host and process, as in the session's row, or NULL */
	struct dbl_link *link;       /* the work connection, for requests */
	struct dbl_link *steady; /* for requests that are durable in a relaxed client; else NULL */
	struct dbl_session *session;
	int64_t ttl;             /* us; of our session */
	int64_t timeout;         /* us; upper bound of one request */
	_Atomic int64_t until;   /* deadline of all requests; set while closing */
	bool parks;              /* it keeps no connection while it only holds */
	atomic_bool shut;        /* the client is shut down, no call waits any more: see client.h */
	atomic_uint inside;      /* number of calls under way that may wait: see cancel.h */
	atomic_bool hands_over;  /* src/lock/wait's: a connection knows that statement */
	atomic_bool dequeue_due; /* src/lock/queue's: rows of ended waits are to be deleted */
	_Atomic int64_t rows_locked_until; /* a guess: see release.c */
	struct dbl_expected expected;      /* locks that were just handed to others */
	/* This mutex guards what follows, the modules' parts, and the shared members of handles. */
	struct dbl_mutex mutex;
	bool closing;
	bool listens;                   /* the socket has been opened, or cannot be: notifier.c */
	atomic_uint attachments;        /* src/lock/tx's: number of attachments */
	struct dbl_cond extended;       /* signaled when an extension has ended: extend.c */
	struct dbl_event_log event_log; /* what happened and is not written yet */
	const struct dblock_lock *telling; /* its callback runs; it may be freed after that */
	struct dbl_sleeper *sleepers;      /* waiting calls, for a shutdown: see cancel.h */
	/* Each module's own part, which only that module can see into. */
	struct dbl_notifier *notifier;
	struct dbl_handles *handles;
	struct dbl_cache *cache;
	struct dbl_watchdog *watchdog;
	struct dbl_suspects *suspects; /* src/lock/admin's; NULL: none yet */
	/* begun.c's. There are no workers before the first call is begun. */
	struct dbl_workers *workers;
	struct dblock_wait *begun;
	struct dbl_attached *attached; /* src/lock/tx's */
	struct dbl_flight *flights;    /* src/lock/recipes's: results that threads ask for */
};

/* The least time that a request gets, even if its caller wants to be back sooner. To a server it is
 * longer than the server waits for a row (on MySQL up to two seconds), since a request that is cut
 * off leaves more to clean up than one that is late. A file needs no such cleanup. */
#define DBL_LEAST_SERVER_US 3000000
#define DBL_LEAST_FILE_US   100000

/* The deadline of a request that is sent now. */
static inline int64_t dbl_locks_deadline(const struct dbl_locks *locks)
{
	DBL_ASSERT(locks->timeout > 0 && locks->until > 0, "%lld, %lld", (long long)locks->timeout,
		   (long long)locks->until);
	return dbl_least(dbl_add(dbl_now(locks->env), locks->timeout), locks->until);
}

/* Likewise for a caller who wants to be back by `until`: the deadline is not much later than that.
 * On SQLite a request may wait for the file until its deadline. */
static inline int64_t dbl_locks_deadline_by(const struct dbl_locks *locks, int64_t until)
{
	int64_t least = dbl_now(locks->env) +
			(locks->target->dialect->is_file ? DBL_LEAST_FILE_US : DBL_LEAST_SERVER_US);

	return dbl_least(until > least ? until : least, dbl_locks_deadline(locks));
}

#endif
