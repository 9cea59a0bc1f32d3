/* SPDX-License-Identifier: MIT */
/* A wait for any one of several names takes the one that it is granted: see group.h. */
#include <string.h>

#include "lock/cache/cache.h"
#include "lock/cache/posted.h"
#include "lock/core/cancel.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/wait/group.h"
#include "lock/wait/wait_own.h"

/* ---- looking --------------------------------------------------------------------------------- */

static int mark_free(void *ctx, const struct dbl_value *row)
{
	struct dbl_group *g = ctx;

	for (unsigned i = 0; i < g->n; i++) {
		const char *name = g->specs[i].name;

		if (strlen(name) == row[0].len && memcmp(name, row[0].text, row[0].len) == 0)
			g->waits[i].may_be_free = true;
	}
	return 0;
}

int dbl_group_find_free(struct dbl_group *g, struct dblock_error *err)
{
	const struct dbl_wait *w = &g->waits[0];
	const struct dbl_value args[] = {dbl_text(w->attempt.epoch->id),
					 dbl_int(dbl_thread_of(w->attempt.spec)),
					 dbl_int(g->waiter.nonce)};
	struct dbl_request request = {.op = DBL_OP_any_free,
				      .args = DBL_ARGS(args),
				      .row = mark_free,
				      .ctx = g,
				      .deadline = dbl_attempt_deadline(&w->attempt)};

	for (unsigned i = 0; i < g->n; i++)
		g->waits[i].may_be_free = false;
	return dbl_link_run(g->locks->link, &request, err);
}

/* ---- taking ---------------------------------------------------------------------------------- */

int dbl_group_take_any(struct dbl_group *g, struct dblock_error *err)
{
	struct dbl_wait *w = g->chosen;
	const struct dbl_snapshot *seen = &w->attempt.snapshot;
	int rc;

	DBL_ASSERT(g->any && w->ready && seen->row_token && g->waiter.nonce);
	dbl_posted_flush(g->locks, w->attempt.spec->name, dbl_attempt_deadline(&w->attempt));
	if (seen->row_left != DBL_UNKNOWN)
		rc = dbl_group_accept_part(w, seen->clock.before, seen->row_left, err);
	else
		rc = dbl_group_accept_part(w, w->asked_at, w->attempt.spec->lease, err);
	if (rc)
		return dbl_group_looks_again(g, rc) ? DBLOCK_BUSY : rc;
	dbl_notifier_remove(g->locks, &g->waiter);
	/* Its other places went by the transaction that granted it this one, whose row carries the grant. */
	for (unsigned i = 0; i < g->n; i++)
		g->waits[i].waiter.nonce = g->waits[i].ticket = 0;
	return 0;
}

/* ---- the call -------------------------------------------------------------------------------- */

int dbl_group_wait_any(struct dbl_locks *locks, const struct dbl_acquire_spec *common,
		       struct dbl_acquire_spec *specs, unsigned n, struct dblock_lock **out,
		       const char **name, struct dblock_error *err)
{
	struct dbl_group group;
	int rc = dbl_group_begin(&group, locks, common, specs, n, err);

	if (rc)
		return rc;
	group.any = true;
	rc = dbl_group_wait(&group, err);
	DBL_ASSERT(rc != DBLOCK_WAITING && rc != DBLOCK_E_BLOCKED && rc != DBLOCK_BUSY, "%d", rc);
	if (rc == 0) {
		struct dbl_attempt *a = &group.chosen->attempt;

		dbl_notifier_count(locks, &group.waiter, group.slept);
		a->lock->owner = dbl_owner_of(a->spec);
		*name = a->spec->name;
		*out = dbl_cache_publish(a);
	}
	dbl_group_end(&group);
	return rc;
}
