/* SPDX-License-Identifier: MIT */
#include "lock/core/timed.h"

#include "lock/core/cancel.h"

void dbl_timed_tell(struct dbl_locks *locks, const struct dbl_span *span)
{
	if (!dbl_timed_on(locks))
		return;
	DBL_ASSERT_NOT_HELD(&locks->mutex);
	/* The callback cannot close the client meanwhile. */
	dbl_go_in(locks);
	dbl_trace_tell(locks->target->tally, locks->env, span);
	dbl_go_out(&locks);
}

void dbl_timed_acquire(struct dbl_locks *locks, const struct dbl_span *span, bool reentered)
{
	struct dbl_tally *tally = locks->target->tally;

	if (!tally)
		return;
	if (reentered)
		DBL_COUNT(tally, reentered);
	else
		dbl_tally_acquire(tally, span->outcome, dbl_now(locks->env) - span->began);
	dbl_timed_tell(locks, span);
}
