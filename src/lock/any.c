/* SPDX-License-Identifier: MIT */
/* Any one of several locks: each is tried in the caller's order; if none is free, the call waits in the
 * queues of all. */
#include "lock/core/cancel.h"
#include "lock/core/timed.h"
#include "lock/handle/handle.h"
#include "lock/lock.h"
#include "lock/wait/group.h"

/* Whether the next one is worth a try: it was not this one's fault, or time will tell. */
static bool goes_on(const struct dbl_locks *locks, const struct dbl_acquire_spec *common, int rc)
{
	return rc == DBLOCK_BUSY || (!common->tries && dbl_link_may_pass(locks->link, rc));
}

/* This client has just handed it to others, so a wait need not ask. */
static bool is_expected_held(struct dbl_locks *locks, const struct dbl_acquire_spec *common,
			     const struct dbl_acquire_spec *spec)
{
	return !common->tries &&
	       dbl_expects_held(&locks->expected, dbl_spec_hash(spec), dbl_now(locks->env));
}

/* The first failure is told. */
static int try_each(struct dbl_locks *locks, const struct dbl_any *wanted, struct dblock_lock **out,
		    const char **name, struct dblock_error *err)
{
	struct dblock_error why = {.code = DBLOCK_BUSY};
	bool reentered;
	int rc = DBLOCK_BUSY;

	for (unsigned i = 0; i < wanted->n; i++) {
		if (is_expected_held(locks, wanted->common, &wanted->given[i]))
			continue;
		*name = wanted->given[i].name;
		rc = dbl_lock_try_untold(locks, &wanted->given[i], out, &reentered, &why);
		if (err && (i == 0 || rc < 0))
			*err = why;
		if (rc == 0 || !goes_on(locks, wanted->common, rc))
			break;
	}
	return rc;
}

static int any(struct dbl_locks *locks, const struct dbl_any *wanted, struct dblock_lock **out,
	       const char **name, struct dblock_error *err)
{
	const struct dbl_acquire_spec *common = wanted->common;
	int rc = dbl_group_check_not_held(locks, common, wanted->given, wanted->n, err);

	if (rc)
		return rc;
	if (!common->tries && dbl_is_shut_to(locks, common))
		return dbl_tell_canceled(locks, common->name, "the wait", err);
	rc = try_each(locks, wanted, out, name, err);
	if (common->tries && rc == DBLOCK_BUSY && err)
		dbl_err_suffix(err, "; nor is any other of the %u to be had", wanted->n);
	if (rc == 0 || common->tries || !goes_on(locks, common, rc))
		return rc;
	return dbl_group_wait_any(locks, common, wanted->sorted, wanted->n, out, name, err);
}

int dbl_lock_any(struct dbl_locks *locks, const struct dbl_any *wanted, struct dblock_lock **out,
		 struct dblock_error *err)
{
	DBL_INSIDE(locks);
	const struct dbl_acquire_spec *common = wanted->common;
	struct dbl_span span = {.phase = common->tries ? DBLOCK_PHASE_TRY : DBLOCK_PHASE_ACQUIRE,
				.name = common->name,
				.began = dbl_now(locks->env)};

	span.outcome = any(locks, wanted, out, &span.name, err);
	span.outcome = dbl_lock_number(common, span.outcome, out, err);
	if (*out && dbl_timed_on(locks))
		span.token = dbl_handle_token(locks, span.name, *out);
	dbl_timed_acquire(locks, &span, false);
	return span.outcome;
}
