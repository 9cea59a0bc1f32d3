/* SPDX-License-Identifier: MIT */
/* Brings each member's vote to where the handle wants it: asked for, confirmed, extended, or given back.
 * What is to be done next is seen from how things stand, not from how they came about; so an answer that comes
 * late, when nobody waits for it any more, is dealt with like any other. */
#include "lock/quorum/own.h"

#include "base/mem.h"
#include "lock/grant/extend.h"
#include "lock/handle/loss.h"
#include "lock/handle/state.h"
#include "lock/lock.h"

enum act { NOTHING, ASK, CONFIRM, EXTEND, RELEASE };

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

static enum act next_act(const struct dbl_voter *v)
{
	const struct dbl_quorum_lock *l = v->lock;

	if (v->part && (!l->wanted || dbl_voter_is_over(v)))
		return RELEASE;
	if (!l->wanted)
		return NOTHING;
	if (!v->part)
		return v->round == l->round ? NOTHING : ASK;
	if (!v->checked || v->token < l->raise)
		return CONFIRM;
	return v->extended == l->extends ? NOTHING : EXTEND;
}

/* ---- acts: under the mutex, which is given up while the member is asked ------------------------ */

static void no_vote(struct dbl_voter *v, uint64_t round, int rc, const struct dblock_error *why)
{
	v->round = round;
	v->rc = rc;
	v->why = *why;
	dbl_member_tell(&v->why);
}

/* The member has said that it votes for this, in answer to that question. */
static void proved(struct dbl_voter *v, const struct dbl_question *question)
{
	dbl_hold_check(v->lock);
	dbl_member_proved(v->member, question->sent);
	v->serial = question->serial;
	v->checked = true;
}

/* `extends`: its lease is as it was asked for after so many extensions. */
static void note_part(struct dbl_voter *v, struct dblock_lock *part, uint64_t extends)
{
	dbl_hold_check(v->lock);
	v->part = part;
	v->checked = v->over = false;
	v->serial = atomic_load(&v->member->serial);
	v->extended = extends;
}

static void note_token(struct dbl_voter *v)
{
	struct dbl_quorum *q = v->lock->quorum;

	v->token = v->part->grant.token;
	q->seen = v->token > q->seen ? v->token : q->seen;
}

/* A member that votes under another epoch by now is asked once more. */
static int put_question(struct dbl_voter *v, const struct dbl_acquire_spec *spec, int64_t token,
			struct dbl_question *question, struct dblock_lock **part,
			struct dblock_error *why)
{
	int rc = DBLOCK_E_INVALID;

	for (int i = 0; i < 2 && rc == DBLOCK_E_INVALID; i++) {
		if (i > 0 && !dbl_member_has_moved(v->member, question))
			break;
		rc = dbl_member_question(v->member, token, question, why);
		if (rc)
			break;
		rc = dbl_vote_ask(v->member->locks, spec, &question->ballot, part, why);
	}
	return rc;
}

static int ask(struct dbl_voter *v)
{
	struct dbl_quorum_lock *l = v->lock;
	struct dbl_quorum *q = l->quorum;
	uint64_t round = l->round, extends = l->extends;
	struct dbl_acquire_spec spec = l->spec;
	int64_t token = l->proposal;
	struct dbl_question question;
	struct dblock_error why = {0};
	struct dblock_lock *part = NULL;
	int rc;

	spec.lost_arg = v;
	dbl_unlock(&q->home.mutex);
	rc = put_question(v, &spec, token, &question, &part, &why);
	dbl_lock(&q->home.mutex);
	if (rc) {
		no_vote(v, round, rc, &why);
		return rc;
	}
	note_part(v, part, extends);
	note_token(v);
	if (dbl_member_is_same(v->member))
		proved(v, &question);
	return 0;
}

static int confirm(struct dbl_voter *v)
{
	struct dbl_quorum_lock *l = v->lock;
	struct dbl_quorum *q = l->quorum;
	uint64_t round = l->round;
	int64_t token = v->token > l->raise ? v->token : l->raise;
	struct dbl_question question;
	struct dblock_error why = {0};
	int rc;

	dbl_unlock(&q->home.mutex);
	rc = dbl_member_question(v->member, token, &question, &why);
	if (rc == 0)
		rc = dbl_vote_confirm(v->part, &question.ballot, &why);
	if (rc == DBLOCK_LOST && dbl_member_has_moved(v->member, &question) &&
	    dbl_member_question(v->member, token, &question, &why) == 0)
		rc = dbl_vote_confirm(v->part, &question.ballot, &why);
	dbl_lock(&q->home.mutex);
	if (rc == 0 && !dbl_member_is_same(v->member))
		rc = dbl_fail(&why, DBLOCK_E_UNAVAILABLE, "the connection was lost meanwhile");
	if (rc == 0) {
		proved(v, &question);
		note_token(v);
	} else {
		v->over = true;
		no_vote(v, round, rc, &why);
	}
	return rc;
}

