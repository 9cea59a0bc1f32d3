/* SPDX-License-Identifier: MIT */
#include "lock/core/cancel.h"

bool dbl_is_canceled(const struct dbl_locks *locks, const struct dbl_acquire_spec *spec)
{
	DBL_ASSERT_NOT_HELD(&locks->mutex);
	return dbl_is_shut_to(locks, spec) ||
	       (spec->canceled && spec->canceled(spec->canceled_arg));
}

bool dbl_sleep_asking(const struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		      int64_t until)
{
	int64_t now;

	while ((now = dbl_now(locks->env)) < until) {
		if (dbl_is_canceled(locks, spec))
			return false;
		dbl_sleep_until(locks->env, dbl_least(until, now + DBL_ASK_CALLER_US));
	}
	return true;
}

int dbl_tell_canceled(const struct dbl_locks *locks, const char *name, const char *what,
		      struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_CANCELED, "'%s': %s was canceled%s", name, what,
			atomic_load(&locks->shut) ? ": the client has been shut down" : "");
}

void dbl_sleeper_add(struct dbl_locks *locks, struct dbl_sleeper *sleeper)
{
	DBL_ASSERT_HELD(&locks->mutex);
	DBL_ASSERT(sleeper->cond && locks->sleepers != sleeper);
	sleeper->next = locks->sleepers;
	locks->sleepers = sleeper;
}

void dbl_sleeper_remove(struct dbl_locks *locks, struct dbl_sleeper *sleeper)
{
	struct dbl_sleeper **at = &locks->sleepers;

	DBL_ASSERT_HELD(&locks->mutex);
	while (*at && *at != sleeper)
		at = &(*at)->next;
	DBL_ASSERT(*at); /* the sleeper is in the list */
	*at = sleeper->next;
}

void dbl_sleepers_wake(struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	for (struct dbl_sleeper *s = locks->sleepers; s; s = s->next)
		dbl_cond_wake(s->cond);
}
