/* SPDX-License-Identifier: MIT */
/* The reaper's part in what was taken away from living holders (revoke.h): who did that may be gone
 * by now, and so may those who wait. */
#include "base/mem.h"
#include "lock/reap.h"
#include "lock/revoke.h"
#include "lock/sight.h"
#include "lock/value.h"

static int take_revoked(void *batch, const struct dbl_value *row)
{
	struct dbl_item *item = dbl_batch_add(batch, &row[0]);

	item->a = row[1].i;
	item->b = row[2].i;
	item->watch = dbl_int_or(&row[3], DBL_UNKNOWN);
	return 0;
}

int dbl_reap_find_revoked(struct dbl_locks *locks, struct dbl_batch *revoked, int64_t *seen,
			  struct dblock_error *err)
{
	struct dbl_value limit = dbl_int(DBL_REAP_BATCH);
	int rc = dbl_batch_fetch(locks, DBL_OP_reap_revoked, DBL_ARG(limit), take_revoked, revoked,
				 err);

	*seen = dbl_now(locks->env);
	return rc;
}

/* Its holder has had the time to hear of it. Once: what is locked, or over, is for the next pass.
 */
static int free_one(struct dbl_locks *locks, struct dbl_reap *reap, const struct dbl_item *item,
		    struct dblock_error *err)
{
	struct dbl_row_wait no_wait = {.until = dbl_now(locks->env), .stands = "is not free yet"};
	int rc = dbl_break_grant(locks, item->key, item->a, item->b, &no_wait, err);

	if (rc == 0)
		reap->freed++;
	return rc == DBLOCK_STALE || rc == DBLOCK_BUSY ? 0 : rc;
}

int dbl_reap_free_revoked(struct dbl_locks *locks, struct dbl_reap *reap,
			  const struct dbl_batch *revoked, int64_t seen, struct dblock_error *err)
{
	int64_t ignored = 0;
	int rc = 0;

	for (unsigned i = 0; i < revoked->n && rc == 0; i++) {
		const struct dbl_item *item = &revoked->items[i];

		/* Of a lease, only once its client has been told. */
		if (item->watch == DBL_UNKNOWN)
			continue;
		if (item->watch > reap->max_time) {
			reap->watched++;
			continue;
		}
		rc = dbl_reap_sleep(locks, reap, dbl_add(seen, item->watch), err);
		if (rc == 0)
			rc = free_one(locks, reap, item, err);
	}
	return rc ? rc : dbl_reap_run(locks, DBL_OP_reap_revocations, DBL_NO_ARGS, &ignored, err);
}
