/* SPDX-License-Identifier: MIT */
/* The threads of one process: which of them leads a flight, and which follow. */
#include "lock/recipes/flight.h"

#include <string.h>

#include "base/mem.h"
#include "lock/core/cancel.h"

/* One call of dbl_flight(). */
struct caller {
	struct dbl_locks *locks;
	const struct dbl_flight_call *call;
	struct dbl_follower follower;
	int64_t since; /* when the call came */
};

/* ---- the table; under the mutex -------------------------------------------------------------- */

static struct dbl_flight *find(struct dbl_locks *locks, const struct dbl_flight_call *call)
{
	struct dbl_flight *f = locks->flights;

	while (f && (f->fresh > call->fresh || strcmp(f->name, call->spec.name) != 0))
		f = f->next;
	return f;
}

static struct dbl_flight *add(struct dbl_locks *locks, const struct dbl_flight_call *call)
{
	const char *name = call->spec.name;
	size_t size = strlen(name) + 1;
	struct dbl_flight *f = dbl_alloc(sizeof(*f) + size);

	if (!f)
		return NULL;
	if (dbl_cond_init(&f->news)) {
		dbl_free(f);
		return NULL;
	}
	memcpy(f->name, name, size);
	f->locks = locks;
	f->fresh = call->fresh;
	f->sleeper.cond = &f->news;
	f->next = locks->flights;
	locks->flights = f;
	dbl_sleeper_add(locks, &f->sleeper);
	return f;
}

static void take_out(struct dbl_flight *f)
{
	struct dbl_flight **at = &f->locks->flights;

	while (*at && *at != f)
		at = &(*at)->next;
	DBL_ASSERT(*at, "%s", f->name);
	*at = f->next;
	dbl_sleeper_remove(f->locks, &f->sleeper);
}

/* The flight whose leader has the lock of that name; flights that want it fresher wait for that. */
static const struct dbl_flight *maker_of(const struct dbl_locks *locks, const char *name)
{
	const struct dbl_flight *f = locks->flights;

	while (f && (!f->making || strcmp(f->name, name) != 0))
		f = f->next;
	return f;
}

static bool is_caller(const struct dbl_flight *f, uint64_t thread)
{
	const struct dbl_follower *p = f->followers;

	while (p && p->thread != thread)
		p = p->next;
	return p != NULL;
}

/* The flight that this thread waits for, as a follower or for the lock. */
static const struct dbl_flight *awaited_by(const struct dbl_locks *locks, uint64_t thread)
{
	for (const struct dbl_flight *f = locks->flights; f; f = f->next) {
		if (is_caller(f, thread))
			return f;
		if (f->leader == thread && !f->making)
			return maker_of(locks, f->name);
	}
	return NULL;
}

/* Would the call wait for its own thread? A leader that waits does so while it makes a result, for
 * another key. (A call that would close a cycle is refused, so this walk comes to an end.) */
static int check_loop(const struct caller *caller, const struct dbl_flight *f,
		      struct dblock_error *err)
{
	const struct dbl_flight *g = f;

	while (g && g->leader && g->leader != caller->follower.thread)
		g = awaited_by(caller->locks, g->leader);
	if (!g || !g->leader)
		return 0;
	if (g == f)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s': this thread is making its result: it cannot wait for it",
				f->name);
	return dbl_fail(err, DBLOCK_DEADLOCK,
			"'%s': who makes its result waits for '%s', which this thread is making",
			f->name, g->name);
}

/* ---- joining and leaving --------------------------------------------------------------------- */

static void follow(struct dbl_flight *f, struct dbl_follower *follower)
{
	follower->next = f->followers;
	f->followers = follower;
}

/* Join the flight of the key, or begin one as its leader. A follower is noted in the same step, or
 * two calls that close a cycle could overlook each other. */
static int join(struct caller *caller, struct dbl_flight **out, bool *is_leader,
		struct dblock_error *err)
{
	struct dbl_locks *locks = caller->locks;
	struct dbl_flight *f;
	int rc;

	dbl_lock(&locks->mutex);
	f = find(locks, caller->call);
	*is_leader = !f;
	rc = check_loop(caller, f ? f : maker_of(locks, caller->call->spec.name), err);
	if (rc == 0 && !f) {
		f = add(locks, caller->call);
		if (f)
			f->leader = caller->follower.thread;
		else
			rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	}
	if (rc == 0)
		f->callers++;
	if (rc == 0 && !*is_leader)
		follow(f, &caller->follower);
	dbl_unlock(&locks->mutex);
	*out = f;
	return rc;
}

static void leave(struct dbl_flight *f)
{
	struct dbl_locks *locks = f->locks;
	bool last;

	dbl_lock(&locks->mutex);
	DBL_ASSERT(f->callers > 0 && (f->callers > 1 || !f->followers), "%u", f->callers);
	last = --f->callers == 0;
	if (last && !f->completed)
		take_out(f);
	dbl_unlock(&locks->mutex);
	if (!last)
		return;
	dbl_result_drop(f->result);
	dbl_cond_fini(&f->news);
	dbl_free(f);
}

void dbl_flight_complete(struct dbl_flight *f, int rc)
{
	dbl_lock(&f->locks->mutex);
	DBL_ASSERT(!f->completed && f->leader == dbl_thread_id() && (rc || f->result), "%d", rc);
	f->rc = rc;
	f->completed = true;
	if (f->result)
		f->result->ready = true;
	take_out(f);
	dbl_cond_wake(&f->news);
	dbl_unlock(&f->locks->mutex);
}

