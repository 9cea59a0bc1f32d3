/* SPDX-License-Identifier: MIT */
/* The calls that the walk makes, each with what is there before it, and with what is true of the
 * lock, or the row, when its transaction has ended. */
#ifndef TESTS_DB_TX_WALK_SCENES_H
#define TESTS_DB_TX_WALK_SCENES_H

#include <dblock/rows.h>
#include <dblock/versioned.h>

#include "db/faults/tx_walk_driver.h"
#include "support/tx.h"

static struct dblock_client *client, *calm; /* one is walked over, the other is not */

/* What one play of a scene has prepared, and its outcome. */
struct play {
	struct dblock_tx *owner, *tx; /* one connection: as its owner, and adopted */
	struct dblock_lock *lock, *other;
	int64_t token;
	int rc;
	struct dblock_error err;
	bool committed;
};

struct scene {
	const char *name;
	void (*before)(struct play *); /* in the transaction */
	void (*within)(struct play *);
	int (*call)(struct play *, struct dblock_error *);
	void (*check)(struct play *);
	int expected; /* the outcome if nothing goes wrong */
	bool ends;    /* the call is to end the transaction */
};

static const struct scene *scene;

static inline void told(const struct play *p, const char *what)
{
	fail_msg("%s, %s at %d (%s): %s: %s: %s", scene->name, walk_names[walk.kind], walk.k,
		 walk.what, what, dblock_outcome_name(p->rc), p->rc ? p->err.message : "");
}

/* ---- scenes --------------------------------------------------------------------------------- */

static inline void lock_x(struct play *p)
{
	p->lock = take(client, "x");
}

static inline void lock_two(struct play *p)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(client, "x", &options, &p->lock, &err));
	p->other = take(client, "y");
}

static inline void lock_shared(struct play *p)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};

	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(client, "x", &options, &p->lock, &err));
}

static inline void lock_group(struct play *p)
{
	struct dblock_lock_spec wants[] = {{.name = "x"}, {.name = "y"}};
	struct dblock_error err = {0};

	expect(OK, dblock_try_all(client, wants, 2, NULL, &p->lock, &err));
}

static inline void theirs(struct play *p)
{
	p->other = take(calm, "x");
}

static inline int call_fence(struct play *p, struct dblock_error *err)
{
	return dblock_fence(p->tx, p->lock, err);
}

static inline int call_fence_all(struct play *p, struct dblock_error *err)
{
	struct dblock_lock *locks[] = {p->other, p->lock};

	return dblock_fence_all(p->tx, locks, 2, NULL, err);
}

static inline int call_release_in(struct play *p, struct dblock_error *err)
{
	return dblock_tx_release(p->tx, p->lock, err);
}

static inline int call_try_in(struct play *p, struct dblock_error *err)
{
	return dblock_tx_try(p->tx, client, "x", NULL, &p->lock, err);
}

static inline int call_tx_lock(struct play *p, struct dblock_error *err)
{
	return dblock_tx_try_lock(p->tx, client, "x", &p->token, err);
}

static inline int call_commit(struct play *p, struct dblock_error *err)
{
	return dblock_tx_commit(p->tx, err);
}

static inline int call_release(struct play *p, struct dblock_error *err)
{
	int rc = dblock_release(p->lock, err);

	if (rc != DBLOCK_FENCED)
		p->lock = NULL;
	return rc;
}

static inline void leaving(struct play *p)
{
	assert_int_equal(call_release_in(p, NULL), 0);
}

static inline void coming(struct play *p)
{
	assert_int_equal(call_try_in(p, NULL), 0);
}

