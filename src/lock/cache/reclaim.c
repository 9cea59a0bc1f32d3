/* SPDX-License-Identifier: MIT */
#include "lock/cache/reclaim.h"

#include <string.h>

#include "lock/cache/sticky.h"
#include "lock/notify/notifier.h"

/* What a release takes is not known: some of our own round trips, and not less than a loaded
 * machine takes to wake two threads. */
#define ROUND_TRIPS 4
#define LEAST_US    20000
#define LOOK_US     1000

bool dbl_is_kept(const struct dbl_sight *sight)
{
	return dbl_is_held(sight) && sight->held_by_session && !sight->session_dead &&
	       sight->thread == DBL_KEPT_THREAD;
}

/* For how long, from now on. */
static int64_t beg_time(const struct dbl_sight *sight)
{
	int64_t trips = ROUND_TRIPS * (sight->clock.after - sight->clock.before);

	DBL_ASSERT(trips >= 0, "%lld", (long long)trips);
	return trips > LEAST_US ? trips : LEAST_US;
}

int dbl_beg(struct dbl_attempt *a, struct dblock_error *err)
{
	const struct dbl_env *env = a->locks->env;
	const struct dbl_sight *sight = &a->sight;
	int64_t until = dbl_add(dbl_now(env), beg_time(sight));
	int rc = 0;

	/* A thread of ours needs it. */
	if (a->life && strcmp(sight->session, a->life->id) == 0 &&
	    !dbl_sticky_keeps(a->locks, a->wish->name))
		return 0;
	/* Each time anew: its token may have changed just then, and the first word have come early.
	 */
	while (rc == 0 && dbl_is_kept(sight) && dbl_now(env) < until &&
	       dbl_bells_tell_holder(a->locks, sight->host, sight->pid, sight->token)) {
		dbl_sleep_until(env, dbl_now(env) + LOOK_US);
		rc = dbl_look_by(&a->by, a->wish->name, a->life ? a->life->id : "", 0,
				 dbl_attempt_deadline(a), &a->sight, err);
	}
	return rc;
}
