/* SPDX-License-Identifier: MIT */
#include "lock/quorum/quorum.h"

#include "base/mem.h"
#include "lock/quorum/member.h"

/* So long are the others waited for, once a majority of members is open. */
#define OTHERS_US 1000000

static const struct dbl_calls calls = {
	.acquire = {[DBL_TRY] = dbl_quorum_try, [DBL_WAIT_FOR_IT] = dbl_quorum_wait},
	.release = dbl_quorum_release,
	.extend = dbl_quorum_extend,
	.release_token = dbl_quorum_release_token,
	.extend_token = dbl_quorum_extend_token,
	.left = dbl_quorum_left,
	.loss = dbl_quorum_loss,
};

/* ---- opening --------------------------------------------------------------------------------- */

static void open_member(struct dbl_job *job)
{
	struct dbl_quorum_member *m = (struct dbl_quorum_member *)job;
	struct dblock_error why;
	int rc = dbl_member_ready(m, &why);

	dbl_lock(&m->quorum->home.mutex);
	m->watched = false;
	dbl_member_end(m, rc == 0);
	dbl_cond_wake(&m->quorum->keep);
	dbl_unlock(&m->quorum->home.mutex);
}

/* What was given is wrong: that is told, though a majority may be there. Who was a member, and is
 * none any more, is one that does not vote, as any that is down. */
static bool is_for_good(const struct dbl_quorum_member *m)
{
	return m->misled || m->rc == DBLOCK_E_FORKED || m->rc == DBLOCK_E_NOMEM;
}

static const char *reason(const struct dbl_quorum_member *m)
{
	return m->rc ? m->why.message : "it does not answer";
}

static int failed(const struct dbl_quorum_member *m, struct dblock_error *err)
{
	return dbl_fail(err, m->rc ? m->rc : DBLOCK_E_NO_ANSWER, "member %u: %s", m->number,
			reason(m));
}

/* Each that is not open, and why; of the first error that there is. */
static int too_few(const struct dbl_quorum *q, const struct dbl_quorum_member *why,
		   struct dblock_error *err)
{
	int rc = failed(why, err);

	for (unsigned i = 0; i < q->n; i++) {
		const struct dbl_quorum_member *m = &q->members[i];

		if (!m->locks && m != why)
			dbl_err_suffix(err, "; member %u: %s", m->number, reason(m));
	}
	return rc;
}

/* Under the mutex: DBLOCK_WAITING, while members may open that are waited for. */
static int judge(struct dbl_quorum *q, int64_t *until, struct dblock_error *err)
{
	const struct dbl_quorum_member *why = NULL;
	unsigned n_open = 0, n_over = 0;

	for (unsigned i = 0; i < q->n; i++) {
		const struct dbl_quorum_member *m = &q->members[i];

		n_open += m->locks != NULL;
		n_over += m->n_jobs == 0;
		if (m->rc && is_for_good(m))
			return failed(m, err);
		if (!m->locks && (!why || (m->rc && !why->rc)))
			why = m;
	}
	if (n_over < q->n && n_open >= q->majority && *until == DBL_NEVER)
		*until = dbl_now(q->home.env) + OTHERS_US;
	if (n_open < q->majority ? n_over == q->n
				 : n_over == q->n || dbl_now(q->home.env) >= *until)
		return n_open >= q->majority ? 0 : too_few(q, why, err);
	return DBLOCK_WAITING;
}

static int open_members(struct dbl_quorum *q, struct dblock_error *err)
{
	struct dbl_locks *home = &q->home;
	int64_t last = dbl_add(dbl_now(home->env), 2 * home->timeout), until = DBL_NEVER;
	int rc;

	dbl_lock(&home->mutex);
	for (unsigned i = 0; i < q->n; i++) {
		q->members[i].watched = true;
		dbl_member_begin(&q->members[i]);
		dbl_workers_add(q->members[i].workers, &q->members[i].job);
	}
	/* What a member is told to do ends within its time-out. */
	while ((rc = judge(q, &until, err)) == DBLOCK_WAITING && dbl_now(home->env) < last)
		dbl_cond_wait(&q->keep, &home->mutex, home->env, dbl_least(until, last));
	if (rc == DBLOCK_WAITING)
		rc = dbl_fail(err, DBLOCK_E_NO_ANSWER, "too few members answer");
	dbl_unlock(&home->mutex);
	return rc;
}

static bool make_members(struct dbl_quorum *q)
{
	for (unsigned i = 0; i < q->n; i++) {
		struct dbl_quorum_member *m = &q->members[i];

		m->job.run = open_member;
		m->losses = m->verified = -1;
		m->workers = dbl_workers_new(q->home.env);
		if (!m->workers)
			return false;
	}
	return true;
}

static struct dbl_quorum *quorum_new(const struct dbl_env *env, unsigned n)
{
	struct dbl_quorum *q = dbl_alloc(sizeof(*q) + n * sizeof(q->members[0]));

	if (!q || dbl_mutex_init(&q->home.mutex)) {
		dbl_free(q);
		return NULL;
	}
	if (dbl_cond_init(&q->keep)) {
		dbl_mutex_fini(&q->home.mutex);
		dbl_free(q);
		return NULL;
	}
	dbl_host_read(&q->host);
	q->home.env = env;
	q->home.calls = &calls;
	q->home.host = &q->host;
	q->n = n;
	q->majority = n / 2 + 1;
	for (unsigned i = 0; i < n; i++) {
		q->members[i].quorum = q;
		q->members[i].number = i + 1;
	}
	return q;
}

int dbl_quorum_open(struct dbl_locks **home, const struct dbl_env *env, struct dbl_tally *tally,
		    unsigned n, int64_t ttl, bool ttl_given, int64_t timeout,
		    const struct dbl_quorum_opener *opener, struct dblock_error *err)
{
	struct dbl_quorum *q = quorum_new(env, n);
	int rc = DBLOCK_E_NOMEM;

	DBL_ASSERT(n > 0 && n <= DBL_QUORUM_MAX, "%u", n);
	*home = NULL;
	if (!q)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	q->opener = *opener;
	q->home.tally = tally;
	q->home.ttl = ttl;
	q->ttl_given = ttl_given;
	q->home.timeout = timeout;
	if (make_members(q))
		rc = open_members(q, err);
	if (rc == 0 && dbl_keeper_start(q))
		rc = DBLOCK_E_NOMEM;
	if (rc == DBLOCK_E_NOMEM)
		(void)dbl_fail(err, rc, "out of memory, or threads");
	if (rc) {
		dbl_quorum_drop(q);
		return rc;
	}
	*home = &q->home;
	return 0;
}
