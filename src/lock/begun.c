/* SPDX-License-Identifier: MIT */
#include "lock/begun.h"

#include "base/alarm.h"
#include "base/mem.h"
#include "base/workers.h"
#include "lock/cache/cache.h"
#include "lock/core/cancel.h"
#include "lock/grant/extend.h"
#include "lock/handle/handle.h"
#include "lock/lock.h"

struct begun {
	struct dblock_wait base; /* first */
	struct dbl_job job;
	int (*call)(struct begun *, struct dblock_lock **, struct dblock_error *);
	struct dblock_lock *lock; /* to be released or extended */
	int64_t lease;
	struct dbl_acquire_spec spec; /* of a try */
	atomic_bool canceled;
	/* Under locks->mutex: */
	bool busy;  /* a worker has it, or is about to */
	bool ended; /* by its caller, while it was busy: the worker frees it */
	int outcome;
	struct dblock_lock *got;
	struct dblock_error why;
	char texts[];
};

static struct begun *begun_of(struct dblock_wait *w)
{
	return (struct begun *)w;
}

/* ---- what a worker does ---------------------------------------------------------------------- */

static void free_begun(struct begun *b)
{
	dbl_alarm_free(b->base.alarm);
	dbl_free(b);
}

/* True: its caller has ended it meanwhile, and wants no outcome. */
static bool leave_outcome(struct begun *b, int rc, struct dblock_lock *got,
			  const struct dblock_error *why)
{
	struct dbl_locks *locks = b->base.locks;
	bool ended;

	dbl_lock(&locks->mutex);
	DBL_ASSERT(b->busy && rc != DBLOCK_WAITING, "%d", rc);
	ended = b->ended;
	b->busy = false;
	b->outcome = rc;
	b->got = got;
	b->why = *why;
	if (!ended)
		dbl_alarm_ring(b->base.alarm); /* from now on the caller may free it */
	dbl_unlock(&locks->mutex);
	return ended;
}

static void give_back(struct dblock_lock *got)
{
	bool last;

	(void)dbl_cache_release(got, true, &last, NULL);
}

/* Makes the call; or, if that has been made, gives back what it brought. */
static void work(struct dbl_job *job)
{
	struct begun *b = (struct begun *)((char *)job - offsetof(struct begun, job));
	struct dblock_error why = {0};
	struct dblock_lock *got = b->got;
	int rc = got ? 0 : b->call(b, &got, &why);

	if (got && atomic_load(&b->canceled)) {
		give_back(got);
		got = NULL;
		rc = dbl_tell_canceled(b->base.locks, b->base.name, "the try", &why);
	}
	if (!leave_outcome(b, rc, got, &why))
		return;
	if (got)
		give_back(got);
	free_begun(b);
}

/* ---- what the caller does -------------------------------------------------------------------- */

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

static int begun_step(struct dblock_wait *w, struct dblock_lock **lock, struct dblock_error *err)
{
	struct begun *b = begun_of(w);
	bool goes_back;
	int rc;

	dbl_lock(&w->locks->mutex);
	goes_back = !b->busy && b->got && atomic_load(&b->canceled);
	b->busy |= goes_back;
	rc = b->busy ? DBLOCK_WAITING : b->outcome;
	*lock = b->busy ? NULL : b->got;
	if (!b->busy)
		b->got = NULL;
	/* A shutdown has rung it, perhaps, though there is no outcome. */
	dbl_alarm_set(w->alarm, w->locks->env, DBL_NEVER);
	dbl_unlock(&w->locks->mutex);
	if (goes_back)
		dbl_workers_add(w->locks->workers, &b->job);
	if (rc == DBLOCK_WAITING)
		return dbl_fail(err, rc, "'%s': there is no answer yet", w->name);
	if (rc && err)
		*err = b->why;
	return rc;
}

