/* SPDX-License-Identifier: MIT */
#include "lock/begun.h"

#include <string.h>

#include "base/alarm.h"
#include "base/mem.h"
#include "lock/cache/cache.h"
#include "lock/core/cancel.h"

/* ---- what a worker does ---------------------------------------------------------------------- */

static void free_wait(struct dblock_wait *w)
{
	if (w->kind->fini)
		w->kind->fini(w);
	dbl_alarm_free(w->alarm);
	dbl_free(w);
}

/* Under the mutex: whether to go on, or to give back what came too late. */
static bool is_due(const struct dblock_wait *w)
{
	if (w->busy)
		return false;
	if (w->outcome != DBLOCK_WAITING)
		return w->got && atomic_load(&w->canceled);
	return w->kind->due_at(w) <= dbl_now(w->locks->env);
}

/* Under the mutex: have the caller look when there is something to see, or to do. */
static void set_alarm(struct dblock_wait *w)
{
	int64_t at = 0;

	if (w->busy)
		at = DBL_NEVER;
	else if (w->outcome == DBLOCK_WAITING)
		at = w->kind->due_at(w);
	dbl_alarm_set(w->alarm, w->locks->env, at);
	/* Who cancels takes no mutex: its ring may have been forgotten just now. */
	if (!w->busy && atomic_load(&w->canceled))
		dbl_alarm_ring(w->alarm);
}

/* True: its caller has ended it meanwhile, and wants no outcome. Else he may free it from now on. */
static bool leave_outcome(struct dblock_wait *w, int rc, struct dblock_lock *got,
			  const struct dblock_error *why)
{
	struct dbl_locks *locks = w->locks;
	bool ended;

	dbl_lock(&locks->mutex);
	DBL_ASSERT(w->busy && (rc != DBLOCK_WAITING || w->kind->due_at), "%d", rc);
	ended = w->ended;
	w->busy = false;
	w->outcome = rc;
	w->got = got;
	w->why = *why;
	if (!ended)
		set_alarm(w);
	dbl_unlock(&locks->mutex);
	return ended;
}

/* What is due at once needs no step of the caller's. */
static bool goes_on(struct dblock_wait *w)
{
	bool goes_on;

	dbl_lock(&w->locks->mutex);
	goes_on = !w->ended && w->kind->due_at(w) <= dbl_now(w->locks->env);
	dbl_unlock(&w->locks->mutex);
	return goes_on;
}

/* Goes on; or, if it has got something already, gives that back. */
static void work(struct dbl_job *job)
{
	struct dblock_wait *w = (void *)((char *)job - offsetof(struct dblock_wait, job));
	struct dblock_error why = {0};
	struct dblock_lock *got = w->got;
	int rc = got ? 0 : DBLOCK_WAITING;

	while (rc == DBLOCK_WAITING) {
		rc = w->kind->go_on(w, &got, &why);
		if (rc == DBLOCK_WAITING && !goes_on(w))
			break;
	}
	if (got && atomic_load(&w->canceled)) {
		dbl_cache_give_back(got);
		got = NULL;
		rc = dbl_tell_canceled(w->locks, w->name, w->kind->what, &why);
	}
	if (!leave_outcome(w, rc, got, &why))
		return;
	if (got)
		dbl_cache_give_back(got);
	free_wait(w);
}

/* ---- beginning ------------------------------------------------------------------------------- */

/* There are workers from the first call on. False: no memory, or no thread. */
static bool have_workers(struct dbl_locks *locks)
{
	struct dbl_workers *mine = NULL;
	bool any;

	dbl_lock(&locks->mutex);
	any = locks->workers != NULL;
	dbl_unlock(&locks->mutex);
	if (any)
		return true;
	mine = dbl_workers_new(locks->env);
	if (!mine)
		return false;
	dbl_lock(&locks->mutex);
	if (!locks->workers) {
		locks->workers = mine;
		mine = NULL;
	}
	dbl_unlock(&locks->mutex);
	dbl_workers_free(mine); /* another thread was faster */
	return true;
}

size_t dbl_begun_room(const struct dbl_acquire_spec *spec)
{
	return strlen(spec->name) + 1 + (spec->value ? strlen(spec->value) + 1 : 0);
}

void dbl_begun_copy(struct dbl_acquire_spec *to, const struct dbl_acquire_spec *from, char *texts)
{
	size_t name_size = strlen(from->name) + 1;
	static _Atomic uint64_t last;

	*to = *from;
	/* Whoever steps it, two waits of one loop are two that wait for each other. */
	if (!from->owner.id)
		to->owner = (struct dbl_owner){.kind = DBL_OWNER_WAIT, .id = ++last};
	to->name = memcpy(texts, from->name, name_size);
	if (from->value)
		to->value = memcpy(texts + name_size, from->value, strlen(from->value) + 1);
}

int dbl_begun_init(struct dblock_wait *w, const struct dbl_begun_kind *kind,
		   struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		   struct dblock_error *err)
{
	w->kind = kind;
	w->locks = locks;
	w->name = spec->name;
	w->job.run = work;
	w->outcome = DBLOCK_WAITING;
	w->calls_back = dbl_spec_calls_back(spec);
	atomic_flag_clear(&w->inside);
	if (!have_workers(locks))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory, or of threads");
	w->alarm = dbl_alarm_new();
	if (w->alarm < 0)
		return dbl_fail(err, DBLOCK_E_NOMEM, "no file descriptor is left");
	return 0;
}

