/* SPDX-License-Identifier: MIT */
/* What is held: as long as a majority of the members' grants is. Of two threads of the client's one,
 * the keeper, sees when that is over, and asks members again whose vote is missing; the other one
 * tells holders, whose callbacks may take their time. */
#include "lock/quorum/member.h"

#include "base/event.h"
#include "lock/handle/state.h"

/* How many votes are alive; the time left of each, the shortest first. */
static unsigned lefts(const struct dbl_quorum_lock *l, int64_t left[DBL_QUORUM_MAX])
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->quorum->n; i++) {
		const struct dbl_voter *v = &l->voters[i];
		int64_t one = dbl_voter_is_of_lease(v) ? dbl_voter_left(v) : 0;

		if (one > 0)
			dbl_rank(left, &n, one);
	}
	return n;
}

/* Until the last of the majority that lives longest. */
int64_t dbl_hold_left(const struct dbl_quorum_lock *l)
{
	int64_t left[DBL_QUORUM_MAX];
	unsigned n = l->held && !l->lost ? lefts(l, left) : 0;

	return n >= l->quorum->majority ? left[n - l->quorum->majority] : 0;
}

int64_t dbl_quorum_left(struct dblock_lock *lock)
{
	struct dbl_quorum_lock *l = dbl_quorum_lock_of(lock);
	int64_t left;

	dbl_lock(&l->quorum->home.mutex);
	left = dbl_hold_left(l);
	dbl_unlock(&l->quorum->home.mutex);
	return left;
}

static void lose(struct dbl_quorum_lock *l)
{
	l->lost = true;
	l->wanted = false;
	dbl_loss_begin(l);
	dbl_voters_stir(l);
	dbl_cond_wake(&l->quorum->keep);
}

void dbl_hold_check(struct dbl_quorum_lock *l)
{
	/* Once the client is being closed nobody is to be told, and workers may be gone. */
	if (l->held && l->wanted && !l->quorum->closing && dbl_hold_left(l) == 0)
		lose(l);
}

void dbl_quorum_loss(struct dblock_lock *lock, struct dblock_loss *loss)
{
	struct dbl_quorum_lock *l = dbl_quorum_lock_of(lock);

	*loss = (struct dblock_loss){.cause = DBLOCK_LOSS_NONE};
	dbl_lock(&l->quorum->home.mutex);
	dbl_hold_check(l);
	if (l->lost)
		*loss = l->loss;
	dbl_unlock(&l->quorum->home.mutex);
}

void dbl_voter_lost(void *voter, struct dblock_lock *part)
{
	struct dbl_voter *v = voter;
	struct dbl_quorum *q = v->lock->quorum;

	dbl_lock(&q->home.mutex);
	if (v->part == part)
		v->over = true;
	dbl_cond_wake(&q->keep);
	dbl_unlock(&q->home.mutex);
}

/* ---- the teller ------------------------------------------------------------------------------ */

/* Under the mutex, which is given up while the callback runs; the handle may be gone after it. */
static void tell(struct dbl_quorum *q, struct dbl_quorum_lock *l)
{
	void (*lost)(void *, struct dblock_lock *) = l->base.lost;
	void *arg = l->base.lost_arg;

	l->base.told = true;
	dbl_event_set(l->base.lost_fd);
	q->telling = l;
	dbl_unlock(&q->home.mutex);
	if (lost)
		lost(arg, &l->base);
	dbl_lock(&q->home.mutex);
	q->telling = NULL;
	dbl_cond_wake(&q->keep);
}

static struct dbl_quorum_lock *who_is_to_be_told(const struct dbl_quorum *q)
{
	struct dbl_quorum_lock *l = q->out;

	while (l && (!l->lost || l->base.told))
		l = l->next;
	return l;
}

static void *teller(void *arg)
{
	struct dbl_quorum *q = arg;
	struct dbl_quorum_lock *l;

	dbl_lock(&q->home.mutex);
	q->teller_id = dbl_thread_id();
	while (!q->closing) {
		l = who_is_to_be_told(q);
		if (l)
			tell(q, l);
		else
			dbl_cond_wait(&q->keep, &q->home.mutex, q->home.env, DBL_NEVER);
	}
	dbl_unlock(&q->home.mutex);
	return NULL;
}

/* ---- the keeper ------------------------------------------------------------------------------ */

/* A lease has an end of its own: a vote for it that is lost is not asked for again. */
static void ask_again(struct dbl_quorum_lock *l, int64_t now)
{
	struct dbl_quorum *q = l->quorum;
	int64_t left[DBL_QUORUM_MAX];

	dbl_voters_stir(l); /* what is over is given back */
	if (l->spec.lease || lefts(l, left) == q->n || now < l->ask_at)
		return;
	l->round++;
	l->proposal = l->base.grant.token;
	l->ask_at = now + dbl_jitter(q->home.env, q->home.ttl / DBL_ASK_AGAIN_PART);
	dbl_voters_stir(l);
}

/* Members are looked at while something is held, or waited for. */
static void watch(struct dbl_quorum *q, int64_t now, int64_t *until)
{
	for (unsigned i = 0; i < q->n && (q->out || q->n_in_line); i++) {
		struct dbl_quorum_member *m = &q->members[i];
		int64_t at = m->proved_at + q->home.ttl / DBL_WATCH_PART;

		at = m->watch_at > at ? m->watch_at : at;
		if (now >= at && !m->watched)
			dbl_member_watch(m);
		else if (!m->watched)
			*until = dbl_least(*until, at);
	}
}

/* Returns when to look again. */
static int64_t look(struct dbl_quorum *q)
{
	int64_t now = dbl_now(q->home.env), until = DBL_NEVER, left;

	watch(q, now, &until);
	for (struct dbl_quorum_lock *l = q->out; l; l = l->next) {
		left = dbl_hold_left(l);
		if (left == 0 && !l->lost)
			lose(l);
		if (l->lost)
			continue;
		ask_again(l, now);
		until = dbl_least(until, now + left);
		until = dbl_least(until, l->ask_at > now ? l->ask_at
							 : now + q->home.ttl / DBL_ASK_AGAIN_PART);
	}
	return until;
}

static void *keeper(void *arg)
{
	struct dbl_quorum *q = arg;

	dbl_lock(&q->home.mutex);
	while (!q->closing) {
		q->look_at = look(q);
		dbl_cond_wait(&q->keep, &q->home.mutex, q->home.env, q->look_at);
	}
	dbl_unlock(&q->home.mutex);
	return NULL;
}

void dbl_keeper_wake_by(struct dbl_quorum *q, int64_t at)
{
	if (at < q->look_at)
		dbl_cond_wake(&q->keep);
}

static void end(struct dbl_quorum *q, struct dbl_thread *thread)
{
	dbl_lock(&q->home.mutex);
	q->closing = true;
	dbl_cond_wake(&q->keep);
	dbl_unlock(&q->home.mutex);
	dbl_thread_join(thread);
}

int dbl_keeper_start(struct dbl_quorum *q)
{
	if (dbl_thread_start(&q->keeper, keeper, q))
		return -1;
	if (dbl_thread_start(&q->teller, teller, q) == 0)
		return 0;
	end(q, &q->keeper);
	return -1;
}

void dbl_keeper_stop(struct dbl_quorum *q)
{
	end(q, &q->keeper);
	end(q, &q->teller);
}