/* ---- the leader ------------------------------------------------------------------------------ */

/* The leader's own wait has come to its end, those of the others have not: one of them leads. */
static void resign(struct dbl_flight *f)
{
	dbl_lock(&f->locks->mutex);
	f->leader = 0;
	dbl_cond_wake(&f->news);
	dbl_unlock(&f->locks->mutex);
}

static int lead(struct dbl_flight *f, const struct dbl_flight_call *call, struct dblock_error *err)
{
	struct dblock_error why = {0};
	int rc = dbl_flight_lead(f, call, &why);

	if (f->completed)
		return 0;
	/* The database has failed, and would fail the others too, one after the other. */
	if (rc < 0 && rc != DBLOCK_E_INVALID) {
		f->why = why;
		dbl_flight_complete(f, rc);
		return 0;
	}
	resign(f);
	if (err)
		*err = why;
	return rc;
}

/* ---- the followers --------------------------------------------------------------------------- */

static void unfollow(struct dbl_flight *f, const struct dbl_follower *follower)
{
	struct dbl_follower **at = &f->followers;

	while (*at != follower)
		at = &(*at)->next;
	*at = follower->next;
}

/* 0: the follower may go on waiting, until *until. No mutex is held. */
static int may_wait(const struct dbl_flight *f, const struct dbl_acquire_spec *spec, int64_t *until,
		    struct dblock_error *err)
{
	const struct dbl_env *env = f->locks->env;
	int64_t now = dbl_now(env);

	if (dbl_is_canceled(f->locks, spec))
		return dbl_tell_canceled(f->locks, f->name, "the wait", err);
	if (now >= spec->wait_until)
		return dbl_fail(err, DBLOCK_TIMEOUT,
				"'%s' is still being made by another thread of this process",
				f->name);
	*until = spec->wait_until;
	if (spec->canceled && now + DBL_ASK_CALLER_US < *until)
		*until = now + DBL_ASK_CALLER_US;
	if (env->idle)
		env->idle(env->ctx, *until);
	return 0;
}

static bool is_over(const struct dbl_flight *f)
{
	return f->completed || f->leader == 0;
}

/* Under the mutex. 0: the flight is complete, or has no leader. */
static int wait_as_caller(struct dbl_flight *f, const struct dbl_acquire_spec *spec,
			  struct dblock_error *err)
{
	struct dbl_locks *locks = f->locks;

	while (!is_over(f)) {
		int64_t until = 0;
		int rc;

		dbl_unlock(&locks->mutex);
		rc = may_wait(f, spec, &until, err);
		dbl_lock(&locks->mutex);
		if (is_over(f))
			break;
		if (rc)
			return rc;
		if (!dbl_is_shut_to(locks, spec))
			dbl_cond_wait(&f->news, &locks->mutex, locks->env, until);
	}
	return 0;
}

/* Follow until the flight is complete, or ours to lead. */
static int follow_to_end(struct caller *caller, struct dbl_flight *f, struct dblock_error *err)
{
	struct dbl_locks *locks = caller->locks;
	int rc;

	dbl_lock(&locks->mutex);
	rc = wait_as_caller(f, &caller->call->spec, err);
	unfollow(f, &caller->follower);
	if (rc == 0 && !f->completed)
		f->leader = caller->follower.thread;
	dbl_unlock(&locks->mutex);
	return rc;
}

/* The flight is complete: may this call have its result? One that this process made was not ready
 * when the call came. One that was read may have been there before, unless it is from a flight that
 * began after the call came, so no call has to try for ever. */
static bool is_for(const struct dbl_flight *f, const struct caller *caller)
{
	return f->rc || !f->read || f->is_fresh || caller->since <= f->made;
}

static int take_result(const struct dbl_flight *f, struct dblock_result **out,
		       struct dblock_error *err)
{
	if (f->rc == 0)
		*out = dbl_result_share(f->result);
	else if (err)
		*err = f->why;
	return f->rc;
}

/* *again: the result is older than this call wants it. */
static int go(struct caller *caller, struct dblock_result **out, bool *again,
	      struct dblock_error *err)
{
	struct dbl_flight *f;
	bool is_leader;
	int rc = join(caller, &f, &is_leader, err);

	*again = false;
	if (rc)
		return rc;
	if (!is_leader) {
		rc = follow_to_end(caller, f, err);
		is_leader = rc == 0 && !f->completed;
	}
	if (is_leader)
		rc = lead(f, caller->call, err);
	*again = rc == 0 && !is_leader && !is_for(f, caller);
	if (rc == 0 && !*again)
		rc = take_result(f, out, err);
	leave(f);
	return rc;
}

int dbl_flight(struct dbl_locks *locks, const struct dbl_flight_call *call,
	       struct dblock_result **out, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct caller caller = {.locks = locks,
				.call = call,
				.follower.thread = dbl_thread_id(),
				.since = dbl_now(locks->env)};
	bool again;
	int rc;

	if (dbl_is_shut_to(locks, &call->spec))
		return dbl_tell_canceled(locks, call->spec.name, "the wait", err);
	do
		rc = go(&caller, out, &again, err);
	while (again);
	return rc;
}
