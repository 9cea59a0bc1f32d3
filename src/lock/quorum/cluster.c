/* SPDX-License-Identifier: MIT */
/*
 * What the cluster is, as its members say it: the newest word counts. When a member is replaced all
 * others tell of it, first that it will be (their epoch is closed), and, once max_ttl has passed,
 * who is in its place (the next epoch). From the first word on its votes do not count.
 *
 * Who does not hear of it might believe that it holds something by the vote of the one that was
 * replaced, and of others, which vote with the one in its place by now. So each vote counts only
 * for max_ttl since its member was last asked: either that one has told, or whoever replaces a
 * member is still waiting.
 */
#include "lock/quorum/member.h"

#include <string.h>

#include "session/validity.h"

static int check_given(struct dbl_quorum_member *m, const struct dbl_membership *is,
		       struct dblock_error *err)
{
	const struct dbl_quorum *q = m->quorum;

	if (is->members != q->n)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the cluster '%s' has %lld members, and %u were given", is->cluster,
				(long long)is->members, q->n);
	if (q->cluster.cluster[0] && strcmp(is->identity, q->cluster.identity) != 0)
		return dbl_membership_refuse(is, err);
	for (unsigned i = 0; i < q->n; i++) {
		if (&q->members[i] != m && q->members[i].voted_as == is->number)
			return dbl_fail(
				err, DBLOCK_E_INVALID,
				"it is member %lld of the cluster '%s', as another one that "
				"was given: each is to be given once",
				(long long)is->number, is->cluster);
	}
	if (q->ttl_given && q->home.ttl > is->max_ttl)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"ttl_ms is %lld; the cluster's max_ttl is %lld: give a ttl (--ttl) "
				"of no more than that",
				(long long)q->home.ttl / 1000, (long long)is->max_ttl / 1000);
	return 0;
}

/* ---- news ------------------------------------------------------------------------------------ */

static void dismiss(struct dbl_quorum_member *m)
{
	m->voted_as = 0;
	m->losses = -1;
	atomic_fetch_add(&m->serial, 1);
	dbl_cond_wake(&m->quorum->keep);
}

static void dismiss_who_is_none(struct dbl_quorum *q)
{
	for (unsigned i = 0; i < q->n; i++) {
		struct dbl_quorum_member *m = &q->members[i];

		if (m->voted_as && !dbl_roster_has(q->cluster.roster, m->voted_as, m->history))
			dismiss(m);
	}
}

static void hear(struct dbl_quorum *q, const struct dbl_membership *is)
{
	q->cluster.epoch = is->epoch;
	q->cluster.state = is->state;
	memcpy(q->cluster.roster, is->roster, sizeof(q->cluster.roster));
	dismiss_who_is_none(q);
}

/* Two have begun to replace a member, and it cannot be known which of them gets through: who is a
 * member by both counts, until the next epoch. */
static void hear_another(struct dbl_quorum *q, const struct dbl_membership *is)
{
	dbl_roster_doubt(q->cluster.roster, is->roster);
	dismiss_who_is_none(q);
}

static int refuse_replaced(const struct dbl_quorum *q, const struct dbl_membership *is,
			   struct dblock_error *err)
{
	if (dbl_roster_is_marked(q->cluster.roster, is->number))
		return dbl_fail(err, DBLOCK_E_UNAVAILABLE,
				"member %lld of the cluster '%s' is being replaced",
				(long long)is->number, is->cluster);
	return dbl_fail(err, DBLOCK_E_INVALID,
			"it was member %lld of the cluster '%s', and was replaced: give the one "
			"that is in its place",
			(long long)is->number, is->cluster);
}

static int check_roster(struct dbl_quorum_member *m, const struct dbl_membership *is,
			struct dblock_error *err)
{
	struct dbl_quorum *q = m->quorum;

	if (!is->cluster[0] || dbl_membership_is_copy(is) || is->state == DBL_MEMBER_NEW)
		return dbl_membership_refuse(is, err);
	m->misled = check_given(m, is, err) != 0;
	if (m->misled)
		return DBLOCK_E_INVALID;
	if (!q->cluster.cluster[0])
		q->cluster = *is;
	else if (dbl_membership_era(is) > dbl_membership_era(&q->cluster))
		hear(q, is);
	else if (dbl_membership_era(is) == dbl_membership_era(&q->cluster))
		hear_another(q, is);
	if (!dbl_roster_has(q->cluster.roster, is->number, is->history))
		return refuse_replaced(q, is, err);
	return 0;
}

int dbl_cluster_agree(struct dbl_quorum_member *m, const struct dbl_membership *is, int64_t sent,
		      struct dblock_error *err)
{
	int rc = check_roster(m, is, err);

	if (rc) {
		dismiss(m);
		return rc;
	}
	m->voted_as = is->number;
	m->epoch = is->epoch;
	m->max_ttl = is->max_ttl;
	m->quorum->home.ttl = dbl_least(m->quorum->home.ttl, is->max_ttl);
	memcpy(m->history, is->history, sizeof(m->history));
	dbl_member_proved(m, sent);
	return 0;
}

/* ---- how long that is certain ---------------------------------------------------------------- */

int64_t dbl_member_left(const struct dbl_quorum_member *m)
{
	int64_t left =
		dbl_validity_deadline(m->proved_at, m->max_ttl) - dbl_now(m->quorum->home.env);

	return left > 0 ? left : 0;
}

void dbl_member_proved(struct dbl_quorum_member *m, int64_t sent)
{
	struct dbl_quorum_lock *l = dbl_member_left(m) == 0 ? m->quorum->out : NULL;

	/* Votes that count again do not make up for what was lost while they did not. */
	for (; l; l = l->next)
		dbl_hold_check(l);
	m->proved_at = sent > m->proved_at ? sent : m->proved_at;
}
