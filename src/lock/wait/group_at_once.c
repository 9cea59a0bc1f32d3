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

static bool is_granted(const struct dbl_member *member)
{
	return member->rc == 0 && *(const int64_t *)member->request->ctx > 0;
}

/* What is not asked for, as others are not to be had, is as good as locked. */
static void ask(struct dbl_group *g, struct dbl_acquiring *asked, struct dbl_member *members,
		int64_t by)
{
	bool drawn = true;

	for (unsigned i = 0; i < g->n; i++) {
		drawn = dbl_attempt_ask(&g->waits[i].attempt, &asked[i], by) && drawn;
		members[i].request = &asked[i].request;
		members[i].apart = true;
	}
	if (drawn)
		dbl_link_run_all(g->locks->link, members, g->n, is_granted);
	for (unsigned i = 0; i < g->n; i++) {
		if (members[i].apart)
			members[i].rc = DBLOCK_E_BLOCKED;
	}
}

/* Notes what came of each. Returns whether all are granted. */
static bool hear(struct dbl_group *g, const struct dbl_acquiring *asked,
		 const struct dbl_member *members, int64_t by)
{
	bool all = true;

	for (unsigned i = 0; i < g->n; i++) {
		struct dbl_attempt *a = &g->waits[i].attempt;
		int rc = dbl_attempt_heard(a, &asked[i], members[i].rc, NULL);

		if (rc == DBLOCK_E_UNSURE)
			(void)dbl_attempt_resolve(a, by, NULL); /* else a heartbeat gives it back */
		if (rc)
			a->lock->grant.nonce = 0;
		all = all && rc == 0;
	}
	return all;
}

static bool accept_all(struct dbl_group *g, const struct dbl_acquiring *asked)
{
	bool all = true;

	for (unsigned i = 0; i < g->n && all; i++) {
		struct dbl_attempt *a = &g->waits[i].attempt;

		all = dbl_attempt_accept(a, asked[i].sent, 0, NULL) == 0;
		if (!all)
			a->lock->grant.nonce = 0; /* it was given back */
	}
	return all;
}

/* Returns the number of handles that have a grant. */
static unsigned granted(struct dbl_group *g, const struct dbl_acquiring *asked,
			struct dblock_lock **locks)
{
	unsigned n = 0;

	for (unsigned i = 0; i < g->n; i++) {
		struct dbl_attempt *a = &g->waits[i].attempt;

		if (!a->lock->grant.nonce)
			continue;
		dbl_grant_begin(a->lock);
		dbl_attempt_granted(a, asked[i].sent, 0);
		(void)dbl_grant_hold(a->lock, NULL); /* cannot fail where a grant begins */
		locks[n++] = a->lock;
	}
	return n;
}

/* In one request, and one timeout; what cannot be given back so is with a heartbeat. */
static void give_back(struct dbl_group *g, const struct dbl_acquiring *asked)
{
	struct dblock_lock *locks[DBL_BATCH_MAX];
	bool ended[DBL_BATCH_MAX];
	unsigned n = granted(g, asked, locks);

	if (n)
		(void)dbl_grants_end(locks, n, ended, NULL);
	for (unsigned i = 0; i < n; i++) {
		if (!ended[i])
			dbl_handle_give_back(locks[i], locks[i]->grant.token);
		locks[i]->grant.nonce = 0;
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
	had = hear(g, asked, members, by) && accept_all(g, asked);
	if (had)
		dbl_group_hand_in(g);
	else
		give_back(g, asked);
	dbl_free(asked);
	return had;
}
