/* SPDX-License-Identifier: MIT */
/* What is done to a member's vote, on a worker of the member's: it is asked for, confirmed,
 * extended, given back; or it is looked at who has it. All under the mutex, which is given up while
 * the member is asked. */
#include "lock/quorum/member.h"

#include "lock/grant/extend.h"
#include "lock/handle/loss.h"
#include "lock/handle/state.h"
#include "lock/lock.h"

void dbl_voter_refused(struct dbl_voter *v, uint64_t round, int rc, const struct dblock_error *why)
{
	v->round = round;
	v->rc = rc;
	v->why = *why;
	dbl_member_tell(&v->why);
}

static void note_token(struct dbl_voter *v)
{
	struct dbl_quorum *q = v->lock->quorum;

	v->token = v->part->grant.token;
	q->seen = v->token > q->seen ? v->token : q->seen;
}

/* The member has said that it votes for this, in answer to that question. */
static void proved(struct dbl_voter *v, const struct dbl_question *question)
{
	dbl_hold_check(v->lock);
	dbl_member_proved(v->member, question->sent);
	v->serial = question->serial;
	v->checked = true;
}

void dbl_voter_granted(struct dbl_voter *v, struct dblock_lock *part, uint64_t extends)
{
	dbl_hold_check(v->lock);
	v->part = part;
	v->checked = v->over = false;
	v->serial = atomic_load(&v->member->serial);
	v->extended = extends;
	note_token(v);
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
		rc = dbl_vote_ask(v->member->locks, spec, &question->ballot, &v->watch, part, why);
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
		dbl_voter_refused(v, round, rc, &why);
		return rc;
	}
	dbl_voter_granted(v, part, extends);
	if (dbl_member_is_same(v->member, &question))
		proved(v, &question);
	return 0;
}

/* Its holder was told how long the lock is his, by this vote too: it is not given back before its
 * end only because it is not known to have been raised. It is ours at the old token or at the new
 * one. */
static bool is_relied_on(const struct dbl_voter *v)
{
	return v->lock->held && v->checked && dbl_voter_is_of_lease(v);
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
	if (rc == 0 && !dbl_member_is_same(v->member, &question))
		rc = dbl_fail(&why, DBLOCK_E_UNAVAILABLE, "the connection was lost meanwhile");
	if (rc == 0) {
		proved(v, &question);
		note_token(v);
	} else if (!is_relied_on(v)) {
		v->over = true;
		dbl_voter_refused(v, round, rc, &why);
	}
	return rc;
}

static int extend(struct dbl_voter *v)
{
	struct dbl_quorum *q = v->lock->quorum;
	uint64_t which = v->lock->extends;
	int64_t lease = v->lock->lease;
	struct dbl_question question;
	struct dblock_error why = {0};
	int rc;

	dbl_unlock(&q->home.mutex);
	rc = dbl_member_question(v->member, 0, &question, &why);
	if (rc == 0)
		rc = dbl_lock_extend(v->part, lease, &why);
	/* It counts if that is still the member: its epoch is not looked at by whoever extends. */
	if (rc == 0)
		rc = dbl_member_look_after(v->member, &question, &why);
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
	if (l->held && l->spec.lease)
		v->round = l->round; /* it is not asked for again */
	dbl_unlock(&l->quorum->home.mutex);
	if (lost)
		dbl_loss_of(part, &loss);
	rc = dbl_lock_release(part, NULL);
	dbl_lock(&l->quorum->home.mutex);
	if (lost)
		dbl_loss_more(l, &loss);
	if (given_back && rc == 0)
		l->n_given_back++;
	return rc;
}

/* So whoever is asked for a vote later has watched for as long as this has. */
static int look(struct dbl_voter *v)
{
	struct dbl_quorum_lock *l = v->lock;
	uint64_t which = l->looks;
	int rc;

	dbl_unlock(&l->quorum->home.mutex);
	rc = dbl_vote_look(v->member->locks, l->spec.name, &v->watch, NULL);
	dbl_lock(&l->quorum->home.mutex);
	v->looked = which;
	return rc;
}

int dbl_voter_act(struct dbl_voter *v, enum dbl_act act)
{
	switch (act) {
	case DBL_ACT_ASK:
		return ask(v);
	case DBL_ACT_CONFIRM:
		return confirm(v);
	case DBL_ACT_EXTEND:
		return extend(v);
	case DBL_ACT_LOOK:
		return look(v);
	default:
		DBL_ASSERT(act == DBL_ACT_RELEASE, "%d", (int)act);
		return release(v);
	}
}
