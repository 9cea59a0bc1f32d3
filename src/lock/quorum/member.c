/* SPDX-License-Identifier: MIT */
/* A member: a client of its database, which is opened when it is first asked for something, and again by
 * whoever asks next if that failed; and whether it answers. */
#include "lock/quorum/own.h"

#include <string.h>

#include "lock/cache/cache.h"

/* Who has not answered for so long is not waited for. */
#define SLOW_US 200000

/* ---- does it answer? ------------------------------------------------------------------------- */

void dbl_member_begin(struct dbl_quorum_member *m)
{
	if (m->n_jobs++ == 0)
		m->busy_from = dbl_now(m->quorum->home.env);
}

void dbl_member_end(struct dbl_quorum_member *m, bool answered)
{
	DBL_ASSERT(m->n_jobs > 0);
	m->n_jobs--;
	m->busy_from = dbl_now(m->quorum->home.env);
	m->slow = !answered;
}

bool dbl_member_is_slow(struct dbl_quorum_member *m)
{
	if (m->n_jobs > 0 && dbl_now(m->quorum->home.env) - m->busy_from > SLOW_US)
		m->slow = true;
	return m->slow;
}

int dbl_member_pass_over(struct dbl_quorum_member *m, struct dblock_error *err)
{
	if (!dbl_member_is_slow(m) || m->n_jobs == 0)
		return 0;
	if (!m->rc)
		return dbl_fail(err, DBLOCK_E_NO_ANSWER, "it has not answered for a while");
	*err = m->why;
	return m->rc;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Under the mutex: the first member that is open says what the cluster is; the others have to agree. */
static int agree(struct dbl_quorum_member *m, const struct dbl_membership *is,
		 struct dblock_error *err)
{
	struct dbl_quorum *q = m->quorum;

	if (!dbl_membership_votes(is, is->identity, is->epoch))
		return dbl_membership_refuse(is, err);
	if (is->members != q->n)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the cluster '%s' has %lld members, and %u were given", is->cluster,
				(long long)is->members, q->n);
	if (!q->cluster.cluster[0])
		q->cluster = *is;
	if (!dbl_membership_votes(is, q->cluster.identity, q->cluster.epoch))
		return dbl_membership_refuse(is, err);
	for (unsigned i = 0; i < q->n; i++) {
		if (&q->members[i] != m && q->members[i].voted_as == is->number)
			return dbl_fail(
				err, DBLOCK_E_INVALID,
				"it is member %lld of the cluster '%s', as another one that "
				"was given: each is to be given once",
				(long long)is->number, is->cluster);
	}
	if (q->home.ttl > is->max_ttl)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"ttl_ms is %lld; the cluster's max_ttl is %lld",
				(long long)q->home.ttl / 1000, (long long)is->max_ttl / 1000);
	m->voted_as = is->number;
	return 0;
}

/* Is what the link leads to now the member? A copy, restored or promoted, has another history. */
static int check(struct dbl_quorum_member *m, struct dbl_locks *locks, struct dblock_error *err)
{
	struct dbl_quorum *q = m->quorum;
	int64_t losses = dbl_link_losses(locks->link);
	struct dbl_membership is;
	int rc = dbl_membership_read(locks->link, dbl_locks_deadline(locks), &is, err);

	dbl_lock(&q->home.mutex);
	if (rc == 0)
		rc = agree(m, &is, err);
	if (rc == 0)
		m->losses = losses;
	dbl_unlock(&q->home.mutex);
	return rc;
}

static int open_it(struct dbl_quorum_member *m, struct dblock_error *err)
{
	struct dbl_quorum *q = m->quorum;
	struct dbl_locks *locks;
	int rc = q->opener.open(q->opener.ctx, m->number - 1, &locks, err);

	if (rc)
		return rc;
	dbl_cache_turns(locks, 0);
	rc = check(m, locks, err);
	if (rc) {
		q->opener.close(q->opener.ctx, m->number - 1);
		return rc;
	}
	dbl_lock(&q->home.mutex);
	m->locks = locks;
	dbl_unlock(&q->home.mutex);
	return 0;
}

bool dbl_member_is_same(struct dbl_quorum_member *m)
{
	return m->losses == dbl_link_losses(m->locks->link);
}

static int get_ready(struct dbl_quorum_member *m, bool is_open, struct dblock_error *err)
{
	int rc = is_open ? check(m, m->locks, err) : open_it(m, err);

	dbl_lock(&m->quorum->home.mutex);
	m->opening = false;
	m->rc = rc;
	if (rc && err)
		m->why = *err;
	dbl_unlock(&m->quorum->home.mutex);
	return rc;
}

int dbl_member_ready(struct dbl_quorum_member *m, struct dblock_error *err)
{
	struct dbl_quorum *q = m->quorum;
	bool is_open, is_ready, mine;

	dbl_lock(&q->home.mutex);
	is_open = m->locks != NULL;
	is_ready = is_open && dbl_member_is_same(m);
	mine = !is_ready && !m->opening;
	m->opening = m->opening || mine;
	dbl_unlock(&q->home.mutex);
	if (is_ready)
		return 0;
	return mine ? get_ready(m, is_open, err)
		    : dbl_fail(err, DBLOCK_E_UNAVAILABLE, "it is being opened");
}

/* ---- messages -------------------------------------------------------------------------------- */

void dbl_member_tell(struct dblock_error *err)
{
	char *at = err ? err->message : NULL;

	while (at && (at = strstr(at, DBL_QUORUM_PREFIX)))
		memmove(at, at + DBL_QUORUM_PREFIX_LEN, strlen(at + DBL_QUORUM_PREFIX_LEN) + 1);
}
