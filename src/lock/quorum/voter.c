/* SPDX-License-Identifier: MIT */
/* Brings each member's vote to where the handle wants it: asked for, confirmed, extended, or given
 * back. What is to be done next is seen from how things stand, not from how they came about; so an
 * answer that comes late, when nobody waits for it any more, is dealt with like any other. */
#include "lock/quorum/member.h"

#include "base/mem.h"
#include "lock/core/name.h"
#include "lock/handle/state.h"

/* It is told that the grant is over, but that may have been before it was noted as a vote. */
bool dbl_voter_is_over(const struct dbl_voter *v)
{
	return v->over || v->serial != atomic_load(&v->member->serial) ||
	       dbl_grant_left(v->part) == 0;
}

int64_t dbl_voter_left(const struct dbl_voter *v)
{
	if (!v->part || !v->checked || dbl_voter_is_over(v))
		return 0;
	return dbl_least(dbl_grant_left(v->part), dbl_member_left(v->member));
}

/* Only for a caller who stands in line: who has got the lock, or gives it up, waits for no look. */
static bool is_to_be_looked_at(const struct dbl_voter *v)
{
	return v->lock->in_line && v->looked != v->lock->looks && v->member->locks;
}

/* Once the lock is held a vote counts at any token; but whoever has a lease's token is to find it.
 */
static bool is_to_be_raised(const struct dbl_voter *v)
{
	const struct dbl_quorum_lock *l = v->lock;

	return v->token < l->raise && (!l->held || l->spec.lease);
}

/* It came after the lease was had, at a larger token: whoever has the lease's does not find it. */
static bool is_beyond_lease(const struct dbl_voter *v)
{
	const struct dbl_quorum_lock *l = v->lock;

	return l->held && l->spec.lease && v->token > l->base.grant.token;
}

static enum dbl_act next_act(const struct dbl_voter *v)
{
	const struct dbl_quorum_lock *l = v->lock;

	if (v->part && (!l->wanted || dbl_voter_is_over(v) || is_beyond_lease(v)))
		return DBL_ACT_RELEASE;
	if (!l->wanted)
		return is_to_be_looked_at(v) ? DBL_ACT_LOOK : DBL_ACT_NONE;
	if (!v->part)
		return v->round == l->round ? DBL_ACT_NONE : DBL_ACT_ASK;
	if (!v->checked || is_to_be_raised(v))
		return DBL_ACT_CONFIRM;
	return v->extended == l->extends ? DBL_ACT_NONE : DBL_ACT_EXTEND;
}

/* On a worker of the member's. */
static void act_until_at_rest(struct dbl_job *job)
{
	struct dbl_voter *v = (struct dbl_voter *)job;
	struct dbl_quorum_lock *l = v->lock;
	enum dbl_act act;
	bool answered;

	dbl_lock(&l->quorum->home.mutex);
	answered = !v->member->slow; /* who is not asked is as slow as before */
	while ((act = next_act(v)) != DBL_ACT_NONE) {
		answered = dbl_member_answers(dbl_voter_act(v, act));
		dbl_cond_wake(&l->news);
	}
	v->busy = false;
	dbl_member_end(v->member, answered);
	dbl_cond_wake(&l->news);
	dbl_quorum_unref_unlock(l);
}

/* ---- who waits for it ------------------------------------------------------------------------ */

void dbl_voters_stir(struct dbl_quorum_lock *l)
{
	struct dbl_quorum *q = l->quorum;

	DBL_ASSERT_HELD(&q->home.mutex);
	for (unsigned i = 0; i < q->n; i++) {
		struct dbl_voter *v = &l->voters[i];
		enum dbl_act act = v->busy ? DBL_ACT_NONE : next_act(v);
		struct dblock_error why = {0};
		int rc = act == DBL_ACT_ASK || act == DBL_ACT_LOOK
				 ? dbl_member_pass_over(v->member, &why)
				 : 0;

		if (rc && act == DBL_ACT_LOOK)
			v->looked = l->looks;
		else if (rc)
			dbl_voter_refused(v, l->round, rc, &why);
		if (rc || act == DBL_ACT_NONE)
			continue;
		v->busy = true;
		l->refs++;
		dbl_member_begin(v->member);
		dbl_workers_add(v->member->workers, &v->job);
	}
}

static struct dbl_watch *kept_watch(const struct dbl_voter *v)
{
	return &v->member->watches[dbl_spec_hash(&v->lock->spec) % DBL_WATCHES];
}

void dbl_voters_init(struct dbl_quorum_lock *l)
{
	DBL_ASSERT_HELD(&l->quorum->home.mutex);
	for (unsigned i = 0; i < l->quorum->n; i++) {
		struct dbl_voter *v = &l->voters[i];

		v->job.run = act_until_at_rest;
		v->lock = l;
		v->member = &l->quorum->members[i];
		v->watch = *kept_watch(v);
	}
}

static void keep_watches(const struct dbl_quorum_lock *l)
{
	for (unsigned i = 0; i < l->quorum->n; i++) {
		const struct dbl_voter *v = &l->voters[i];

		if (v->watch.any)
			*kept_watch(v) = v->watch;
		kept_watch(v)->revoked = 0; /* what is taken away has to be seen without a gap */
	}
}

bool dbl_voters_are_busy(const struct dbl_quorum_lock *l)
{
	bool busy = false;

	for (unsigned i = 0; i < l->quorum->n; i++)
		busy = busy || l->voters[i].busy;
	return busy;
}

bool dbl_voters_rest(const struct dbl_quorum_lock *l)
{
	for (unsigned i = 0; i < l->quorum->n; i++) {
		const struct dbl_voter *v = &l->voters[i];

		if ((v->busy || next_act(v) != DBL_ACT_NONE) && !dbl_member_is_slow(v->member))
			return false;
	}
	return true;
}

bool dbl_voter_take(struct dbl_voter *v, int64_t until)
{
	struct dbl_locks *home = &v->lock->quorum->home;

	while ((v->busy || v->part) && dbl_now(home->env) < until)
		dbl_cond_wait(&v->lock->news, &home->mutex, home->env, until);
	if (v->busy || v->part)
		return false;
	v->busy = true;
	return true;
}

void dbl_voter_put(struct dbl_voter *v, struct dblock_lock *part)
{
	if (part)
		dbl_voter_granted(v, part, v->lock->extends);
	v->busy = false;
}

static void lock_free(struct dbl_quorum_lock *l)
{
	DBL_ASSERT(!l->before);
	dbl_cond_fini(&l->news);
	dbl_event_free(l->base.lost_fd);
	dbl_free(l);
}

void dbl_quorum_forget_all(struct dbl_quorum *q)
{
	struct dbl_quorum_lock *l, *next;

	for (l = q->out; l; l = next) {
		next = l->next;
		l->before = NULL;
		lock_free(l);
	}
	q->out = NULL;
}

void dbl_quorum_unref_unlock(struct dbl_quorum_lock *l)
{
	struct dbl_quorum *q = l->quorum;
	bool last = --l->refs == 0;

	if (last)
		keep_watches(l);
	dbl_unlock(&q->home.mutex);
	if (last)
		lock_free(l);
}
