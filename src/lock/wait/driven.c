/* SPDX-License-Identifier: MIT */
#include "lock/wait/driven.h"

#include <string.h>

#include "base/alarm.h"
#include "base/mem.h"
#include "lock/core/timed.h"

/* ---- beginning and ending -------------------------------------------------------------------- */

static void copy_spec(struct dblock_wait *w, const struct dbl_acquire_spec *spec, size_t name_size)
{
	char *value = w->texts + name_size;
	static _Atomic uint64_t last;

	w->spec = *spec;
	/* Whoever steps it, two waits of one loop are two that wait for each other. */
	if (!spec->owner.id)
		w->spec.owner = (struct dbl_owner){.kind = DBL_OWNER_WAIT, .id = ++last};
	w->spec.name = memcpy(w->texts, spec->name, name_size);
	if (spec->value)
		w->spec.value = memcpy(value, spec->value, strlen(spec->value) + 1);
}

static int begin(struct dblock_wait *w, struct dbl_locks *locks, struct dblock_error *err)
{
	int alarm = dbl_alarm_new(), rc;

	if (alarm < 0)
		return dbl_fail(err, DBLOCK_E_NOMEM, "no file descriptor is left");
	rc = dbl_wait_begin(&w->wait, locks, &w->spec, err);
	if (rc) {
		dbl_alarm_free(alarm);
		return rc;
	}
	w->wait.waiter.alarm = alarm;
	dbl_wait_arm(&w->wait);
	return 0;
}

int dbl_driven_new(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		   struct dblock_wait **out, struct dblock_error *err)
{
	size_t name_size = strlen(spec->name) + 1;
	size_t value_size = spec->value ? strlen(spec->value) + 1 : 0;
	struct dblock_wait *w = dbl_alloc(sizeof(*w) + name_size + value_size);
	int rc;

	if (!w)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	copy_spec(w, spec, name_size);
	w->outcome = DBLOCK_WAITING;
	w->began = dbl_now(locks->env);
	atomic_flag_clear(&w->inside);
	rc = begin(w, locks, err);
	if (rc) {
		dbl_free(w);
		return rc;
	}
	dbl_lock(&locks->mutex);
	w->next = locks->driven;
	locks->driven = w;
	dbl_unlock(&locks->mutex);
	*out = w;
	return 0;
}

/* A handle that was there before the wait began is one that was entered again. */
static void over(struct dblock_wait *w, const struct dblock_lock *lock, int rc)
{
	struct dbl_span span = {.phase = DBLOCK_PHASE_ACQUIRE,
				.name = w->spec.name,
				.token = lock ? lock->grant.token : 0,
				.outcome = rc,
				.began = w->began};

	dbl_timed_acquire(w->wait.attempt.locks, &span, lock && lock->since < w->began);
}

void dbl_driven_free(struct dblock_wait *w)
{
	struct dbl_locks *locks = w->wait.attempt.locks;
	struct dblock_wait **at = &locks->driven;

	dbl_lock(&locks->mutex);
	while (*at && *at != w)
		at = &(*at)->next;
	DBL_ASSERT(*at);
	*at = w->next;
	dbl_unlock(&locks->mutex);
	dbl_wait_end(&w->wait);
	if (w->outcome == DBLOCK_WAITING)
		over(w, NULL, DBLOCK_CANCELED);
	dbl_free(w);
}

void dbl_driven_wake_all(struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	for (struct dblock_wait *w = locks->driven; w; w = w->next)
		dbl_alarm_ring(w->wait.waiter.alarm);
}

bool dbl_driven_any(const struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	return locks->driven != NULL;
}

/* ---- being driven ---------------------------------------------------------------------------- */

int dbl_driven_fd(const struct dblock_wait *w)
{
	return w->wait.waiter.alarm;
}

/* Lets one thread at a time in, until there is an outcome. */
static int enter(struct dblock_wait *w, struct dblock_error *err)
{
	if (atomic_flag_test_and_set(&w->inside))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s': another thread is in a step of this wait", w->spec.name);
	if (w->outcome == DBLOCK_WAITING)
		return 0;
	atomic_flag_clear(&w->inside);
	return dbl_fail(err, DBLOCK_E_INVALID,
			"'%s': this wait is over; what is left to do is dblock_wait_end()",
			w->spec.name);
}

static void not_yet(const struct dblock_wait *w, struct dblock_error *err)
{
	const struct dbl_snapshot *snapshot = &w->wait.attempt.snapshot;

	if (dbl_is_held(snapshot))
		dbl_snapshot_tell(snapshot, w->spec.name, err, DBLOCK_WAITING);
	else
		dbl_fail(err, DBLOCK_WAITING, "'%s' is not granted yet", w->spec.name);
}

static int step(struct dblock_wait *w, struct dblock_lock **lock, struct dblock_error *err)
{
	w->outcome = dbl_wait_step(&w->wait, lock, err);
	if (w->outcome == DBLOCK_WAITING)
		dbl_wait_arm(&w->wait);
	else
		dbl_alarm_set(w->wait.waiter.alarm, w->wait.attempt.locks->env, DBL_NEVER);
	if (w->outcome != DBLOCK_WAITING)
		over(w, *lock, w->outcome);
	return w->outcome;
}

int dbl_driven_step(struct dblock_wait *w, struct dblock_lock **lock, struct dblock_error *err)
{
	int rc = enter(w, err);

	if (rc)
		return rc;
	rc = step(w, lock, err);
	if (rc == DBLOCK_WAITING)
		not_yet(w, err);
	atomic_flag_clear(&w->inside);
	return rc;
}

int dbl_driven_finish(struct dblock_wait *w, struct dblock_lock **lock, struct dblock_error *err)
{
	int rc = enter(w, err);

	if (rc)
		return rc;
	while ((rc = step(w, lock, err)) == DBLOCK_WAITING)
		dbl_alarm_wait(w->wait.waiter.alarm);
	atomic_flag_clear(&w->inside);
	return rc;
}
