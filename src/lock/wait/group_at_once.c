/* SPDX-License-Identifier: MIT */
/*
 * Most often nobody is in a group's way. So it first asks for all its locks in one request, each as an
 * acquire of that lock alone would. If it does not get all, it gives back those it has got before it waits,
 * in its queues: it never holds one while it waits for another.
 */
#include "base/mem.h"
#include "lock/cache/posted.h"
#include "lock/grant/release.h"
#include "lock/handle/handle.h"
#include "lock/wait/group.h"
#include "lock/wait/wait_own.h"

/* What only a row of the queue can carry needs the queue; and of what was just handed over to somebody a
 * part of the group would be taken in vain. */
static bool may_be_had(const struct dbl_group *g)
{
	int64_t now = dbl_now(g->locks->env);

	for (unsigned i = 0; i < g->n; i++) {
		const struct dbl_acquire_spec *spec = &g->specs[i];

		if (spec->mode != DBLOCK_EXCLUSIVE ||
		    dbl_expects_held(&g->locks->expected, dbl_spec_hash(spec), now))
			return false;
	}
	return true;
}

static bool make_ready(struct dbl_group *g, int64_t by)
{
	for (unsigned i = 0; i < g->n; i++) {
		dbl_posted_flush(g->locks, g->specs[i].name, by);
		if (dbl_attempt_make_ready(&g->waits[i].attempt, by, NULL))
			return false;
	}
	return dbl_group_one_epoch(g);
}

static void ask(struct dbl_group *g, struct dbl_acquiring *asked, struct dbl_member *members,
		int64_t by)
{
	bool drawn = true;

	for (unsigned i = 0; i < g->n; i++) {
		drawn = dbl_attempt_ask(&g->waits[i].attempt, &asked[i], by) && drawn;
		members[i].request = &asked[i].request;
		members[i].rc = DBLOCK_E_NOMEM; /* no random numbers */
	}
	if (drawn)
		dbl_link_run_all(g->locks->link, members, g->n);
}

/* True: it is granted, and held. Else nothing is, or it is given back. */
static bool is_had(struct dbl_attempt *a, const struct dbl_acquiring *asked, int rc, int64_t by)
{
	rc = dbl_attempt_heard(a, asked, rc, NULL);
	if (rc == DBLOCK_E_UNSURE)
		(void)dbl_attempt_resolve(a, by, NULL); /* else a heartbeat gives it back */
	if (rc == 0)
		rc = dbl_attempt_accept(a, asked->sent, 0, NULL);
	if (rc)
		a->lock->grant.nonce = 0;
	return rc == 0;
}

static bool are_had(struct dbl_group *g, const struct dbl_acquiring *asked,
		    const struct dbl_member *members, int64_t by)
{
	unsigned n = 0;

	for (unsigned i = 0; i < g->n; i++)
		n += is_had(&g->waits[i].attempt, &asked[i], members[i].rc, by);
	return n == g->n;
}

static void give_back(struct dbl_group *g)
{
	for (unsigned i = 0; i < g->n; i++) {
		struct dblock_lock *lock = g->waits[i].attempt.lock;

		if (lock->grant.nonce)
			dbl_grant_take_back(lock);
		lock->grant.nonce = 0;
	}
}

bool dbl_group_take_at_once(struct dbl_group *g)
{
	int64_t by = dbl_attempt_deadline(&g->waits[0].attempt);
	struct dbl_member members[DBL_BATCH_MAX] = {0};
	struct dbl_acquiring *asked;
	bool had;

	if (!may_be_had(g) || !make_ready(g, by))
		return false;
	asked = dbl_alloc(g->n * sizeof(*asked));
	if (!asked)
		return false;
	ask(g, asked, members, by);
	had = are_had(g, asked, members, by);
	if (had)
		dbl_group_hand_in(g);
	else
		give_back(g);
	dbl_free(asked);
	return had;
}
