/* SPDX-License-Identifier: MIT */
/* The reaper watches sessions that look dead (reap_expire.c), and grants that are taken away from
 * living holders (reap_revoked.c). Here it finds since when, and notes that for the next pass. */
#include <string.h>

#include "base/mem.h"
#include "lock/admin/reap.h"
#include "lock/core/value.h"

/* How often a watching reaper asks whether to stop. */
#define STEP_US 100000

void dbl_suspects_free(struct dbl_suspects *all)
{
	if (all)
		dbl_free(all->items);
	dbl_free(all);
}

int dbl_suspects_add(struct dbl_suspects *all, const struct dbl_batch *batch,
		     struct dblock_error *err)
{
	DBL_ASSERT(all->n <= all->room && batch->n <= DBL_REAP_BATCH, "%zu of %zu, %u", all->n,
		   all->room, batch->n);
	if (batch->n == 0) /* all->items may be NULL, which memcpy() must not be given */
		return DBLOCK_OK;
	if (all->n + batch->n > all->room) {
		size_t room = (all->n + batch->n) * 2;
		struct dbl_item *items = dbl_realloc(all->items, room * sizeof(*items));

		if (!items)
			return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
		all->items = items;
		all->room = room;
	}
	memcpy(all->items + all->n, batch->items, batch->n * sizeof(*batch->items));
	all->n += batch->n;
	return 0;
}

/* How long ago a note was made is the lesser of what our clock and the database's clock say: our
 * machine may have been cloned with its clock, and the server's clock may have been set. */
int64_t dbl_suspect_since(const struct dbl_item *item, int64_t now)
{
	int64_t ago = now - item->since;

	DBL_ASSERT(item->noted || item->since == 0, "%lld", (long long)item->since);
	if (!item->noted)
		return now;
	ago = ago < item->noted_ago ? ago : item->noted_ago;
	return ago > 0 ? now - ago : now;
}

int dbl_suspect_note(struct dbl_locks *locks, const struct dbl_reap *reap, const char *key,
		     int64_t seen, int64_t since, struct dblock_error *err)
{
	const struct dbl_host *host = locks->host;
	struct dbl_value args[] = {dbl_text(key), dbl_text(host->clock), dbl_int(seen),
				   dbl_int(since)};
	int64_t ignored = 0;
	int rc = dbl_reap_go_on(reap, err);

	DBL_ASSERT(since > 0 && since <= dbl_now(locks->env), "%lld", (long long)since);

	return rc ? rc : dbl_reap_run(locks, DBL_OP_suspect_note, DBL_ARGS(args), &ignored, err);
}

int dbl_reap_sleep(struct dbl_locks *locks, const struct dbl_reap *reap, int64_t until,
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
