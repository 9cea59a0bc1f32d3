/* SPDX-License-Identifier: MIT */
/*
 * One round: each member is asked to vote at the proposed token, and answers with that token or a
 * larger one.
 *
 * The lock is held at the token t if a majority has voted at tokens up to t, and a majority at t or
 * more: for whoever is next has the vote of a member of the second, and gets a larger one. So, of
 * all votes in order, t is the one that completes a majority from below. Where the votes are not
 * enough for the second, those below are raised to t.
 *
 * A lease is held at the largest token, on a majority: it may be released by that token from
 * elsewhere.
 */
#include "lock/quorum/member.h"

#include "lock/core/cancel.h"
#include "lock/handle/state.h"

/* The member in whose line others wait is waited for so long, though a majority has voted. */
#define GRACE_US 20000

struct count {
	int64_t tokens[DBL_QUORUM_MAX]; /* of the votes, the smallest first */
	unsigned n;                     /* so many have voted, */
	unsigned pending;               /* may yet do so, */
	unsigned late;                  /* may, but are slow, */
	unsigned no;                    /* or vote for somebody else */
	struct dbl_voter *line;
};

static bool has_answered(const struct dbl_voter *v)
{
	return !v->part && v->round == v->lock->round;
}

/* It votes, or may: then the others wait for it. */
static bool is_in_line(const struct dbl_voter *v)
{
	return has_answered(v) ? v->rc == DBLOCK_BUSY : v->part || !dbl_member_is_slow(v->member);
}

static void count(struct dbl_quorum_lock *l, struct count *c)
{
	*c = (struct count){.n = 0};
	for (unsigned i = 0; i < l->quorum->n; i++) {
		struct dbl_voter *v = &l->voters[i];

		if (!c->line && is_in_line(v))
			c->line = v;
		if (dbl_voter_left(v) > 0)
			dbl_rank(c->tokens, &c->n, v->token);
		else if (has_answered(v))
			c->no += v->rc == DBLOCK_BUSY;
		else if (v->part || !dbl_member_is_slow(v->member))
			c->pending++;
		else
			c->late++;
	}
}

void dbl_ballot_propose(struct dbl_quorum_lock *l)
{
	struct dbl_quorum *q = l->quorum;
	int64_t own = 0;

	DBL_ASSERT_HELD(&q->home.mutex);
	for (unsigned i = 0; i < q->n; i++)
		own = l->voters[i].token > own ? l->voters[i].token : own;
	l->round++;
	l->wanted = true;
	l->proposal = own ? own : ++q->seen;
	l->raise = 0;
	dbl_voters_stir(l);
}

/* The token at which a majority holds it, or 0; then votes below are raised, if there are enough.
 */
static int64_t token_of(struct dbl_quorum_lock *l, const struct count *c)
{
	unsigned majority = l->quorum->majority, from;
	int64_t token;

	if (c->n < majority)
		return 0;
	from = l->spec.lease ? c->n - 1 : majority - 1;
	token = c->tokens[from];
	if (l->spec.lease && token < l->raise)
		return 0; /* the others are being raised above it */
	while (from > 0 && c->tokens[from - 1] == token)
		from--;
	if (l->raise < token && (c->n - from < majority || l->spec.lease)) {
		l->raise = token;
		dbl_voters_stir(l);
	}
	return c->n - from >= majority ? token : 0;
}

/* What a member will not do is for good only where the others are no majority: else they may yet
 * answer. And one whose answer was lost has not answered: what it may have granted is given back. */
static int outcome(const struct dbl_quorum_lock *l, const struct dbl_voter *why)
{
	const struct dbl_quorum *q = l->quorum;
	unsigned n_never = 0;

	for (unsigned i = 0; i < q->n; i++)
		n_never += has_answered(&l->voters[i]) && !dbl_may_pass(l->voters[i].rc);
	if (!why || why->rc == DBLOCK_LOST || why->rc == DBLOCK_E_UNSURE ||
	    (!dbl_may_pass(why->rc) && n_never <= q->n - q->majority))
		return DBLOCK_E_NO_ANSWER;
	return why->rc;
}

/* NULL: none has answered. */
static const struct dbl_voter *who_refused(const struct dbl_quorum_lock *l)
{
	const struct dbl_voter *why = NULL;

	for (unsigned i = 0; i < l->quorum->n; i++) {
		const struct dbl_voter *v = &l->voters[i];

		if (has_answered(v) && (!why || (v->rc == DBLOCK_BUSY && why->rc != DBLOCK_BUSY)))
			why = v;
	}
	return why;
}

