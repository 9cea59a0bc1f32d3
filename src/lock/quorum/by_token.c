/* SPDX-License-Identifier: MIT */
/* Releasing and extending a lease by name and token, on all members at once: whoever knows the
 * token need not be who acquired it. A lease is held at one and the same token on a majority
 * (ballot.c), so a majority finds it.
 *
 * Its holder is told by the first member that frees it, and may give back the other votes before
 * their members are asked to: where one was freed for this call, those that are free at that token
 * are so, too. */
#include "lock/quorum/member.h"

#include <string.h>

#include "base/mem.h"
#include "lock/core/cancel.h"
#include "lock/grant/extend.h"
#include "lock/lock.h"

struct errand {
	struct dbl_job job;
	struct errands *of;
	struct dbl_quorum_member *member;
	uint64_t serial; /* of the member, before it was asked */
	bool over;
	bool free; /* it was to be released, and had been: nobody has had it since */
	int rc;
	struct dblock_error why;
};

/* One call; under home.mutex, but for what is constant. The last who has to do with it frees it. */
struct errands {
	struct dbl_quorum *quorum; /* constant, as the next three */
	char name[DBL_NAME_MAX + 1];
	int64_t token;
	int64_t lease; /* us; 0: it is to be released */
	struct dbl_cond news;
	unsigned refs;
	struct errand errands[];
};

static void unref_unlock(struct errands *all)
{
	bool last = --all->refs == 0;

	dbl_unlock(&all->quorum->home.mutex);
	if (!last)
		return;
	dbl_cond_fini(&all->news);
	dbl_free(all);
}

static void run_errand(struct dbl_job *job)
{
	struct errand *e = (struct errand *)job;
	struct errands *all = e->of;
	struct dblock_error why = {0};
	struct dbl_question question;
	bool is_free = false;
	int rc = dbl_member_question(e->member, all->token, &question, &why);

	if (rc == 0)
		rc = all->lease ? dbl_grant_extend(e->member->locks, all->name, all->token,
						   all->lease, &why)
				: dbl_grant_release(e->member->locks, all->name, all->token, &why);
	/* A longer lease counts if that is still the member: the statement does not look at its
	 * epoch. */
	if (rc == 0 && all->lease)
		rc = dbl_member_look_after(e->member, &question, &why);
	if (rc == DBLOCK_STALE && !all->lease)
		is_free = dbl_vote_is_free(e->member->locks, all->name, all->token);
	dbl_lock(&all->quorum->home.mutex);
	e->over = true;
	e->free = is_free;
	e->serial = question.serial;
	e->rc = rc;
	e->why = why;
	dbl_member_tell(&e->why);
	dbl_member_end(e->member, dbl_member_answers(rc));
	dbl_cond_wake(&all->news);
	unref_unlock(all);
}

static struct errands *errands_new(struct dbl_quorum *q, const char there[DBL_NAME_MAX + 1],
				   int64_t token, int64_t lease)
{
	struct errands *all = dbl_alloc(sizeof(*all) + q->n * sizeof(all->errands[0]));

	if (!all || dbl_cond_init(&all->news)) {
		dbl_free(all);
		return NULL;
	}
	all->quorum = q;
	all->token = token;
	all->lease = lease;
	all->refs = 1;
	memcpy(all->name, there, sizeof(all->name));
	for (unsigned i = 0; i < q->n; i++)
		all->errands[i] = (struct errand){
			.job = {.run = run_errand}, .of = all, .member = &q->members[i]};
	return all;
}

/* A lease that a member has made longer does not count there if another one has told meanwhile that
 * it is replaced: whoever replaces it waits for the lease that it was, not for this one. */
static bool has_done_it(const struct errand *e)
{
	return e->over && e->rc == 0 &&
	       (!e->of->lease || e->serial == atomic_load(&e->member->serial));
}

/* DBLOCK_WAITING: answers that matter are to come. */
static int judge(const struct errands *all, struct dblock_error *err)
{
	unsigned n = 0, n_free = 0, pending = 0, late = 0, n_stale = 0;
	const struct errand *why = NULL;

	for (unsigned i = 0; i < all->quorum->n; i++) {
		const struct errand *e = &all->errands[i];

		n += has_done_it(e);
		n_free += e->free;
		n_stale += e->over && e->rc == DBLOCK_STALE;
		pending += !e->over && !dbl_member_is_slow(e->member);
		late += !e->over;
	}
	n += n ? n_free : 0;
	/* A minority may never have voted at that token, though the others do. */
	for (unsigned i = 0; i < all->quorum->n && !why; i++) {
		const struct errand *e = &all->errands[i];

		if (e->over && e->rc &&
		    (e->rc == DBLOCK_STALE) == (n_stale > all->quorum->n - all->quorum->majority))
			why = e;
	}
	/* All that answer are waited for: what is freed should be so everywhere; and who is slow,
	 * where there is no majority without him. */
	if (pending > 0 || (n < all->quorum->majority && n + late >= all->quorum->majority))
		return DBLOCK_WAITING;
	if (n >= all->quorum->majority)
		return 0;
	return why ? dbl_fail(err, why->rc, "member %u: %s", why->member->number, why->why.message)
		   : dbl_fail(err, DBLOCK_E_NO_ANSWER,
			      "'%s': of %u members %u have answered, and %u "
			      "are needed",
			      all->name + DBL_QUORUM_PREFIX_LEN, all->quorum->n, n,
			      all->quorum->majority);
}

static int run_all(struct dbl_locks *home, const char *name, int64_t token, int64_t lease,
		   struct dblock_error *err)
{
	struct dbl_quorum *q = dbl_quorum_of(home);
	int64_t until = dbl_add(dbl_now(home->env), home->timeout);
	char there[DBL_NAME_MAX + 1] = "";
	struct errands *all;
	int rc = dbl_quorum_name(there, name, err);

	if (rc)
		return rc;
	all = errands_new(q, there, token, lease);
	if (!all)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	dbl_lock(&home->mutex);
	for (unsigned i = 0; i < q->n; i++) {
		struct errand *e = &all->errands[i];

		e->rc = dbl_member_pass_over(e->member, &e->why);
		e->over = e->rc != 0;
		if (e->over)
			continue;
		all->refs++;
		dbl_member_begin(&q->members[i]);
		dbl_workers_add(q->members[i].workers, &all->errands[i].job);
	}
	while ((rc = judge(all, err)) == DBLOCK_WAITING && dbl_now(home->env) < until)
		dbl_cond_wait(&all->news, &home->mutex, home->env,
			      dbl_least(until, dbl_now(home->env) + DBL_LOOK_AGAIN_US));
	if (rc == DBLOCK_WAITING)
		rc = dbl_fail(err, DBLOCK_E_NO_ANSWER, "'%s': too few members have answered", name);
	unref_unlock(all);
	return rc;
}

int dbl_quorum_release_token(struct dbl_locks *home, const char *name, int64_t token,
			     struct dblock_error *err)
{
	DBL_INSIDE(home);

	return run_all(home, name, token, 0, err);
}

int dbl_quorum_extend_token(struct dbl_locks *home, const char *name, int64_t token, int64_t lease,
			    struct dblock_error *err)
{
	DBL_INSIDE(home);
	int rc = dbl_quorum_check_lease(dbl_quorum_of(home), lease, err);

	return rc ? rc : run_all(home, name, token, lease, err);
}
