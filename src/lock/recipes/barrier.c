/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "lock/core/cancel.h"
#include "lock/lock.h"
#include "lock/recipes/barrier_own.h"
#include "lock/recipes/elect.h"

#define NOWHERE (-1) /* it has not arrived in any generation */

/* ---- arriving --------------------------------------------------------------------------------- */

static void value_of(struct dblock_barrier *b, char value[DBL_BELL_VALUE_MAX + 24])
{
	char bell[DBL_BELL_VALUE_MAX];

	dbl_bell_value(&b->bell, bell);
	(void)snprintf(value, DBL_BELL_VALUE_MAX + 24, "%" PRId64 "#%s", b->generation, bell);
}

/* The permit's value says so from now on. */
static int arrive(struct dbl_barrier_wait *w, struct dblock_error *err)
{
	char value[DBL_BELL_VALUE_MAX + 24];
	int rc;

	value_of(w->b, value);
	do
		rc = dbl_lock_set_value(w->b->bell.lock, value, err);
	while (rc < 0 && dbl_barrier_after(w, rc) == DBLOCK_WAITING);
	return rc;
}

/* A permit, which it waits for in line if others are inside. It has arrived nowhere yet. */
static int take_place(struct dbl_barrier_wait *w, struct dblock_error *err)
{
	struct dblock_barrier *b = w->b;
	char value[DBL_BELL_VALUE_MAX + 24];
	struct dbl_acquire_spec spec = *w->spec;
	struct dblock_error why = {0};
	int rc;

	value_of(b, value);
	spec.name = b->name;
	spec.value = value;
	spec.mode = DBLOCK_PERMITS;
	spec.weight = 1;
	spec.capacity = b->size;
	spec.owner = dbl_owner_named((uint64_t)b->bell.waiter.nonce); /* another one each time */
	rc = (spec.wait_until ? dbl_lock_wait : dbl_lock_try)(w->locks, &spec, &b->bell.lock, &why);
	if (rc == DBLOCK_E_INVALID)
		return dbl_fail(err, rc, "not with %lld parties: %s", (long long)b->size,
				why.message);
	if (rc && err)
		*err = why;
	return rc;
}

/* The row, which is made if it is missing. */
static int find_row(const struct dbl_barrier_wait *w, struct dbl_countdown *row,
		    struct dblock_error *err)
{
	const char *name = w->b->name;
	int rc = dbl_countdown_look(w->locks, w->spec, name, 0, row, err);

	while (rc == 0 && !row->found) {
		do
			rc = dbl_countdown_make(w->locks, name, w->b->size, err);
		while (rc < 0 && dbl_barrier_after(w, rc) == DBLOCK_WAITING);
		if (rc == 0)
			rc = dbl_countdown_look(w->locks, w->spec, name, 0, row, err);
	}
	return rc;
}

/* Has a place: arrives in the generation that gathers now. 0: it has. DBLOCK_WAITING: look whether it did so in time. */
static int gather(struct dbl_barrier_wait *w, struct dblock_error *err)
{
	struct dblock_barrier *b = w->b;
	struct dbl_countdown row;
	int rc = find_row(w, &row, err);

	if (rc || row.generation == b->generation || row.passed == b->generation)
		return rc;
	/* While others are inside a place comes free only if one of them has gone. */
	if (dbl_barrier_is_inside(row.generation))
		return dbl_barrier_after(w, dbl_barrier_move(w, row.generation, false,
							     "found that a party has gone", err));
	b->generation = row.generation;
	rc = arrive(w, err);
	return rc ? rc : DBLOCK_WAITING;
}

static int go_in(struct dbl_barrier_wait *w, struct dblock_error *err)
{
	int rc = take_place(w, err);

	if (rc)
		return rc;
	while ((rc = gather(w, err)) == DBLOCK_WAITING)
		;
	return rc ? rc : dbl_barrier_await(w, err);
}

/* ---- the handle ------------------------------------------------------------------------------- */

static void drop(struct dblock_barrier *b)
{
	dbl_bell_take_down(&b->bell);
	dbl_queue_free(&b->queue);
	dbl_detector_end(&b->detector);
	dbl_free(b);
}

int dbl_barrier_enter(struct dbl_locks *locks, const struct dbl_acquire_spec *spec, int64_t size,
		      struct dblock_barrier **out, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct dblock_barrier *b = dbl_alloc(sizeof(*b));
	struct dbl_barrier_wait w = {.b = b, .locks = locks, .spec = spec};
	int rc;

	*out = NULL;
	if (!b)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	*b = (struct dblock_barrier){.size = size, .generation = NOWHERE};
	(void)snprintf(b->name, sizeof(b->name), "%s", spec->name);
	rc = dbl_bell_hang(&b->bell, locks, b->name, err);
	if (rc) {
		dbl_free(b);
		return rc;
	}
	rc = go_in(&w, err);
	if (rc) {
		drop(b);
		return rc;
	}
	/* The bell does not hang until it leaves: nothing of the client's refers to the handle. */
	dbl_notifier_remove(locks, &b->bell.waiter);
	*out = b;
	return 0;
}

int dbl_barrier_leave(struct dblock_barrier *b, const struct dbl_acquire_spec *spec,
		      struct dblock_error *err)
{
	DBL_INSIDE(b->bell.locks);
	struct dbl_barrier_wait w = {.b = b, .locks = b->bell.locks, .spec = spec};
	int64_t nonce = dbl_random_id(w.locks->env);
	int rc = nonce ? 0 : dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");

	if (nonce)
		dbl_notifier_add(w.locks, &b->bell.waiter, nonce);
	b->generation++;
	if (rc == 0)
		rc = arrive(&w, err);
	if (rc == 0)
		rc = dbl_barrier_await(&w, err);
	drop(b);
	return rc;
}
