/* SPDX-License-Identifier: MIT */
/*
 * The reaper declares expired sessions dead, each after watching it for its whole ttl. A pass
 * watches for a bounded time only. What it has seen by then is kept in memory for the client's next
 * pass, and noted in the database for other processes on the same machine (as cron starts them).
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lock/admin/reap.h"
#include "lock/core/value.h"

static int take_session(void *batch, const struct dbl_value *row)
{
	struct dbl_item *item = dbl_batch_add(batch, &row[0]);

	item->a = row[1].i;
	item->b = row[2].i;
	item->noted = row[4].type != DBL_NULL;
	item->since = row[4].i;
	item->noted_ago = row[5].i;
	return 0;
}

static int find_suspects(struct dbl_locks *locks, struct dbl_suspects *all, struct dbl_batch *batch,
			 struct dblock_error *err)
{
	const struct dbl_host *host = locks->host;
	char after[sizeof(batch->items[0].key)] = "";
	int rc;

	do {
		struct dbl_value args[] = {dbl_text(after), dbl_int(DBL_REAP_BATCH),
					   dbl_text(host->clock)};

		rc = dbl_batch_fetch(locks, DBL_OP_reap_sessions, DBL_ARGS(args), take_session,
				     batch, err);
		if (rc == 0)
			rc = dbl_suspects_add(all, batch, err);
		if (batch->n > 0)
			memcpy(after, batch->items[batch->n - 1].key, sizeof(after));
	} while (rc == 0 && batch->n == DBL_REAP_BATCH);
	return rc;
}

/* ---- since when ------------------------------------------------------------------------------ */

static int by_id(const void *a, const void *b)
{
	const struct dbl_item *x = a, *y = b;

	return strcmp(x->key, y->key);
}

/* Rows come in order of id over all pages, as far as the database's order is strcmp()'s. */
static const struct dbl_item *seen_before(const struct dbl_suspects *before,
					  const struct dbl_item *item)
{
	const struct dbl_item *same =
		before->n ? bsearch(item, before->items, before->n, sizeof(*item), by_id) : NULL;

	return same && same->a == item->a && same->b == item->b ? same : NULL;
}

/* All pages have been read before the watch begins, so that one ttl is enough for all. */
static void note_since(struct dbl_suspects *all, const struct dbl_suspects *before, int64_t now)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct dbl_item *same = seen_before(before, &all->items[i]);
		int64_t since = dbl_suspect_since(&all->items[i], now);

		all->items[i].since = same && same->since < since ? same->since : since;
	}
}

/* Takes what this client's earlier passes have seen, and leaves `given` for the next pass. */
static struct dbl_suspects exchange(struct dbl_locks *locks, struct dbl_suspects given)
{
	struct dbl_suspects had;

	dbl_lock(&locks->mutex);
	if (!locks->suspects)
		locks->suspects = dbl_alloc(sizeof(*locks->suspects));
	had = locks->suspects ? *locks->suspects : given;
	if (locks->suspects)
		*locks->suspects = given;
	dbl_unlock(&locks->mutex);
	return had;
}

/* ---- the watch ------------------------------------------------------------------------------- */

static int64_t due(const struct dbl_item *item)
{
	return dbl_add(item->since, item->b);
}

static int by_due(const void *a, const void *b)
{
	int64_t x = due(a), y = due(b);

	return (x > y) - (x < y);
}

/* Notes the suspects that this pass cannot watch for their whole ttl. */
static int note_the_rest(struct dbl_locks *locks, struct dbl_reap *reap,
			 const struct dbl_suspects *all, int64_t until, struct dblock_error *err)
{
	unsigned left = DBL_NOTED_AT_ONCE;
	int rc = 0;

	for (size_t i = 0; i < all->n && left > 0 && rc == 0; i++) {
		const struct dbl_item *item = &all->items[i];

		if (item->noted || due(item) <= until)
			continue;
		left--;
		rc = dbl_suspect_note(locks, reap, item->key, item->a, item->since, err);
	}
	return rc;
}

/* Declares dead a session that has been watched for its whole ttl. The statement checks that beat
 * is as it was first seen: a heartbeat would have changed it. */
static int expire(struct dbl_locks *locks, struct dbl_reap *reap, const struct dbl_item *item,
		  struct dblock_error *err)
{
	struct dbl_value args[] = {
		dbl_text(item->key), dbl_int(item->a),    dbl_int(item->b),          dbl_text(""),
		dbl_int(0),          DBL_BY(locks->host), dbl_int(DBLOCK_EVENT_DEAD)};
	struct dbl_request request = {
		.op = DBL_OP_bury, .args = DBL_ARGS(args), .deadline = dbl_locks_deadline(locks)};
	int rc;

	DBL_ASSERT(item->b > 0 && dbl_now(locks->env) >= due(item), "since %lld for %lld",
		   (long long)item->since, (long long)item->b);
	rc = dbl_link_run(locks->link, &request, err);
	/* An earlier copy of ours may have done it: then there is something to clean up, too. */
	if (rc == 0 && (request.changed > 0 || request.resent))
		reap->expired++;
	return rc == DBLOCK_E_BLOCKED ? 0 : rc;
}

/* Declares dead those that are due by `until`, each when it is due; the others stay in `all`. */
static int watch(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_suspects *all,
		 int64_t until, struct dblock_error *err)
{
	size_t i;
	int rc = 0;

	if (all->n == 0) /* all->items may be NULL, which qsort() must not be given */
		return 0;
	qsort(all->items, all->n, sizeof(*all->items), by_due);
	for (i = 0; i < all->n && due(&all->items[i]) <= until; i++) {
		rc = dbl_reap_sleep(locks, reap, due(&all->items[i]), err);
		if (rc == 0)
			rc = expire(locks, reap, &all->items[i], err);
		if (rc)
			break;
	}
	all->n -= i;
	memmove(all->items, all->items + i, all->n * sizeof(*all->items));
	qsort(all->items, all->n, sizeof(*all->items), by_id);
	return rc;
}

static void put_back(struct dbl_locks *locks, struct dbl_suspects seen)
{
	seen = exchange(locks, seen); /* another thread's pass may have left some */
	dbl_free(seen.items);
}

int dbl_reap_expire(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
		    struct dblock_error *err)
{
	struct dbl_suspects all = {0}, before = exchange(locks, all);
	int rc = find_suspects(locks, &all, batch, err);
	int64_t now = dbl_now(locks->env), until = dbl_add(now, reap->max_time);

	if (rc) { /* what was seen before is still true of those that could not be read */
		dbl_free(all.items);
		put_back(locks, before);
		return rc;
	}
	note_since(&all, &before, now);
	dbl_free(before.items);
	rc = note_the_rest(locks, reap, &all, until, err);
	if (rc == 0)
		rc = watch(locks, reap, &all, until, err);
	reap->watched = (int64_t)all.n;
	put_back(locks, all);
	return rc;
}
