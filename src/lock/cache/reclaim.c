/* SPDX-License-Identifier: MIT */
#include "lock/cache/reclaim.h"

#include <string.h>

#include "lock/cache/sticky.h"
#include "lock/notify/notifier.h"

/* How long to look: some of our own round trips, as it is not known how long a release takes there,
 * and not less than a loaded machine takes to wake two threads. */
#define ROUND_TRIPS 4
#define LEAST_US    20000
#define LOOK_US     1000

bool dbl_may_be_idle(const struct dbl_snapshot *snapshot)
{
	return dbl_is_held(snapshot) && snapshot->held_by_session && !snapshot->session_dead &&
	       snapshot->thread == DBL_THREAD_OF_IDLE;
}

static int64_t reclaim_time(const struct dbl_snapshot *snapshot)
{
	int64_t trips = ROUND_TRIPS * (snapshot->clock.after - snapshot->clock.before);

	DBL_ASSERT(trips >= 0, "%lld", (long long)trips);
	return trips > LEAST_US ? trips : LEAST_US;
}

int dbl_reclaim(struct dbl_attempt *a, struct dblock_error *err)
{
	const struct dbl_env *env = a->locks->env;
	const struct dbl_snapshot *snapshot = &a->snapshot;
	int64_t until = dbl_add(dbl_now(env), reclaim_time(snapshot));
	int rc = 0;

	/* A thread of our own client holds it. */
	if (a->epoch && strcmp(snapshot->session, a->epoch->id) == 0 &&
	    !dbl_sticky_keeps(a->locks, a->spec->name))
		return 0;
	/* Each round asks anew: the token that was named before may have changed since. */
	while (rc == 0 && dbl_may_be_idle(snapshot) && dbl_now(env) < until &&
	       dbl_notifier_wanted(a->locks, snapshot->host, snapshot->pid, snapshot->token)) {
		dbl_sleep_until(env, dbl_now(env) + LOOK_US);
		rc = dbl_look_by(&a->by, a->spec->name, a->epoch, 0, dbl_attempt_deadline(a),
				 &a->snapshot, err);
	}
	return rc;
}
