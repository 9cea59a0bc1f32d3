/* SPDX-License-Identifier: MIT */
#include "lock/wait/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lock/cache/posted.h"
#include "lock/cache/sticky.h"
#include "lock/core/value.h"
#include "lock/handle/handle.h"
#include "lock/wait/wait_own.h"

/* ---- beginning and ending -------------------------------------------------------------------- */

/* Returns the names as "a, b, c", or NULL if memory runs out. The caller frees the text. */
static char *all_names(const struct dbl_acquire_spec *specs, unsigned n)
{
	size_t size = 1, used = 0;
	char *text;

	for (unsigned i = 0; i < n; i++)
		size += strlen(specs[i].name) + 2;
	text = dbl_alloc(size);
	for (unsigned i = 0; text && i < n; i++) {
		size_t len = strlen(specs[i].name);

		if (i > 0) {
			memcpy(text + used, ", ", 2);
			used += 2;
		}
		memcpy(text + used, specs[i].name, len);
		used += len;
	}
	return text;
}

static int out_of_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

static int make_handle(struct dbl_group *g)
{
	char *names = all_names(g->specs, g->n);

	if (!names)
		return DBLOCK_E_NOMEM;
	g->lock = dbl_handle_new(g->locks, names, dbl_name_hash(names, strlen(names)),
				 dbl_owner_of(g->spec));
	dbl_free(names);
	if (!g->lock)
		return DBLOCK_E_NOMEM;
	g->lock->lost = g->spec->lost;
	g->lock->lost_arg = g->spec->lost_arg;
	g->lock->requested = g->spec->requested;
	g->lock->requested_arg = g->spec->requested_arg;
	g->lock->parts = dbl_alloc(g->n * sizeof(struct dblock_lock *));
	return g->lock->parts ? 0 : DBLOCK_E_NOMEM;
}

int dbl_group_begin(struct dbl_group *g, struct dbl_locks *locks,
		    const struct dbl_acquire_spec *common, struct dbl_acquire_spec *specs,
		    unsigned n, struct dblock_error *err)
{
	for (unsigned i = 1; i < n; i++) /* no name comes twice */
		DBL_ASSERT(strcmp(specs[i - 1].name, specs[i].name) < 0, "%s", specs[i].name);
	*g = (struct dbl_group){.locks = locks, .spec = common, .specs = specs, .n = n};
	dbl_suspicion_begin(&g->suspicion, locks, common);
	if (dbl_waiter_init(&g->waiter))
		return out_of_memory(err);
	g->waits = dbl_alloc(n * sizeof(*g->waits));
	if (!g->waits || make_handle(g)) {
		dbl_group_end(g);
		return out_of_memory(err);
	}
	for (; g->begun < n; g->begun++) {
		int rc;

		/* An idle grant of this client must not be in our own way. */
		dbl_sticky_give_back(locks, specs[g->begun].name);
		rc = dbl_wait_begin(&g->waits[g->begun], locks, &specs[g->begun], err);

		if (rc) {
			dbl_group_end(g);
			return rc;
		}
	}
	return 0;
}

void dbl_group_end(struct dbl_group *g)
{
	dbl_group_leave(g);
	for (unsigned i = 0; i < g->begun; i++)
		dbl_wait_end(&g->waits[i]);
	g->begun = 0;
	dbl_free(g->waits);
	g->waits = NULL;
	if (g->lock)
		dbl_handle_free(g->lock);
	g->lock = NULL;
	dbl_waiter_fini(&g->waiter);
}

void dbl_group_leave(struct dbl_group *g)
{
	dbl_notifier_remove(g->locks, &g->waiter);
	for (unsigned i = 0; i < g->begun; i++) {
		struct dbl_wait *w = &g->waits[i];

		if (!dbl_wait_leave(w))
			continue;
		while (dbl_leave_goes_on(&w->leave))
			(void)dbl_leave_step(&w->leave, dbl_attempt_deadline(&w->attempt));
	}
}

/* ---- taking ---------------------------------------------------------------------------------- */

struct taking {
	struct dbl_group *group;
	int64_t deadline;
};

static int take_granted(void *ctx, const struct dbl_value *row)
{
	struct dbl_advanced *granted = ctx;

	granted->token = row[1].i;
	granted->beat = row[3].i;
	return 0;
}

