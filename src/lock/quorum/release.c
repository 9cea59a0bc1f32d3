/* SPDX-License-Identifier: MIT */
#include "lock/quorum/own.h"

#include "lock/core/timed.h"
#include "lock/handle/handle.h"
#include "lock/handle/traced.h"

/* How often it is seen who does not answer. */
#define LOOK_US 50000

static void await_rest(struct dbl_quorum_lock *l, int64_t until)
{
	struct dbl_locks *home = &l->quorum->home;

	/* No news is what tells that a member is slow. */
	while (!dbl_voters_rest(l) && dbl_now(home->env) < until)
		dbl_cond_wait(&l->news, &home->mutex, home->env,
			      dbl_least(until, dbl_now(home->env) + LOOK_US));
}

/* A majority that has freed it is what others need; the rest follows by itself. */
static void await_majority(struct dbl_quorum_lock *l, int64_t until)
{
	struct dbl_locks *home = &l->quorum->home;

	while (l->n_given_back < l->quorum->majority && dbl_voters_are_busy(l) &&
	       dbl_now(home->env) < until)
		dbl_cond_wait(&l->news, &home->mutex, home->env, until);
}

void dbl_quorum_give_back(struct dbl_quorum_lock *l, int64_t until)
{
	DBL_ASSERT_HELD(&l->quorum->home.mutex);
	l->wanted = false;
	dbl_voters_stir(l);
	await_rest(l, until);
}

/* It is held no more; once this returns, its callback does not run. */
static void leave(struct dbl_quorum_lock *l)
{
	struct dbl_quorum *q = l->quorum;

	dbl_hold_over(&l->base, dbl_now(q->home.env));
	*l->before = l->next;
	if (l->next)
		l->next->before = l->before;
	l->before = NULL;
	while (q->telling == l && q->teller_id != dbl_thread_id())
		dbl_cond_wait(&q->keep, &q->home.mutex, q->home.env, DBL_NEVER);
}

/* The majority is what others need. */
static int outcome(const struct dbl_quorum_lock *l, struct dblock_error *err)
{
	const struct dbl_quorum *q = l->quorum;

	if (l->lost)
		return dbl_fail(
			err, DBLOCK_LOST,
			"'%s' had been lost: no majority of its members voted for it any more",
			l->base.name);
	if (l->n_given_back >= q->majority)
		return 0;
	return dbl_fail(
		err, DBLOCK_E_UNSURE,
		"'%s': %u of %u members have said that it is free, %u are needed; the others "
		"give it back by themselves, by the end of the ttl",
		l->base.name, l->n_given_back, q->n, q->majority);
}

static int release(struct dblock_lock *lock, bool *last, struct dblock_error *err)
{
	struct dbl_quorum_lock *l = dbl_quorum_lock_of(lock);
	struct dbl_quorum *q = l->quorum;
	int64_t until = dbl_add(dbl_now(q->home.env), q->home.timeout);
	int rc = 0;

	dbl_lock(&q->home.mutex);
	*last = --lock->count == 0;
	if (!*last) {
		dbl_unlock(&q->home.mutex);
		return 0;
	}
	dbl_hold_check(l);
	leave(l);
	l->n_given_back = 0;
	l->wanted = false;
	dbl_voters_stir(l);
	if (l->lost)
		await_rest(l, until);
	else
		await_majority(l, until);
	rc = outcome(l, err);
	dbl_quorum_unref_unlock(l);
	return rc;
}

int dbl_quorum_release(struct dblock_lock *lock, struct dblock_error *err)
{
	bool last;

	return dbl_timed_on(lock->locks) ? dbl_release_traced(lock, release, err)
					 : release(lock, &last, err);
}