static int extend(struct dbl_voter *v)
{
	struct dbl_quorum *q = v->lock->quorum;
	uint64_t which = v->lock->extends;
	int64_t lease = v->lock->lease;
	struct dblock_error why = {0};
	int rc;

	dbl_unlock(&q->home.mutex);
	rc = dbl_lock_extend(v->part, lease, &why);
	/* It counts if that is still the member: its epoch is not looked at by whoever extends. */
	if (rc == 0)
		rc = dbl_member_look(v->member, &why);
	dbl_lock(&q->home.mutex);
	v->extended = which;
	v->extend_rc = rc;
	v->over = v->over || rc == DBLOCK_LOST;
	if (rc) {
		v->why = why;
		dbl_member_tell(&v->why);
	}
	return rc;
}

static void note_loss(struct dbl_voter *v, const struct dblock_loss *loss)
{
	struct dbl_quorum_lock *l = v->lock;

	if (!l->loss)
		l->loss = dbl_alloc(sizeof(*l->loss));
	if (l->loss && loss->cause != DBLOCK_LOSS_NONE)
		*l->loss = *loss;
}

/* From now on it does not count; so nobody else sees the grant any more. */
static int release(struct dbl_voter *v)
{
	struct dbl_quorum_lock *l = v->lock;
	struct dblock_lock *part = v->part;
	bool given_back = !l->wanted, lost = l->held && dbl_voter_is_over(v);
	struct dblock_loss loss;
	int rc;

	v->part = NULL;
	v->token = 0;
	v->checked = v->over = false;
	dbl_unlock(&l->quorum->home.mutex);
	if (lost)
		dbl_loss_of(part, &loss);
	rc = dbl_lock_release(part, NULL);
	dbl_lock(&l->quorum->home.mutex);
	if (lost)
		note_loss(v, &loss);
	if (given_back && rc == 0)
		l->n_given_back++;
	return rc;
}

static int do_act(struct dbl_voter *v, enum act act)
{
	switch (act) {
	case ASK:
		return ask(v);
	case CONFIRM:
		return confirm(v);
	case EXTEND:
		return extend(v);
	default:
		return release(v);
	}
}

/* On a worker of the member's. */
static void act_until_at_rest(struct dbl_job *job)
{
	struct dbl_voter *v = (struct dbl_voter *)job;
	struct dbl_quorum_lock *l = v->lock;
	enum act act;
	bool answered;

	dbl_lock(&l->quorum->home.mutex);
	answered = !v->member->slow; /* who is not asked is as slow as before */
	while ((act = next_act(v)) != NOTHING) {
		answered = dbl_member_answers(do_act(v, act));
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
		enum act act = v->busy ? NOTHING : next_act(v);
		struct dblock_error why = {0};
		int rc = act == ASK ? dbl_member_pass_over(v->member, &why) : 0;

		if (rc)
			no_vote(v, l->round, rc, &why);
		if (rc || act == NOTHING)
			continue;
		v->busy = true;
		l->refs++;
		dbl_member_begin(v->member);
		dbl_workers_add(v->member->workers, &v->job);
	}
}

void dbl_voter_init(struct dbl_voter *v, struct dbl_quorum_lock *l, struct dbl_quorum_member *m)
{
	v->job.run = act_until_at_rest;
	v->lock = l;
	v->member = m;
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

		if ((v->busy || next_act(v) != NOTHING) && !dbl_member_is_slow(v->member))
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
	if (part) {
		note_part(v, part, v->lock->extends);
		note_token(v);
	}
	v->busy = false;
}

static void lock_free(struct dbl_quorum_lock *l)
{
	DBL_ASSERT(!l->before);
	dbl_cond_fini(&l->news);
	dbl_event_free(l->base.lost_fd);
	dbl_free(l->loss);
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

	dbl_unlock(&q->home.mutex);
	if (last)
		lock_free(l);
}
