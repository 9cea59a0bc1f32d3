/* SPDX-License-Identifier: MIT */
/* Making a lease longer: each member that votes for it does so. */
#include "lock/quorum/own.h"

#include "lock/grant/extend.h"

int dbl_quorum_check_lease(const struct dbl_quorum *q, int64_t lease, struct dblock_error *err)
{
	if (lease <= q->cluster.max_ttl)
		return 0;
	return dbl_fail(err, DBLOCK_E_INVALID, "lease_ms is %lld; the members' max_ttl is %lld ms",
			(long long)lease / 1000, (long long)q->cluster.max_ttl / 1000);
}

static unsigned extended(const struct dbl_quorum_lock *l, unsigned *pending,
			 const struct dbl_voter **why)
{
	unsigned n = 0;

	*pending = 0;
	for (unsigned i = 0; i < l->quorum->n; i++) {
		const struct dbl_voter *v = &l->voters[i];

		if (v->part && v->extended != l->extends)
			++*pending;
		else if (v->part && v->extend_rc == 0)
			n += dbl_voter_is_of_lease(v) && dbl_voter_left(v) > 0;
		else if (v->extend_rc && v->extended == l->extends)
			*why = v;
	}
	return n;
}

static int extend(struct dblock_lock *lock, int64_t lease, struct dblock_error *err)
{
	struct dbl_quorum_lock *l = dbl_quorum_lock_of(lock);
	struct dbl_quorum *q = l->quorum;
	const struct dbl_voter *why = NULL;
	int64_t until = dbl_add(dbl_now(q->home.env), q->home.timeout);
	unsigned n, pending;
	int rc = dbl_quorum_check_lease(q, lease, err);

	if (rc)
		return rc;
	if (dbl_quorum_left(lock) == 0)
		return dbl_fail(err, DBLOCK_LOST, "'%s' had been lost", lock->name);
	dbl_lock(&q->home.mutex);
	l->extends++;
	l->lease = lease;
	dbl_voters_stir(l);
	while ((n = extended(l, &pending, &why)) < q->majority && pending > 0 &&
	       dbl_now(q->home.env) < until)
		dbl_cond_wait(&l->news, &q->home.mutex, q->home.env, until);
	if (n < q->majority && dbl_hold_left(l) == 0) {
		rc = dbl_fail(
			err, DBLOCK_LOST,
			"'%s' has been lost: no majority of its members votes for it any more",
			lock->name);
	} else if (n < q->majority && why) {
		rc = dbl_fail(err, why->extend_rc, "member %u: %s", why->member->number,
			      why->why.message);
	} else if (n < q->majority) {
		rc = dbl_fail(
			err, DBLOCK_E_NO_ANSWER,
			"'%s': too few members have answered; a lease may have a later end, and "
			"counts by the earlier one",
			lock->name);
	}
	dbl_unlock(&q->home.mutex);
	return rc;
}

int dbl_quorum_extend(struct dblock_lock *lock, int64_t lease, struct dblock_error *err)
{
	return dbl_extend_traced(lock, extend, lease, err);
}
