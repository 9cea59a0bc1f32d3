/* SPDX-License-Identifier: MIT */
#include "lock/begun_calls.h"

#include "base/mem.h"
#include "lock/core/timed.h"
#include "lock/handle/handle.h"
#include "lock/lock.h"
#include "lock/wait/wait.h"

struct begun_acquire {
	struct dblock_wait base; /* first */
	struct dbl_wait wait;
	struct dbl_acquire_spec spec;
	int64_t began; /* on env->now() */
	bool told;     /* how it ended */
	char texts[];
};

static struct begun_acquire *acquire_of(struct dblock_wait *w)
{
	return (struct begun_acquire *)w;
}

static void not_yet(const struct begun_acquire *a, struct dblock_error *err)
{
	const struct dbl_snapshot *snapshot = &a->wait.attempt.snapshot;

	if (dbl_is_held(snapshot))
		dbl_snapshot_tell(snapshot, a->spec.name, err, DBLOCK_WAITING);
	else
		dbl_fail(err, DBLOCK_WAITING, "'%s' is not granted yet", a->spec.name);
}

static void over(struct begun_acquire *a, const struct dblock_lock *lock, int rc)
{
	struct dbl_locks *locks = a->base.locks;
	struct dbl_span span = {.phase = DBLOCK_PHASE_ACQUIRE,
				.name = a->spec.name,
				.outcome = rc,
				.began = a->began};

	a->told = true;
	if (lock && dbl_timed_on(locks))
		span.token = dbl_handle_token(locks, a->spec.name, lock);
	dbl_timed_acquire(locks, &span, a->wait.reentered);
}

static int go_on(struct dblock_wait *w, struct dblock_lock **got, struct dblock_error *why)
{
	struct begun_acquire *a = acquire_of(w);
	int rc = dbl_wait_step(&a->wait, got, why);

	rc = dbl_lock_number(&a->spec, rc, got, why);
	if (rc == DBLOCK_WAITING)
		not_yet(a, why);
	else
		over(a, *got, rc);
	return rc;
}

static int64_t due_at(const struct dblock_wait *w)
{
	return dbl_wait_due_at(&((const struct begun_acquire *)w)->wait);
}

static void alarm_is_closed(struct dblock_wait *w)
{
	acquire_of(w)->wait.waiter.alarm = -1;
}

static void cancel(struct dblock_wait *w)
{
	dbl_wait_cancel(&acquire_of(w)->wait);
}

static void fini(struct dblock_wait *w)
{
	struct begun_acquire *a = acquire_of(w);

	dbl_wait_end(&a->wait);
	if (!a->told)
		over(a, NULL, DBLOCK_CANCELED);
}

static const struct dbl_begun_kind acquires = {
	.what = "the wait",
	.go_on = go_on,
	.due_at = due_at,
	.alarm_is_closed = alarm_is_closed,
	.cancel = cancel,
	.fini = fini,
};

int dbl_acquire_begin(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		      struct dblock_wait **out, struct dblock_error *err)
{
	struct begun_acquire *a = dbl_alloc(sizeof(*a) + dbl_begun_room(spec));
	int rc;

	if (!a)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	dbl_begun_copy(&a->spec, spec, a->texts);
	a->began = dbl_now(locks->env);
	rc = dbl_wait_begin(&a->wait, locks, &a->spec, err);
	if (rc) {
		dbl_free(a);
		return rc;
	}
	rc = dbl_begun_init(&a->base, &acquires, locks, &a->spec, err);
	if (rc) {
		dbl_wait_end(&a->wait);
		dbl_free(a);
		return rc;
	}
	a->wait.waiter.alarm = a->base.alarm;
	a->wait.by_steps = true;
	dbl_begun_add(&a->base);
	*out = &a->base;
	return 0;
}
