/* SPDX-License-Identifier: MIT */
#include "lock/wait/driven.h"

#include <string.h>

#include "base/alarm.h"
#include "base/mem.h"
#include "lock/core/timed.h"

/* ---- an acquire ------------------------------------------------------------------------------ */

struct driven_acquire {
	struct dblock_wait base; /* first */
	struct dbl_wait wait;
	struct dbl_acquire_spec spec;
	int64_t began; /* on env->now() */
	char texts[];
};

static struct driven_acquire *acquire_of(struct dblock_wait *w)
{
	return (struct driven_acquire *)w;
}

static void not_yet(const struct driven_acquire *a, struct dblock_error *err)
{
	const struct dbl_snapshot *snapshot = &a->wait.attempt.snapshot;

	if (dbl_is_held(snapshot))
		dbl_snapshot_tell(snapshot, a->spec.name, err, DBLOCK_WAITING);
	else
		dbl_fail(err, DBLOCK_WAITING, "'%s' is not granted yet", a->spec.name);
}

/* A handle that was there before the wait began is one that was entered again. */
static void over(struct driven_acquire *a, const struct dblock_lock *lock, int rc)
{
	struct dbl_span span = {.phase = DBLOCK_PHASE_ACQUIRE,
				.name = a->spec.name,
				.token = lock ? lock->grant.token : 0,
				.outcome = rc,
				.began = a->began};

	dbl_timed_acquire(a->base.locks, &span, lock && lock->since < a->began);
}

static int acquire_step(struct dblock_wait *w, struct dblock_lock **lock, struct dblock_error *err)
{
	struct driven_acquire *a = acquire_of(w);
	int rc = dbl_wait_step(&a->wait, lock, err);

	if (rc == DBLOCK_WAITING) {
		dbl_wait_arm(&a->wait);
		not_yet(a, err);
	} else {
		dbl_alarm_set(w->alarm, w->locks->env, DBL_NEVER);
		over(a, *lock, rc);
	}
	return rc;
}

static void acquire_cancel(struct dblock_wait *w)
{
	dbl_wait_cancel(&acquire_of(w)->wait);
}

/* The alarm is the waiter's. */
static void acquire_end(struct dblock_wait *w)
{
	dbl_wait_end(&acquire_of(w)->wait);
	if (w->outcome == DBLOCK_WAITING)
		over(acquire_of(w), NULL, DBLOCK_CANCELED);
	dbl_free(w);
}

static const struct dbl_driven_kind acquires = {
	.step = acquire_step,
	.cancel = acquire_cancel,
	.end = acquire_end,
};

int dbl_driven_new(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		   struct dblock_wait **out, struct dblock_error *err)
{
	struct driven_acquire *a = dbl_alloc(sizeof(*a) + dbl_driven_room(spec));
	int rc;

	if (!a)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	dbl_driven_copy(&a->spec, spec, a->texts);
	if (!dbl_driven_begin(&a->base, &acquires, locks, a->spec.name)) {
		dbl_free(a);
		return dbl_fail(err, DBLOCK_E_NOMEM, "no file descriptor is left");
	}
	a->began = dbl_now(locks->env);
	rc = dbl_wait_begin(&a->wait, locks, &a->spec, err);
	if (rc) {
		dbl_alarm_free(a->base.alarm);
		dbl_free(a);
		return rc;
	}
	a->wait.waiter.alarm = a->base.alarm;
	dbl_wait_arm(&a->wait);
	dbl_driven_add(&a->base);
	*out = &a->base;
	return 0;
}

/* ---- beginning and ending -------------------------------------------------------------------- */

size_t dbl_driven_room(const struct dbl_acquire_spec *spec)
{
	return strlen(spec->name) + 1 + (spec->value ? strlen(spec->value) + 1 : 0);
}

void dbl_driven_copy(struct dbl_acquire_spec *to, const struct dbl_acquire_spec *from, char *texts)
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

bool dbl_driven_begin(struct dblock_wait *w, const struct dbl_driven_kind *kind,
		      struct dbl_locks *locks, const char *name)
{
	w->kind = kind;
	w->locks = locks;
	w->name = name;
	w->outcome = DBLOCK_WAITING;
	atomic_flag_clear(&w->inside);
	w->alarm = dbl_alarm_new();
	return w->alarm >= 0;
}

void dbl_driven_add(struct dblock_wait *w)
{
	struct dbl_locks *locks = w->locks;

	dbl_lock(&locks->mutex);
	w->next = locks->driven;
	locks->driven = w;
	dbl_unlock(&locks->mutex);
}

void dbl_driven_cancel(struct dblock_wait *w)
{
	w->kind->cancel(w);
}

void dbl_driven_free(struct dblock_wait *w)
{
	struct dbl_locks *locks = w->locks;
	struct dblock_wait **at = &locks->driven;

	dbl_lock(&locks->mutex);
	while (*at && *at != w)
		at = &(*at)->next;
	DBL_ASSERT(*at);
	*at = w->next;
	dbl_unlock(&locks->mutex);
	w->kind->end(w);
}

void dbl_driven_wake_all(struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	for (struct dblock_wait *w = locks->driven; w; w = w->next)
		dbl_alarm_ring(w->alarm);
}

bool dbl_driven_any(const struct dbl_locks *locks)
{
	DBL_ASSERT_HELD(&locks->mutex);
	return locks->driven != NULL;
}

/* ---- being driven ---------------------------------------------------------------------------- */

/* Lets one thread at a time in, until there is an outcome. */
static int enter(struct dblock_wait *w, struct dblock_error *err)
{
	if (atomic_flag_test_and_set(&w->inside))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%s': another thread is in a step of this wait", w->name);
	if (w->outcome == DBLOCK_WAITING)
		return 0;
	atomic_flag_clear(&w->inside);
	return dbl_fail(err, DBLOCK_E_INVALID,
			"'%s': this wait is over; what is left to do is dblock_wait_end()",
			w->name);
}

int dbl_driven_step(struct dblock_wait *w, struct dblock_lock **lock, struct dblock_error *err)
{
	int rc = enter(w, err);

	if (rc)
		return rc;
	rc = w->outcome = w->kind->step(w, lock, err);
	atomic_flag_clear(&w->inside);
	return rc;
}

int dbl_driven_finish(struct dblock_wait *w, struct dblock_lock **lock, struct dblock_error *err)
{
	int rc = enter(w, err);

	if (rc)
		return rc;
	while ((rc = w->kind->step(w, lock, err)) == DBLOCK_WAITING)
		dbl_alarm_wait(w->alarm);
	w->outcome = rc;
	atomic_flag_clear(&w->inside);
	return rc;
}
