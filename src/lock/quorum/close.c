/* SPDX-License-Identifier: MIT */
/*
 * Closing: what is held is given back, and each member's client is closed, all at once. A member
 * that does not answer is left to the thread that closes it, where the others are a majority; the
 * last who has to do with the client frees it.
 */
#include "lock/quorum/quorum.h"

#include "base/mem.h"
#include "base/stray.h"
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
	struct dbl_quorum_opener opener = q->opener;

	dbl_quorum_forget_all(q);
	dbl_cond_fini(&q->keep);
	dbl_mutex_fini(&q->home.mutex);
	dbl_free(q);
	opener.freed(opener.ctx);
}

static void unref_unlock(struct dbl_quorum *q)
{
	bool last = --q->refs == 0;

	dbl_unlock(&q->home.mutex);
	if (last)
		quorum_free(q);
}

/* Until it is closed a member may tell of a vote that was lost. */
static void close_member(struct dbl_quorum_member *m)
{
	struct dbl_quorum *q = m->quorum;

	dbl_workers_free(m->workers);
	if (m->locks)
		q->opener.close(q->opener.ctx, m->number - 1);
}

static void closer(void *arg)
{
	struct dbl_quorum_member *m = arg;
	struct dbl_quorum *q = m->quorum;

	close_member(m);
	dbl_lock(&q->home.mutex);
	m->closed = true;
	dbl_cond_wake(&q->keep);
	unref_unlock(q);
}

/* An environment other than the system's may end before a thread that is left to itself. */
static void close_members(struct dbl_quorum *q)
{
	bool apart = q->home.env == dbl_env_system();

	for (unsigned i = 0; i < q->n; i++) {
		dbl_lock(&q->home.mutex);
		q->refs++;
		dbl_unlock(&q->home.mutex);
		if (!apart || dbl_stray_start(closer, &q->members[i]))
			closer(&q->members[i]);
	}
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

/* Under the mutex: at least so many, and all that answer. */
static bool are_closed(struct dbl_quorum *q, unsigned least, int64_t since)
{
	bool late = dbl_now(q->home.env) - since >= DBL_OTHERS_US;
	unsigned n = 0, pending = 0;

	for (unsigned i = 0; i < q->n; i++) {
		struct dbl_quorum_member *m = &q->members[i];

		n += m->closed;
		pending += !m->closed && !late && !dbl_member_is_slow(m);
	}
	return n == q->n || (n >= least && pending == 0);
}

static void close_all(struct dbl_quorum *q, unsigned least)
{
	struct dbl_locks *home = &q->home;
	int64_t since = dbl_now(home->env);

	close_members(q);
	dbl_lock(&home->mutex);
	while (!are_closed(q, least, since))
		dbl_cond_wait(&q->keep, &home->mutex, home->env,
			      dbl_now(home->env) + DBL_LOOK_AGAIN_US);
	unref_unlock(q);
}

void dbl_quorum_drop(struct dbl_quorum *q)
{
	close_all(q, 0);
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
	close_all(q, q->majority);
}