int dbl_group_take_part(struct dbl_wait *w, struct dbl_db *db, int64_t deadline,
			struct dblock_error *err)
{
	char tickets[DBL_TICKETS_MAX];
	struct dbl_value args[DBL_GRANT_ARGS];
	struct dbl_advanced granted = {.token = 0};
	struct dbl_request request = {.op = DBL_OP_grant,
				      .args = DBL_ARGS(args),
				      .row = take_granted,
				      .ctx = &granted,
				      .deadline = deadline};
	struct dbl_decision decision;
	int rc;

	dbl_policy_first(&w->queue, w->waiter.nonce, &decision);
	dbl_advance_grant_args(w->attempt.spec->name, &w->queue, &decision, tickets, args);
	rc = decision.n == 1 ? dbl_db_run(db, &request, err) : DBLOCK_BUSY;
	w->attempt.snapshot.row_token = granted.token;
	if (rc == 0 && granted.token == 0)
		return DBLOCK_BUSY;
	return rc == 0 && granted.beat < w->attempt.epoch->beat_there ? DBLOCK_LOST : rc;
}

static int take_each(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	const struct taking *t = ctx;
	int rc = 0;

	for (unsigned i = 0; i < t->group->n && rc == 0; i++)
		rc = dbl_group_take_part(&t->group->waits[i], db, t->deadline, err);
	return rc;
}

/* Whether an earlier call, whose reply was lost, has taken them all. */
static bool taken_before(const struct dbl_group *g)
{
	for (unsigned i = 0; i < g->n; i++) {
		if (g->waits[i].attempt.snapshot.row_token == 0)
			return false;
	}
	return true;
}

int dbl_group_accept_part(struct dbl_wait *w, int64_t sent, int64_t lease, struct dblock_error *err)
{
	struct dbl_attempt *a = &w->attempt;

	if (!dbl_handle_make_ready(a->lock))
		return out_of_memory(err);
	a->lock->grant.token = a->snapshot.row_token;
	a->lock->grant.nonce = w->waiter.nonce;
	a->lock->grant.carrier = &dbl_queue_row_carrier;
	dbl_grant_begin(a->lock);
	return dbl_attempt_accept(a, sent, lease, err);
}

static int accept(struct dbl_group *g, int64_t sent, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < g->n && rc == 0; i++)
		rc = dbl_group_accept_part(&g->waits[i], sent, 0, err);
	return rc;
}

void dbl_group_hand_in(struct dbl_group *g)
{
	struct dblock_lock *lock = g->lock;

	DBL_ASSERT(g->begun == g->n && lock->n_parts == 0, "%u of %u", g->begun, g->n);
	for (unsigned i = 0; i < g->n; i++) {
		struct dbl_wait *w = &g->waits[i];

		if (w->attempt.lock->grant.token > lock->grant.token)
			lock->grant.token = w->attempt.lock->grant.token;
		lock->parts[i] = w->attempt.lock;
		w->attempt.lock = NULL;
		w->waiter.nonce = 0;
		w->ticket = 0;
	}
	lock->n_parts = g->n;
	lock->grant.nonce = lock->parts[0]->grant.nonce;
	lock->grant.carrier = lock->parts[0]->grant.carrier;
	lock->grant.epoch = g->waits[0].attempt.epoch;
	dbl_epoch_share(lock->grant.epoch);
	dbl_grant_begin(lock);
	(void)dbl_grant_hold(lock, NULL); /* cannot fail in ASKED, where a grant begins */
	dbl_notifier_remove(g->locks, &g->waiter);
}

bool dbl_group_looks_again(const struct dbl_group *g, int rc)
{
	if (rc == DBLOCK_E_BLOCKED || rc == DBLOCK_E_UNSURE || rc == DBLOCK_E_CONFLICT)
		return true;
	return dbl_link_may_pass(g->locks->link, rc) &&
	       dbl_now(g->locks->env) < g->spec->wait_until;
}

int dbl_group_take(struct dbl_group *g, struct dblock_error *err)
{
	struct taking t = {.group = g, .deadline = dbl_attempt_deadline(&g->waits[0].attempt)};
	int64_t sent = dbl_now(g->locks->env);
	int rc = 0;

	for (unsigned i = 0; i < g->n; i++)
		dbl_posted_flush(g->locks, g->waits[i].attempt.spec->name, t.deadline);
	DBL_ASSERT(g->waiter.nonce != 0); /* it is in all queues */
	if (taken_before(g))
		sent = g->waits[0].asked_at;
	else
		rc = dbl_link_transaction(g->locks->link, take_each, &t, t.deadline, err);
	if (rc == 0)
		rc = accept(g, sent, err);
	if (rc == 0)
		dbl_group_hand_in(g);
	return dbl_group_looks_again(g, rc) ? DBLOCK_BUSY : rc;
}
