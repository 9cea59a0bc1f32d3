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
	dbl_trace_tell(locks->tally, locks->env, span);
	dbl_go_out(&locks);
}
