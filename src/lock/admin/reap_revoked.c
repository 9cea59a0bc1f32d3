/* SPDX-License-Identifier: MIT */
/* The reaper frees grants that were taken away from living holders (revoke.h), since the process
 * that took one away may be gone by now, and nobody may wait for the lock. A grant that this pass
 * cannot watch for long enough is noted for the next one (suspect.c). */
#include <string.h>

#include "lock/admin/reap.h"
#include "lock/admin/revoke.h"
#include "lock/core/value.h"
#include "lock/queue/snapshot.h"

static int take_revoked(void *batch, const struct dbl_value *row)
{
	struct dbl_item *item = dbl_batch_add(batch, &row[0]);

	item->a = row[1].i;
	item->b = row[2].i;
	item->watch = dbl_int_or(&row[3], DBL_UNKNOWN);
	dbl_copy_text(item->session, sizeof(item->session), &row[4]);
	item->noted = row[5].type != DBL_NULL;
	item->since = row[5].i;
	item->noted_ago = row[6].i;
	return 0;
}

static int find(struct dbl_locks *locks, struct dbl_batch *batch, struct dbl_suspects *revoked,
		struct dblock_error *err)
{
	const struct dbl_host *host = locks->host;
	char after[sizeof(batch->items[0].key)] = "";
	int64_t after_token = 0;
	int rc;

	do {
		const struct dbl_value args[] = {dbl_text(after), dbl_int(after_token),
						 dbl_int(DBL_REAP_BATCH), dbl_text(host->clock)};

		rc = dbl_batch_fetch(locks, DBL_OP_reap_revoked, DBL_ARGS(args), take_revoked,
				     batch, err);
		if (rc == 0)
			rc = dbl_suspects_add(revoked, batch, err);
		if (rc || batch->n == 0)
			return rc;
		memcpy(after, batch->items[batch->n - 1].key, sizeof(after));
		after_token = batch->items[batch->n - 1].a;
	} while (batch->n == DBL_REAP_BATCH);
	return 0;
}

static int64_t due(const struct dbl_item *grant)
{
	return dbl_add(grant->since, grant->watch);
}

int dbl_reap_find_revoked(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
			  struct dbl_suspects *revoked, struct dblock_error *err)
{
	int rc = find(locks, batch, revoked, err);
	int64_t now = dbl_now(locks->env), until = dbl_add(now, reap->max_time);
	unsigned left = DBL_NOTED_AT_ONCE;

	reap->watch_until = until;
	for (size_t i = 0; i < revoked->n && rc == 0; i++) {
		struct dbl_item *item = &revoked->items[i];

		item->since = dbl_suspect_since(item, now);
		if (item->noted || item->watch == DBL_UNKNOWN || due(item) <= until || left == 0)
			continue;
		left--;
		rc = dbl_suspect_note(locks, reap, item->session, item->a, item->since, err);
	}
	return rc;
}

/* Looks again, since a client of that process may have opened a session that has to be told. */
static int look_again(struct dbl_locks *locks, const struct dbl_item *item, bool *still,
		      struct dblock_error *err)
{
	struct dbl_stand now;
	int rc = dbl_revoked_stand(locks, item->key, item->a, item->b, &now, err);

	*still = rc == 0 && now.stands && now.watch != DBL_UNKNOWN && now.watch <= item->watch;
	return rc == DBLOCK_E_BLOCKED ? 0 : rc;
}

/* Frees a grant whose holder has had the time to hear of it. It tries once: if the row is locked,
 * the next pass tries again. */
static int free_one(struct dbl_locks *locks, struct dbl_reap *reap, const struct dbl_item *item,
		    struct dblock_error *err)
{
	struct dbl_row_wait no_wait = {.until = dbl_now(locks->env), .stands = "is not free yet"};
	const struct dbl_ending_event event = {
		.kind = DBLOCK_EVENT_FREED,
		.detail = "its holder had been told, or had the time to be"};
	bool still;
	int rc;

	DBL_ASSERT(item->watch != DBL_UNKNOWN && dbl_now(locks->env) >= due(item),
		   "since %lld for %lld", (long long)item->since, (long long)item->watch);
	rc = look_again(locks, item, &still, err);
	if (rc || !still)
		return rc;
	rc = dbl_break_grant(locks, item->key, item->a, item->b, &no_wait, &event, err);
	if (rc == 0)
		reap->freed++;
	return rc == DBLOCK_STALE || rc == DBLOCK_BUSY ? 0 : rc;
}

int dbl_reap_free_revoked(struct dbl_locks *locks, struct dbl_reap *reap,
			  const struct dbl_suspects *revoked, struct dblock_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < revoked->n && rc == 0; i++) {
		const struct dbl_item *item = &revoked->items[i];

		/* A lease is not freed before its client has been told. */
		if (item->watch == DBL_UNKNOWN)
			continue;
		if (due(item) > reap->watch_until) {
			reap->watched++;
			continue;
		}
		rc = dbl_reap_sleep(locks, reap, due(item), err);
		if (rc == 0)
			rc = free_one(locks, reap, item, err);
	}
	return rc;
}