static inline void fenced(struct play *p)
{
	assert_int_equal(call_fence(p, NULL), 0);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static const char *const id[] = {"id"};

static inline int call_rows_lock(struct play *p, struct dblock_error *err)
{
	const struct dblock_value keys[] = {dblock_int(3), dblock_int(2)};
	const struct dblock_rows rows = {"account", id, 1, keys, 2};
	struct dblock_rows_options options = DBLOCK_ROWS_OPTIONS_INIT;

	options.wait_ms = on_backend("sqlite") ? 0 : PLENTY_MS;
	return dblock_rows_lock(p->tx, &rows, &options, err);
}

static inline int pass(void *arg, const struct dblock_value *row, size_t n)
{
	(void)arg;
	(void)row;
	(void)n;
	return 0;
}

static inline int call_rows_take(struct play *p, struct dblock_error *err)
{
	struct dblock_rows_wanted wanted = DBLOCK_ROWS_WANTED_INIT;
	int64_t taken;

	wanted.table = "account";
	wanted.key = id;
	wanted.n_key = 1;
	wanted.where = "id < 4";
	wanted.limit = 2;
	return dblock_rows_take(p->tx, &wanted, pass, NULL, &taken, err);
}

/* The row's version is its money. */
static inline int call_row_update(struct play *p, struct dblock_error *err)
{
	const struct dblock_value key = dblock_int(3), owner = dblock_text("walk");
	const struct dblock_versioned_row row = {"account",         id,     &key, 1,
						 DBLOCK_BY_VERSION, "money"};
	const char *const columns[] = {"owner"};
	int64_t version;
	int rc = dblock_versioned_read(p->tx, &row, NULL, 0, NULL, NULL, &version, err);

	return rc ? rc : dblock_versioned_update(p->tx, &row, &version, columns, &owner, 1, err);
}

static inline void row_is_as_told(struct play *p)
{
	assert_int_equal(tx_money(calm, 3), p->rc == 0 && p->committed ? 101 : 100);
}

/* ---- what is true of the lock, once the transaction has ended ------------------------------- */

static inline bool is_busy(const char *name)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc = dblock_try(calm, name, NULL, &lock, &err);

	if (rc == 0)
		give(lock);
	else
		assert_int_equal(rc, DBLOCK_BUSY);
	return rc != 0;
}

static inline void is_held(struct play *p, const char *name)
{
	if (!dblock_valid(p->lock, 0))
		told(p, "the handle is not valid");
	if (!is_busy(name))
		told(p, "valid, but not held");
}

static inline void all_free(struct play *p)
{
	(void)p;
	is_free_soon(calm, "x");
	is_free_soon(calm, "y");
}

static inline void give_x(struct play *p)
{
	int rc = dblock_release(p->lock, &p->err);

	if (rc) {
		p->rc = rc;
		told(p, "to be given back");
	}
}

static inline void still_held(struct play *p)
{
	is_held(p, "x");
	give_x(p);
	if (p->other)
		give(p->other);
	all_free(p);
}

/* The lock is released if the call said so and the transaction was committed; else it is held. */
static inline void released_or_held(struct play *p)
{
	bool may_be = p->rc == DBLOCK_E_UNSURE && scene->ends;

	if (p->rc == 0 && p->committed) {
		if (dblock_valid(p->lock, 0))
			told(p, "valid, though released");
		if (is_busy("x") || is_busy("y"))
			told(p, "released, but not free");
	} else if (!may_be) {
		is_held(p, "x");
	} else if (dblock_valid(p->lock, 0)) {
		told(p, "valid, though nobody knows");
	}
	give_x(p);
	all_free(p);
}

static inline void group_released_or_held(struct play *p)
{
	if (!(p->rc == 0 && p->committed))
		is_held(p, "y");
	released_or_held(p);
}

static inline void acquired_or_free(struct play *p)
{
	if (p->rc && !scene->ends && p->lock)
		told(p, "a handle after a failure");
	if (p->rc == 0 && p->committed) {
		is_held(p, "x");
		give_x(p);
	} else if (p->lock) {
		if (dblock_valid(p->lock, 0))
			told(p, "valid, but not acquired");
		assert_int_equal(dblock_release(p->lock, NULL), DBLOCK_STALE);
	}
	all_free(p);
}

static inline void theirs_as_before(struct play *p)
{
	assert_true(dblock_valid(p->other, 0));
	give(p->other);
	all_free(p);
}

/* The handle was given back in the midst of it: the transaction keeps the lock (FENCED), or the
 * fence failed, and the lock is free. */
static inline void let_go_or_fenced(struct play *p)
{
	if (p->lock)
		(void)dblock_release(p->lock, NULL);
	all_free(p);
}

static inline void nothing_left(struct play *p)
{
	(void)p;
	all_free(p);
}

#endif
