/* SPDX-License-Identifier: MIT */
/* A member: a client of its database, which is opened when it is first asked for something, and
 * again by whoever asks next if that failed; and whether it answers. */
#include "lock/quorum/member.h"

#include <string.h>

#include "lock/cache/cache.h"

/* Who has not answered for so long is not waited for. */
#define SLOW_US 200000

/* Whoever is no member, or does not answer, is looked at again after so long. */
#define RETRY_US 1000000

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

/* It has just said that it is no member, or not this cluster's. */
static bool is_none(const struct dbl_quorum_member *m)
{
	return m->rc == DBLOCK_E_INVALID && dbl_now(m->quorum->home.env) < m->watch_at;
}

/* Those who are no members are too many for the others: that ends a call, so each is asked anew. */
static bool are_too_many(const struct dbl_quorum *q)
{
	unsigned n = 0;

	for (unsigned i = 0; i < q->n; i++)
		n += is_none(&q->members[i]);
	return n > q->n - q->majority;
}

/* It was slow, and is needed; that it is being asked just now does not say that it is still. */
static bool is_worth_while(struct dbl_quorum_member *m)
{
	struct dbl_quorum *q = m->quorum;
	unsigned n = 0;

	for (unsigned i = 0; i < q->n; i++)
		n += !dbl_member_is_slow(&q->members[i]);
	return n < q->majority && dbl_now(q->home.env) - m->busy_from <= SLOW_US;
}

