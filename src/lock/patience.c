/* SPDX-License-Identifier: MIT */
#include "lock/patience.h"

#include "lock/settle.h"

#define LOCKED_PAUSE_US 20000

bool dbl_pause_before_retry(const struct dbl_locks *locks, int64_t deadline)
{
	int64_t until = dbl_now(locks->env) + dbl_jitter(locks->env, LOCKED_PAUSE_US);

	if (until >= deadline)
		return false;
	dbl_sleep_until(locks->env, until);
	return true;
}

static int run_on(struct dbl_link *link, const struct dbl_locks *locks, struct dbl_request *request,
		  struct dblock_error *err)
{
	int rc;

	do
		rc = dbl_link_run(link, request, err);
	while (rc == DBLOCK_E_LOCKED && dbl_pause_before_retry(locks, request->deadline));
	return rc;
}

int dbl_run_patiently(struct dbl_locks *locks, struct dbl_request *request,
		      struct dblock_error *err)
{
	return run_on(locks->link, locks, request, err);
}

int dbl_run_settled(struct dbl_locks *locks, struct dbl_request *request, struct dblock_error *err)
{
	return run_on(dbl_settled_link(locks, true), locks, request, err);
}

int dbl_lost_before(const struct dblock_lock *lock, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_LOST,
			"'%s' (token %lld) had been lost before: its %s ended, or it was broken",
			lock->name, (long long)lock->token, lock->has_lease ? "lease" : "session");
}

int dbl_stale(const char *name, int64_t token, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_STALE, "'%s' is not held by the grant with token %lld", name,
			(long long)token);
}
