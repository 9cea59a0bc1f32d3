/* SPDX-License-Identifier: MIT */
/* Closing: what is held is given back, and then each member's client is closed. */
#include "lock/quorum/quorum.h"

#include "base/mem.h"
#include "lock/client.h"
#include "lock/quorum/member.h"

void dbl_quorum_shutdown(struct dbl_locks *home)
{
	struct dbl_quorum *q = dbl_quorum_of(home);

	atomic_store(&home->shut, true);
	dbl_lock(&home->mutex);
	for (struct dbl_quorum_lock *l = q->out; l; l = l->next)
		dbl_cond_wake(&l->news);
	dbl_unlock(&home->mutex);
	for (unsigned i = 0; i < q->n; i++) {
		struct dbl_locks *member;

		dbl_lock(&home->mutex);
		member = q->members[i].locks;
		dbl_unlock(&home->mutex);
		if (member)
			dbl_shutdown(member);
	}
}

int dbl_quorum_check_unused(struct dbl_locks *home, struct dblock_error *err)
{
	struct dbl_quorum *q = dbl_quorum_of(home);
	bool is_teller;

	dbl_lock(&home->mutex);
	is_teller = q->teller_id == dbl_thread_id();
	dbl_unlock(&home->mutex);
	if (is_teller)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the client cannot be closed by one of its own callbacks");
	if (atomic_load(&home->inside) > 0)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"the client cannot be closed: a call is under way in another thread; "
			"dblock_shutdown() ends those that wait");
	return 0;
}

/* ---- members --------------------------------------------------------------------------------- */

static void quorum_free(struct dbl_quorum *q)
{
	dbl_quorum_forget_all(q);
	dbl_cond_fini(&q->keep);
	dbl_mutex_fini(&q->home.mutex);
	dbl_free(q);
}

/* The majority has what it is to know. */
static void *close_member(void *arg)
{
	struct dbl_quorum_member *m = arg;
	struct dbl_quorum *q = m->quorum;
	struct dbl_locks *locks;

	dbl_lock(&q->home.mutex);
	locks = m->locks;
	dbl_unlock(&q->home.mutex);
	if (locks)
		dbl_locks_hasten(locks);
	dbl_workers_free(m->workers);
	if (m->locks)
		q->opener.close(q->opener.ctx, m->number - 1);
	return NULL;
}

/* All at once, so that those who answer do not wait for one that does not. Until it is closed a
 * member may tell of a vote that was lost. */
void dbl_quorum_drop(struct dbl_quorum *q)
{
	for (unsigned i = 0; i < q->n; i++) {
		struct dbl_quorum_member *m = &q->members[i];

		if (dbl_thread_start(&m->closer, close_member, m))
			(void)close_member(m);
	}
	for (unsigned i = 0; i < q->n; i++)
		dbl_thread_join(&q->members[i].closer);
	quorum_free(q);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Leases stay: members leave them when they are closed. */
static void give_back_all(struct dbl_quorum *q, int64_t until)
{
	struct dbl_quorum_lock *l, *next;

	for (l = q->out; l; l = next) {
		next = l->next;
		if (l->spec.lease)
			continue;
		l->base.count = 1;
		dbl_unlock(&q->home.mutex);
		(void)dbl_quorum_release(&l->base, NULL);
		dbl_lock(&q->home.mutex);
		if (dbl_now(q->home.env) >= until)
			break;
	}
}

void dbl_quorum_close(struct dbl_locks *home)
{
	struct dbl_quorum *q = dbl_quorum_of(home);
	int64_t until = dbl_add(dbl_now(home->env), home->timeout);

	dbl_keeper_stop(q);
	dbl_lock(&home->mutex);
	for (unsigned i = 0; i < q->n; i++) {
		if (q->members[i].locks)
			q->members[i].locks->until = until;
	}
	give_back_all(q, until);
	dbl_unlock(&home->mutex);
	dbl_quorum_drop(q);
}
