/* SPDX-License-Identifier: MIT */
#include "lock/handle/traced.h"

#include "base/mem.h"
#include "lock/core/timed.h"

/* The name is copied, as the handle is gone when it is told. */
int dbl_release_traced(struct dblock_lock *lock, dbl_release_fn *release, struct dblock_error *err)
{
	struct dbl_locks *locks = lock->locks;
	char *name = dbl_strdup(lock->name);
	int64_t since = lock->since;
	struct dbl_span span = {.phase = DBLOCK_PHASE_RELEASE,
				.name = name ? name : "",
				.token = lock->grant.token,
				.began = dbl_now(locks->env)};
	struct dbl_span hold = span;
	bool last;

	hold.phase = DBLOCK_PHASE_HOLD;
	hold.until = span.began;
	hold.began = since;
	span.outcome = release(lock, &last, err);
	hold.outcome = span.outcome == DBLOCK_LOST ? DBLOCK_LOST : DBLOCK_OK;
	if (last && since)
		dbl_timed_tell(locks, &hold);
	dbl_timed_tell(locks, &span);
	dbl_free(name);
	return span.outcome;
}