/* Each that does not vote, and why. */
static void name_who_is_missing(const struct dbl_quorum_lock *l, struct dblock_error *err)
{
	for (unsigned i = 0; i < l->quorum->n; i++) {
		const struct dbl_voter *v = &l->voters[i];

		if (!v->part)
			dbl_err_suffix(err, "; member %u: %s", v->member->number,
				       has_answered(v) ? v->why.message
						       : "it has not answered in time");
	}
}

static int refused(const struct dbl_quorum_lock *l, const struct count *c, struct dblock_error *err)
{
	const struct dbl_quorum *q = l->quorum;
	const struct dbl_voter *why = who_refused(l);

	if (why && why->rc == DBLOCK_BUSY) {
		if (err)
			*err = why->why;
		return DBLOCK_BUSY;
	}
	(void)dbl_fail(err, outcome(l, why), "'%s': of %u members %u are needed, and %u vote",
		       l->base.name, q->n, q->majority, c->n);
	name_who_is_missing(l, err);
	return outcome(l, why);
}

/* Who is slow is waited for only where there is no majority without him; and whoever has time asks
 * those again, before that, who vote for others by now. */
static unsigned awaited(const struct dbl_quorum_lock *l, const struct count *c)
{
	return c->no > 0 && !l->spec.tries ? 0 : c->late;
}

/* DBLOCK_WAITING: answers are to come. */
static int judge(struct dbl_quorum_lock *l, int64_t *grace, struct dblock_error *err)
{
	int64_t now = dbl_now(l->quorum->home.env), token;
	struct count c;

	count(l, &c);
	/* Who waits leaves it to those who stand in that line, though he had a majority without it.
	 */
	if (!l->without_line && c.line && has_answered(c.line))
		return refused(l, &c, err);
	token = token_of(l, &c);
	if (!token && c.n + c.pending + awaited(l, &c) < l->quorum->majority)
		return refused(l, &c, err);
	if (!token) {
		*grace = DBL_NEVER; /* there may have been one, until a vote was lost */
		return DBLOCK_WAITING;
	}
	if (c.line && !c.line->part && !has_answered(c.line)) {
		*grace = *grace == DBL_NEVER ? now + GRACE_US : *grace;
		if (now < *grace)
			return DBLOCK_WAITING;
		c.line->member->slow = true;
	}
	l->base.grant.token = token;
	return 0;
}

/* No member that has not answered by now is waited for again. */
static int too_late(struct dbl_quorum_lock *l, struct dblock_error *err)
{
	struct count c;

	for (unsigned i = 0; i < l->quorum->n; i++) {
		struct dbl_voter *v = &l->voters[i];

		if (!v->part && !has_answered(v))
			v->member->slow = true;
	}
	count(l, &c);
	return refused(l, &c, err);
}

int dbl_ballot_count(struct dbl_quorum_lock *l, const struct dbl_acquire_spec *spec, int64_t until,
		     struct dblock_error *err)
{
	struct dbl_locks *home = &l->quorum->home;
	int64_t grace = DBL_NEVER, now;
	int rc;

	DBL_ASSERT_HELD(&home->mutex);
	while ((rc = judge(l, &grace, err)) == DBLOCK_WAITING) {
		dbl_voters_stir(l); /* a vote may be over meanwhile */
		now = dbl_now(home->env);
		if (now >= until)
			return too_late(l, err);
		dbl_cond_wait(&l->news, &home->mutex, home->env,
			      dbl_least(dbl_least(until, grace), now + DBL_ASK_CALLER_US));
		dbl_unlock(&home->mutex);
		if (!spec->tries && dbl_is_canceled(home, spec))
			rc = dbl_tell_canceled(home, spec->name, "the wait", err);
		dbl_lock(&home->mutex);
		if (rc == DBLOCK_CANCELED)
			return rc;
	}
	return rc;
}

bool dbl_ballot_is_held(struct dbl_quorum_lock *l)
{
	struct count c;

	count(l, &c);
	return c.no >= l->quorum->majority;
}

bool dbl_ballot_is_behind(const struct dbl_quorum_lock *l, const struct dbl_voter *line)
{
	bool behind = false;

	for (const struct dbl_voter *v = l->voters; v < line; v++)
		behind = behind || (has_answered(v) && v->rc == DBLOCK_BUSY);
	return behind;
}

struct dbl_voter *dbl_ballot_line(struct dbl_quorum_lock *l)
{
	struct count c;

	count(l, &c);
	if (c.no < l->quorum->majority)
		return c.line;
	for (unsigned i = 0; i < l->quorum->n; i++) {
		struct dbl_voter *v = &l->voters[i];

		if (has_answered(v) && v->rc == DBLOCK_BUSY)
			return v;
	}
	return c.line;
}
