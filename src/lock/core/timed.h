/* SPDX-License-Identifier: MIT */
/* Calls that are timed: counted in the client's tally, and told to whom traces them. Inside
 * src/lock, and of src/api where a call has no function of its own here. */
#ifndef DBL_LOCK_CORE_TIMED_H
#define DBL_LOCK_CORE_TIMED_H

#include "base/tally.h"
#include "lock/core/context.h"

/* Tells of a span that ends now, or at span->until. No mutex is held. */
void dbl_timed_tell(struct dbl_locks *, const struct dbl_span *);

static inline bool dbl_timed_on(const struct dbl_locks *locks)
{
	return dbl_trace_on(locks->tally);
}

/* An acquire is over: the span's outcome says how. */
static inline void dbl_timed_acquire(struct dbl_locks *locks, const struct dbl_span *span,
				     bool reentered)
{
	struct dbl_tally *tally = locks->tally;

	if (!tally)
		return;
	if (reentered)
		DBL_COUNT(tally, reentered);
	else
		dbl_tally_acquire(tally, span->outcome, dbl_now(locks->env) - span->began);
	if (dbl_timed_on(locks))
		dbl_timed_tell(locks, span);
}

#endif