/* Only a try is given back; what its handle is to lose, or to keep, is under way. */
static void begun_cancel(struct dblock_wait *w)
{
	atomic_store(&begun_of(w)->canceled, true);
}

static void begun_end(struct dblock_wait *w)
{
	struct begun *b = begun_of(w);
	struct dbl_locks *locks = w->locks;
	bool goes_back;

	dbl_lock(&locks->mutex);
	goes_back = !b->busy && b->got;
	b->busy |= goes_back;
	b->ended = b->busy;
	if (!b->ended)
		free_begun(b);
	dbl_unlock(&locks->mutex);
	if (goes_back)
		dbl_workers_add(locks->workers, &b->job);
}

static const struct dbl_driven_kind begun_kind = {
	.step = begun_step,
	.cancel = begun_cancel,
	.end = begun_end,
};

/* ---- beginning ------------------------------------------------------------------------------- */

/* The spec has the name; the texts are copied. */
static int make(struct begun **out, struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		struct dblock_error *err)
{
	struct begun *b = dbl_alloc(sizeof(*b) + dbl_driven_room(spec));

	if (!b || !have_workers(locks)) {
		dbl_free(b);
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory, or of threads");
	}
	dbl_driven_copy(&b->spec, spec, b->texts);
	if (!dbl_driven_begin(&b->base, &begun_kind, locks, b->spec.name)) {
		dbl_free(b);
		return dbl_fail(err, DBLOCK_E_NOMEM, "no file descriptor is left");
	}
	b->job.run = work;
	*out = b;
	return 0;
}

static int make_for(struct begun **out, struct dblock_lock *lock, struct dblock_error *err)
{
	const struct dbl_acquire_spec spec = {.name = lock->name};
	int rc = make(out, lock->locks, &spec, err);

	if (rc)
		return rc;
	(*out)->lock = lock;
	(*out)->job.key = lock;
	return 0;
}

static void begin(struct begun *b, struct dblock_wait **wait)
{
	b->busy = true;
	dbl_driven_add(&b->base);
	*wait = &b->base;
	dbl_workers_add(b->base.locks->workers, &b->job);
}

static int release(struct begun *b, struct dblock_lock **got, struct dblock_error *err)
{
	int rc = dbl_lock_release(b->lock, err);

	(void)got;
	if (rc == DBLOCK_FENCED)
		dbl_handle_take_back(b->lock);
	return rc;
}

int dbl_release_begin(struct dblock_lock *lock, struct dblock_wait **wait, struct dblock_error *err)
{
	struct begun *b;
	int rc = make_for(&b, lock, err);

	if (rc)
		return rc;
	b->call = release;
	if (dbl_handle_give(lock)) {
		begin(b, wait);
		return 0;
	}
	/* It was not the last release: that is all. */
	dbl_alarm_ring(b->base.alarm);
	dbl_driven_add(&b->base);
	*wait = &b->base;
	return 0;
}

static int extend(struct begun *b, struct dblock_lock **got, struct dblock_error *err)
{
	int rc = dbl_lock_extend(b->lock, b->lease, err);

	(void)got;
	dbl_extension_over(b->lock);
	return rc;
}

int dbl_extend_begin(struct dblock_lock *lock, int64_t lease, struct dblock_wait **wait,
		     struct dblock_error *err)
{
	struct begun *b;
	int rc = make_for(&b, lock, err);

	if (rc)
		return rc;
	b->call = extend;
	b->lease = lease;
	dbl_extension_begun(lock);
	begin(b, wait);
	return 0;
}

static int try(struct begun *b, struct dblock_lock **got, struct dblock_error *err)
{
	return dbl_lock_try_here(b->base.locks, &b->spec, got, err);
}

int dbl_try_begin(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		  struct dblock_wait **wait, struct dblock_error *err)
{
	struct begun *b;
	int rc = make(&b, locks, spec, err);

	if (rc)
		return rc;
	b->call = try;
	begin(b, wait);
	return 0;
}
