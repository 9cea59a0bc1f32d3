/* SPDX-License-Identifier: MIT */
/* Standing in line at one member, by the queue that it has for any lock. */
#include "lock/core/cancel.h"
#include "lock/lock.h"
#include "lock/quorum/member.h"

/* After so many failures the member counts as one that does not answer. */
#define LINE_FAILS 3

/* And so many times within the ttl the others are looked at: within a holder's, if that is shorter.
 */
#define LOOK_PART 6

/* A wait in a member's line. That member may go down: then the others are enough. Or it votes, for
 * as long as a lease lasts, for somebody who has no majority and never will. */
struct in_line {
	struct dbl_quorum_lock *lock;
	const struct dbl_acquire_spec *spec;
	struct dbl_quorum_member *member;
	uint64_t serial; /* the member's, when the wait began */
	unsigned n_failed;
	int64_t until;   /* then the others are asked without it */
	int64_t look_at; /* then it is looked who has their votes, */
	bool looked;     /* as it has been before */
};

static void line_failed(void *arg, const struct dblock_error *why)
{
	struct in_line *in = arg;

	/* A connection that is cut may be had again; who does not answer has had his time. */
	in->n_failed += why->code == DBLOCK_E_NO_ANSWER ? LINE_FAILS : 1;
}

static bool has_been_long(const struct in_line *in)
{
	return in->n_failed >= LINE_FAILS || dbl_now(in->lock->quorum->home.env) >= in->until ||
	       in->serial != atomic_load(&in->member->serial);
}

/* Under the mutex. */
static int64_t next_look(const struct dbl_quorum_lock *l)
{
	const struct dbl_quorum *q = l->quorum;
	int64_t ttl = q->home.ttl;

	for (unsigned i = 0; i < q->n; i++) {
		const struct dbl_voter *v = &l->voters[i];

		if (!v->busy && v->watch.ttl > 0)
			ttl = dbl_least(ttl, v->watch.ttl);
	}
	return dbl_now(q->home.env) + ttl / LOOK_PART;
}

/* Under the mutex: a majority votes for others, as far as is known. */
static bool may_be_held(const struct dbl_quorum_lock *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->quorum->n; i++) {
		const struct dbl_voter *v = &l->voters[i];

		n += v->busy || v->looked != l->looks || v->watch.any;
	}
	return n >= l->quorum->majority;
}

/* The other members are asked only once it is ours in this line; but their holder may be dead by
 * then, and is to have been watched for as long as this one's. Or he has given it back, and nobody
 * ever will in this line. */
static void watch_others(struct in_line *in)
{
	struct dbl_quorum *q = in->lock->quorum;
	int64_t now = dbl_now(q->home.env);

	if (now < in->look_at)
		return;
	dbl_lock(&q->home.mutex);
	in->look_at = next_look(in->lock);
	if (in->looked)
		in->until = may_be_held(in->lock) ? DBL_NEVER
						  : dbl_least(in->until, dbl_add(now, q->home.ttl));
	in->looked = true;
	in->lock->looks++;
	dbl_voters_stir(in->lock);
	dbl_unlock(&q->home.mutex);
}

static int leaves_line(void *arg)
{
	struct in_line *in = arg;

	watch_others(in);
	return has_been_long(in) || dbl_is_canceled(&in->lock->quorum->home, in->spec);
}

/* The member knows the lock by another name. */
static void line_waits(void *arg, const struct dblock_waiting *there)
{
	const struct in_line *in = arg;
	struct dblock_waiting waiting = *there;

	waiting.name = in->spec->name;
	in->spec->waiting(in->spec->waiting_arg, &waiting);
}

static struct dbl_acquire_spec spec_there(const struct dbl_quorum_lock *l, struct dbl_voter *line,
					  struct in_line *in)
{
	struct dbl_acquire_spec there = l->spec;

	there.lost_arg = line;
	there.wait_until = in->spec->wait_until;
	there.canceled = leaves_line;
	there.trouble = line_failed;
	there.waiting = in->spec->waiting ? line_waits : NULL;
	there.canceled_arg = there.trouble_arg = there.waiting_arg = in;
	return there;
}

int dbl_line_stand(struct dbl_quorum_lock *l, struct dbl_voter *line, bool held,
		   const struct dbl_acquire_spec *spec, struct dblock_error *err)
{
	struct dbl_quorum *q = l->quorum;
	int64_t now = dbl_now(q->home.env);
	struct in_line in = {.lock = l,
			     .spec = spec,
			     .member = line->member,
			     .serial = atomic_load(&line->member->serial),
			     .look_at = next_look(l),
			     .until = held ? DBL_NEVER : dbl_add(now, q->home.ttl)};
	struct dbl_acquire_spec there = spec_there(l, line, &in);
	struct dblock_lock *part = NULL;
	int rc;

	if (!line->member->locks || !dbl_voter_take(line, dbl_add(now, q->home.timeout)))
		return DBLOCK_BUSY;
	q->n_in_line++;
	l->in_line = true;
	dbl_keeper_wake_by(q, now + q->home.ttl / DBL_WATCH_PART);
	dbl_unlock(&q->home.mutex);
	rc = dbl_lock_wait(line->member->locks, &there, &part, err);
	dbl_member_tell(err);
	dbl_lock(&q->home.mutex);
	q->n_in_line--;
	l->in_line = false;
	dbl_voter_put(line, part);
	if (rc != DBLOCK_CANCELED || !has_been_long(&in))
		return rc;
	l->without_line = true;
	line->member->slow = line->member->slow || in.n_failed >= LINE_FAILS;
	return DBLOCK_BUSY;
}