int dbl_member_pass_over(struct dbl_quorum_member *m, struct dblock_error *err)
{
	bool spared = is_none(m) && !are_too_many(m->quorum);

	if (!spared && (!dbl_member_is_slow(m) || m->n_jobs == 0 || is_worth_while(m)))
		return 0;
	if (!m->rc)
		return dbl_fail(err, DBLOCK_E_NO_ANSWER, "it has not answered for a while");
	*err = m->why;
	return m->rc;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Is what the link leads to now the member? A copy, restored or promoted, has another history,
 * which is looked at once on each connection. */
static int check(struct dbl_quorum_member *m, struct dbl_locks *locks, struct dblock_error *err)
{
	struct dbl_quorum *q = m->quorum;
	int64_t losses = dbl_link_losses(locks->link), sent = dbl_now(q->home.env);
	struct dbl_membership is;
	bool same;
	int rc;

	dbl_lock(&q->home.mutex);
	same = m->verified == losses;
	dbl_unlock(&q->home.mutex);
	rc = (same ? dbl_membership_read
		   : dbl_membership_verify)(locks->link, dbl_locks_deadline(locks), &is, err);
	if (rc == 0 && losses != dbl_link_losses(locks->link))
		rc = dbl_fail(err, DBLOCK_E_UNAVAILABLE, "the connection was lost meanwhile");
	dbl_lock(&q->home.mutex);
	if (rc == 0) {
		m->verified = losses;
		rc = dbl_cluster_agree(m, &is, sent, err);
		m->losses = rc ? -1 : losses;
	}
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
	dbl_lock(&q->home.mutex);
	m->locks = rc ? NULL : locks;
	m->verified = rc ? -1 : m->verified;
	dbl_unlock(&q->home.mutex);
	if (rc)
		q->opener.close(q->opener.ctx, m->number - 1);
	return rc;
}

static bool is_as_seen(const struct dbl_quorum_member *m)
{
	return m->losses == dbl_link_losses(m->locks->link);
}

/* A connection may have been lost, and had again, more than once since. */
bool dbl_member_is_same(const struct dbl_quorum_member *m, const struct dbl_question *question)
{
	return question->losses == dbl_link_losses(m->locks->link);
}

static int get_ready(struct dbl_quorum_member *m, bool is_open, struct dblock_error *err)
{
	struct dbl_quorum *q = m->quorum;
	int rc = is_open ? check(m, m->locks, err) : open_it(m, err);

	dbl_lock(&q->home.mutex);
	m->opening = false;
	m->rc = rc;
	m->watch_at = dbl_now(q->home.env) + (rc ? dbl_jitter(q->home.env, RETRY_US) : 0);
	if (rc)
		m->why = *err;
	dbl_cond_wake(&q->keep);
	dbl_unlock(&q->home.mutex);
	return rc;
}

/* Under the mutex: somebody else gets it ready. Returns with what outcome. */
static int await_ready(struct dbl_quorum_member *m, struct dblock_error *err)
{
	struct dbl_quorum *q = m->quorum;

	while (m->opening)
		dbl_cond_wait(&q->keep, &q->home.mutex, q->home.env, DBL_NEVER);
	if (m->rc)
		*err = m->why;
	return m->rc;
}

/* `anew`: also if it is ready, as far as is known. */
static int ready(struct dbl_quorum_member *m, bool anew, struct dblock_error *err)
{
	struct dbl_quorum *q = m->quorum;
	bool is_open, is_ready, mine = true;
	int rc = 0;

	dbl_lock(&q->home.mutex);
	is_ready = !anew && m->locks && is_as_seen(m);
	if (m->opening && !is_ready) {
		rc = await_ready(m, err);
		mine = anew;
	}
	mine = mine && !is_ready;
	m->opening = m->opening || mine;
	is_open = m->locks != NULL;
	dbl_unlock(&q->home.mutex);
	return mine ? get_ready(m, is_open, err) : rc;
}

int dbl_member_ready(struct dbl_quorum_member *m, struct dblock_error *err)
{
	return ready(m, false, err);
}

int dbl_member_look(struct dbl_quorum_member *m, struct dblock_error *err)
{
	return ready(m, true, err);
}

/* ---- asking ---------------------------------------------------------------------------------- */

int dbl_member_question(struct dbl_quorum_member *m, int64_t token, struct dbl_question *question,
			struct dblock_error *err)
{
	struct dbl_quorum *q = m->quorum;
	int rc = dbl_member_ready(m, err);

	dbl_lock(&q->home.mutex);
	*question = (struct dbl_question){
		.ballot = {.token = token, .identity = q->cluster.identity, .epoch = m->epoch},
		.sent = dbl_now(q->home.env),
		.losses = m->losses,
		.serial = atomic_load(&m->serial)};
	dbl_unlock(&q->home.mutex);
	return rc;
}

bool dbl_member_has_moved(struct dbl_quorum_member *m, const struct dbl_question *question)
{
	struct dbl_quorum *q = m->quorum;
	struct dblock_error why;
	bool moved = dbl_member_look(m, &why) == 0;

	dbl_lock(&q->home.mutex);
	moved = moved && m->epoch != question->ballot.epoch;
	dbl_unlock(&q->home.mutex);
	return moved;
}

int dbl_member_look_after(struct dbl_quorum_member *m, const struct dbl_question *question,
			  struct dblock_error *err)
{
	int rc = dbl_member_look(m, err);

	if (rc == 0 && !dbl_member_is_same(m, question))
		rc = dbl_fail(err, DBLOCK_E_UNAVAILABLE, "the connection was lost meanwhile");
	return rc;
}

static void watch(struct dbl_job *job)
{
	struct dbl_quorum_member *m = (struct dbl_quorum_member *)job;
	struct dblock_error why;
	int rc = dbl_member_look(m, &why);

	dbl_lock(&m->quorum->home.mutex);
	m->watched = false;
	dbl_member_end(m, dbl_member_answers(rc));
	dbl_cond_wake(&m->quorum->keep);
	dbl_unlock(&m->quorum->home.mutex);
}

void dbl_member_watch(struct dbl_quorum_member *m)
{
	m->watched = true;
	m->job.run = watch;
	dbl_member_begin(m);
	dbl_workers_add(m->workers, &m->job);
}

/* ---- messages -------------------------------------------------------------------------------- */

void dbl_member_tell(struct dblock_error *err)
{
	char *at = err ? err->message : NULL;

	while (at && (at = strstr(at, DBL_QUORUM_PREFIX)))
		memmove(at, at + DBL_QUORUM_PREFIX_LEN, strlen(at + DBL_QUORUM_PREFIX_LEN) + 1);
}
