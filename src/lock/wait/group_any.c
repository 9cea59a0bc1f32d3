/* SPDX-License-Identifier: MIT */
/* A wait for any one of several names takes the first that it may have: see group.h. */
#include <string.h>

#include "lock/cache/cache.h"
#include "lock/cache/posted.h"
#include "lock/core/cancel.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/queue/advance.h"
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
					 dbl_int(w->ticket), dbl_int(g->waiter.nonce)};
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

struct taking {
	struct dbl_wait *chosen;
	int64_t deadline;
};

static int leave_the_rest(const struct taking *t, struct dbl_db *db, struct dblock_error *err)
{
	const struct dbl_wait *w = t->chosen;
	const struct dbl_value args[] = {dbl_text(w->attempt.epoch->id),
					 dbl_int(dbl_thread_of(w->attempt.spec)),
					 dbl_int(w->ticket), dbl_int(w->waiter.nonce)};
	struct dbl_request request = {
		.op = DBL_OP_dequeue_rest, .args = DBL_ARGS(args), .deadline = t->deadline};

	return dbl_db_run(db, &request, err);
}

/* In one transaction: it never has one of them and a place in the queue of another. */
static int take_and_leave(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	const struct taking *t = ctx;
	int rc = dbl_group_take_part(t->chosen, db, t->deadline, err);

	return rc ? rc : leave_the_rest(t, db, err);
}

/* Where it stood first others were passed over for its sake. Nobody but it knows that it has left. */
static void make_way(const struct dbl_group *g, int64_t by)
{
	for (unsigned i = 0; i < g->n; i++) {
		struct dbl_wait *w = &g->waits[i];

		w->waiter.nonce = 0;
		w->ticket = 0;
		if (w != g->chosen)
			(void)dbl_queue_advance(g->locks, w->attempt.spec->name, by, NULL);
	}
}

/* By an earlier call whose answer was lost: then the end of a lease is read, not counted. */
static int accept_seen(struct dbl_wait *w, struct dblock_error *err)
{
	const struct dbl_snapshot *seen = &w->attempt.snapshot;

	if (seen->row_left != DBL_UNKNOWN)
		return dbl_group_accept_part(w, seen->clock.before, seen->row_left, err);
	return dbl_group_accept_part(w, w->asked_at, w->attempt.spec->lease, err);
}

static int take(struct dbl_group *g, int64_t by, struct dblock_error *err)
{
	struct taking t = {.chosen = g->chosen, .deadline = by};
	int64_t sent = dbl_now(g->locks->env);
	int rc = dbl_link_transaction(g->locks->link, take_and_leave, &t, by, err);

	return rc ? rc : dbl_group_accept_part(t.chosen, sent, t.chosen->attempt.spec->lease, err);
}

int dbl_group_take_any(struct dbl_group *g, struct dblock_error *err)
{
	struct dbl_wait *w = g->chosen;
	int64_t by = dbl_attempt_deadline(&w->attempt);
	bool before = w->attempt.snapshot.row_token != 0;
	int rc;

	DBL_ASSERT(g->any && w->ready && g->waiter.nonce);
	dbl_posted_flush(g->locks, w->attempt.spec->name, by);
	rc = before ? accept_seen(w, err) : take(g, by, err);
	if (rc)
		return dbl_group_looks_again(g, rc) ? DBLOCK_BUSY : rc;
	dbl_notifier_remove(g->locks, &g->waiter);
	w->waiter.nonce =
		0; /* the row with it carries the grant; other rows are left as they are found */
	w->ticket = 0;
	if (!before)
		make_way(g, by);
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
