/* SPDX-License-Identifier: MIT */
#include "lock/begun_calls.h"

#include "base/mem.h"
#include "lock/grant/extend.h"
#include "lock/handle/handle.h"
#include "lock/lock.h"

/* A call that is made once. */
struct begun_call {
	struct dblock_wait base;  /* first */
	struct dblock_lock *lock; /* to be released or extended */
	int64_t lease;
	struct dbl_acquire_spec spec; /* of a try */
	char texts[];
};

static struct begun_call *call_of(struct dblock_wait *w)
{
	return (struct begun_call *)w;
}

/* The spec has the name; the texts are copied. */
static int make(struct begun_call **out, const struct dbl_begun_kind *kind, struct dbl_locks *locks,
		const struct dbl_acquire_spec *spec, struct dblock_error *err)
{
	struct begun_call *c = dbl_alloc(sizeof(*c) + dbl_begun_room(spec));
	int rc;

	if (!c)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	dbl_begun_copy(&c->spec, spec, c->texts);
	rc = dbl_begun_init(&c->base, kind, locks, &c->spec, err);
	if (rc) {
		dbl_free(c);
		return rc;
	}
	c->base.busy = true;
	*out = c;
	return 0;
}

static int make_for(struct begun_call **out, const struct dbl_begun_kind *kind,
		    struct dblock_lock *lock, struct dblock_error *err)
{
	const struct dbl_acquire_spec spec = {.name = lock->name};
	int rc = make(out, kind, lock->locks, &spec, err);

	if (rc)
		return rc;
	(*out)->lock = lock;
	(*out)->base.job.key = lock;
	return 0;
}

static void begin(struct begun_call *c, struct dblock_wait **wait)
{
	*wait = &c->base;
	dbl_begun_add(&c->base);
}

/* ---- release --------------------------------------------------------------------------------- */

static int release(struct dblock_wait *w, struct dblock_lock **got, struct dblock_error *why)
{
	struct dblock_lock *lock = call_of(w)->lock;
	int rc = dbl_lock_release(lock, why);

	(void)got;
	if (rc == DBLOCK_FENCED)
		dbl_handle_take_back(lock);
	return rc;
}

static const struct dbl_begun_kind releases = {.what = "the release", .go_on = release};

int dbl_release_begin(struct dblock_lock *lock, struct dblock_wait **wait, struct dblock_error *err)
{
	struct begun_call *c;
	int rc = make_for(&c, &releases, lock, err);

	if (rc)
		return rc;
	if (!dbl_handle_give(lock)) {
		/* It was not the last release: that is all. */
		c->base.busy = false;
		c->base.outcome = DBLOCK_OK;
	}
	begin(c, wait);
	return 0;
}

/* ---- extend ---------------------------------------------------------------------------------- */

static int extend(struct dblock_wait *w, struct dblock_lock **got, struct dblock_error *why)
{
	const struct begun_call *c = call_of(w);
	int rc = dbl_lock_extend(c->lock, c->lease, why);

	(void)got;
	dbl_extension_over(c->lock);
	return rc;
}

static const struct dbl_begun_kind extensions = {.what = "the extension", .go_on = extend};

int dbl_extend_begin(struct dblock_lock *lock, int64_t lease, struct dblock_wait **wait,
		     struct dblock_error *err)
{
	struct begun_call *c;
	int rc = make_for(&c, &extensions, lock, err);

	if (rc)
		return rc;
	c->lease = lease;
	dbl_extension_begun(lock);
	begin(c, wait);
	return 0;
}

/* ---- try ------------------------------------------------------------------------------------- */

static int try(struct dblock_wait *w, struct dblock_lock **got, struct dblock_error *why)
{
	return dbl_lock_try_here(w->locks, &call_of(w)->spec, got, why);
}

static const struct dbl_begun_kind tries = {.what = "the try", .go_on = try};

int dbl_try_begin(struct dbl_locks *locks, const struct dbl_acquire_spec *spec,
		  struct dblock_wait **wait, struct dblock_error *err)
{
	struct begun_call *c;
	int rc = make(&c, &tries, locks, spec, err);

	if (rc)
		return rc;
	begin(c, wait);
	return 0;
}
