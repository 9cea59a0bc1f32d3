/* SPDX-License-Identifier: MIT */
/* The reaper's first step: declare expired sessions dead, each after a whole ttl of watching it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lock/reap.h"
#include "lock/value.h"

/* How often a watching reaper asks whether to stop. */
#define STEP_US 100000

static int take_session(void *batch, const struct dbl_value *row)
{
	struct dbl_item *item = dbl_batch_add(batch, &row[0]);

	item->a = row[1].i;
	item->b = row[2].i;
	return 0;
}

/* Until `until`, in steps; DBLOCK_CANCELED if asked to stop. */
static int sleep_until(struct dbl_locks *locks, const struct dbl_reap *reap, int64_t until,
		       struct dblock_error *err)
{
	int64_t now;

	while ((now = dbl_now(locks->env)) < until) {
		int rc = dbl_reap_go_on(reap, err);

		if (rc)
			return rc;
		dbl_sleep_until(locks->env, now + STEP_US < until ? now + STEP_US : until);
	}
	return 0;
}

/* Bury one that was first seen at `seen`, once its whole ttl has been watched: the statement itself
 * is the second look, since a heartbeat would have changed beat. */
static int bury_watched(struct dbl_locks *locks, struct dbl_reap *reap, const struct dbl_item *item,
			int64_t seen, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(item->key), dbl_int(item->a), dbl_int(item->b)};
	int rc = sleep_until(locks, reap, dbl_add(seen, item->b), err);

	return rc ? rc : dbl_reap_run(locks, DBL_OP_bury, args, &reap->buried, err);
}

static int by_ttl(const void *a, const void *b)
{
	const struct dbl_item *x = a, *y = b;

	return (x->b > y->b) - (x->b < y->b);
}

/* All pages of suspects are read before the watch begins, so that one ttl is enough for all. */
struct suspects {
	struct dbl_item *items;
	size_t n, room;
};

static int keep_suspects(struct suspects *all, const struct dbl_batch *batch)
{
	if (batch->n == 0) /* nor has memcpy() a place to copy to */
		return DBLOCK_OK;
	if (all->n + batch->n > all->room) {
		size_t room = (all->n + batch->n) * 2;
		struct dbl_item *items = dbl_realloc(all->items, room * sizeof(*items));

		if (!items)
			return DBLOCK_E_NOMEM;
		all->items = items;
		all->room = room;
	}
	memcpy(all->items + all->n, batch->items, batch->n * sizeof(*batch->items));
	all->n += batch->n;
	return 0;
}

static int find_suspects(struct dbl_locks *locks, struct suspects *all, struct dbl_batch *batch,
			 struct dblock_error *err)
{
	char after[sizeof(batch->items[0].key)] = "";
	int rc;

	do {
		struct dbl_value args[] = {dbl_text(after), dbl_int(DBL_REAP_BATCH)};

		rc = dbl_batch_fetch(locks, DBL_OP_reap_sessions, args, take_session, batch, err);
		if (rc == 0 && keep_suspects(all, batch))
			rc = dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
		if (batch->n > 0)
			memcpy(after, batch->items[batch->n - 1].key, sizeof(after));
	} while (rc == 0 && batch->n == DBL_REAP_BATCH);
	return rc;
}

int dbl_reap_bury(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
		  struct dblock_error *err)
{
	struct suspects all = {0};
	int rc = find_suspects(locks, &all, batch, err);
	int64_t seen = dbl_now(locks->env);

	if (rc == 0 && all.n > 1)
		qsort(all.items, all.n, sizeof(*all.items), by_ttl);
	for (size_t i = 0; i < all.n && rc == 0; i++)
		rc = bury_watched(locks, reap, &all.items[i], seen, err);
	dbl_free(all.items);
	return rc;
}