void dbl_begun_add(struct dblock_wait *w)
{
	struct dbl_locks *locks = w->locks;
	bool busy = w->busy;

	dbl_lock(&locks->mutex);
	w->next = locks->begun;
	locks->begun = w;
	set_alarm(w);
	dbl_unlock(&locks->mutex);
	if (busy)
		dbl_workers_add(locks->workers, &w->job);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Lets one thread at a time in, until there is an outcome. */
static int enter(struct dblock_wait *w, struct dblock_error *err)
{
	if (atomic_flag_test_and_set(&w->inside))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s': another thread is in a step of this wait", w->name);
	if (!w->over)
		return 0;
	atomic_flag_clear(&w->inside);
	return dbl_fail(err, DBLOCK_E_INVALID,
			"'%s': this wait is over; what is left to do is dblock_wait_end()",
			w->name);
}

/* True: the caller is to have it worked at. */
static bool begin_work(struct dblock_wait *w)
{
	bool due;

	dbl_lock(&w->locks->mutex);
	due = is_due(w);
	w->busy |= due;
	dbl_unlock(&w->locks->mutex);
	return due;
}

static int tell(struct dblock_wait *w, struct dblock_lock **lock, struct dblock_error *err)
{
	int rc;

	dbl_lock(&w->locks->mutex);
	rc = w->busy ? DBLOCK_WAITING : w->outcome;
	w->over = rc != DBLOCK_WAITING;
	if (w->over) {
		*lock = w->got;
		w->got = NULL;
		dbl_alarm_set(w->alarm, w->locks->env, DBL_NEVER);
	} else {
		set_alarm(w);
	}
	if (rc == DBLOCK_WAITING && !w->why.code)
		dbl_fail(err, rc, "'%s': there is no answer yet", w->name);
	else if (rc && err)
		*err = w->why;
	dbl_unlock(&w->locks->mutex);
	return rc;
}

int dbl_begun_step(struct dblock_wait *w, struct dblock_lock **lock, struct dblock_error *err)
{
	int rc = enter(w, err);

	if (rc)
		return rc;
	if (begin_work(w))
		dbl_workers_add(w->locks->workers, &w->job);
	rc = tell(w, lock, err);
	atomic_flag_clear(&w->inside);
	return rc;
}

int dbl_begun_finish(struct dblock_wait *w, struct dblock_lock **lock, struct dblock_error *err)
{
	int rc = enter(w, err);

	if (rc)
		return rc;
	for (;;) {
		if (begin_work(w))
			work(&w->job);
		rc = tell(w, lock, err);
		if (rc != DBLOCK_WAITING)
			break;
		dbl_alarm_wait(w->alarm);
	}
	atomic_flag_clear(&w->inside);
	return rc;
}

/* ---- ending ---------------------------------------------------------------------------------- */

void dbl_begun_cancel(struct dblock_wait *w)
{
	atomic_store(&w->canceled, true);
	if (w->kind->cancel)
		w->kind->cancel(w);
}

/* The descriptor is out of the caller's loop from now on, whatever a worker still has to do. */
static void close_alarm(struct dblock_wait *w)
{
	if (w->kind->alarm_is_closed)
		w->kind->alarm_is_closed(w);
	dbl_alarm_free(w->alarm);
	w->alarm = -1;
}

static void take_out(struct dblock_wait *w)
{
	struct dblock_wait **at = &w->locks->begun;

	while (*at && *at != w)
		at = &(*at)->next;
	DBL_ASSERT(*at);
	*at = w->next;
}

/* Under the mutex, which is given up meanwhile. */
static void await_worker(struct dblock_wait *w)
{
	while (w->busy) {
		set_alarm(w);
		dbl_unlock(&w->locks->mutex);
		dbl_alarm_wait(w->alarm);
		dbl_lock(&w->locks->mutex);
	}
}

void dbl_begun_end(struct dblock_wait *w)
{
	struct dbl_locks *locks = w->locks;
	bool goes_back, ended;

	dbl_begun_cancel(w);
	dbl_lock(&locks->mutex);
	/* What is called back may be gone once this returns. */
	if (w->calls_back)
		await_worker(w);
	take_out(w);
	close_alarm(w);
	goes_back = !w->busy && (w->got || w->outcome == DBLOCK_WAITING);
	w->busy |= goes_back;
	ended = w->ended = w->busy;
	dbl_unlock(&locks->mutex);
	if (goes_back && w->calls_back)
		work(&w->job);
	else if (goes_back)
		dbl_workers_add(locks->workers, &w->job);
	else if (!ended)
		free_wait(w);
}

/* ---- all that a client has ------------------------------------------------------------------- */

void dbl_begun_wake_all(struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	for (struct dblock_wait *w = locks->begun; w; w = w->next)
		dbl_alarm_ring(w->alarm);
}

const char *dbl_begun_any(const struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	return locks->begun ? locks->begun->name : NULL;
}
