/* SPDX-License-Identifier: MIT */
#include "lock/core/retry.h"

#include <stdio.h>

#include "lock/core/blocked.h"
#include "lock/core/cancel.h"
#include "lock/core/make_durable.h"
#include "lock/core/name.h"

#define LOCKED_PAUSE_US 20000

bool dbl_pause_before_retry(const struct dbl_locks *locks, int64_t deadline)
{
	int64_t until = dbl_now(locks->env) + dbl_jitter(locks->env, LOCKED_PAUSE_US);

	DBL_ASSERT_NOT_HELD(&locks->mutex); /* this call sleeps */
	if (until >= deadline)
		return false;
	dbl_sleep_until(locks->env, until);
	return true;
}

int dbl_blocked_name(const struct dbl_locks *locks, const char *name, int code,
		     struct dblock_error *err)
{
	char what[DBL_NAME_MAX + 3];

	snprintf(what, sizeof(what), "'%s'", name);
	return dbl_blocked_tell(locks->link, dbl_locks_deadline(locks), what, code, err);
}

int dbl_run_again(struct dbl_link *link, const struct dbl_locks *locks, struct dbl_request *request,
		  struct dblock_error *err)
{
	int rc = DBLOCK_E_BLOCKED;

	while (rc == DBLOCK_E_BLOCKED && dbl_pause_before_retry(locks, request->deadline))
		rc = dbl_link_run(link, request, err);
	return rc;
}

int dbl_read_for(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		 enum dbl_patience patience, struct dbl_request *request, struct dblock_error *err)
{
	int rc;

	for (;;) {
		request->deadline = dbl_locks_deadline(locks);
		rc = dbl_link_run(locks->link, request, err);
		if (rc != DBLOCK_E_BLOCKED &&
		    !(patience == DBL_WHILE_IT_MAY_PASS && dbl_link_may_pass(locks->link, rc)))
			return rc;
		if (patience == DBL_AT_ONCE)
			return dbl_blocked_name(locks, spec->name, DBLOCK_BUSY, err);
		if (dbl_is_canceled(locks, spec))
			return dbl_tell_canceled(locks, spec->name, "the wait", err);
		if (dbl_pause_before_retry(locks, spec->wait_until))
			continue;
		return rc == DBLOCK_E_BLOCKED
			       ? dbl_blocked_name(locks, spec->name, DBLOCK_TIMEOUT, err)
			       : rc;
	}
}

int dbl_run_durable(struct dbl_locks *locks, struct dbl_request *request, struct dblock_error *err)
{
	struct dbl_link *link = dbl_durable_link(locks, true);
	int rc = dbl_link_run(link, request, err);

	return rc == DBLOCK_E_BLOCKED ? dbl_run_again(link, locks, request, err) : rc;
}

int dbl_stale(const char *name, int64_t token, struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_STALE, "'%s' is not held by the grant with token %lld", name,
			(long long)token);
}
