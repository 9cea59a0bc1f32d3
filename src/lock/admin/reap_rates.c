/* SPDX-License-Identifier: MIT */
/* The reaper forgets rates that nobody has used for long. An index by age would make each take slower, so it reads all
 * of them, a page at a time, and deletes where there is something to delete. */
#include "lock/admin/reap.h"
#include "lock/core/value.h"

static int take_rate(void *ctx, const struct dbl_value *row)
{
	enum { NAME, LEVEL, TAKEN_AT, RATE, PERIOD, BURST, NOW };
	struct dbl_item *item = dbl_batch_add(ctx, &row[NAME]);

	item->a = row[NOW].i - row[TAKEN_AT].i;
	item->b = row[LEVEL].i / 1000;
	return 0;
}

static bool any_unused(const struct dbl_batch *batch, int64_t for_us)
{
	unsigned i = 0;

	while (i < batch->n &&
	       (batch->items[i].a < for_us || batch->items[i].a <= batch->items[i].b))
		i++;
	return i < batch->n;
}

int dbl_reap_rates(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
		   struct dblock_error *err)
{
	char after[DBL_NAME_MAX + 1] = "";
	int rc;

	do {
		const struct dbl_value page[] = {dbl_text(after), dbl_int(DBL_REAP_BATCH)};
		const char *last;

		rc = dbl_reap_go_on(reap, err);
		if (rc == 0)
			rc = dbl_batch_fetch(locks, DBL_OP_rate_list, DBL_ARGS(page), take_rate,
					     batch, err);
		if (rc || batch->n == 0)
			return rc;
		last = batch->items[batch->n - 1].key;
		if (any_unused(batch, reap->purge_after))
			rc = dbl_reap_run(locks, DBL_OP_reap_rates,
					  DBL_ARGS_OF(dbl_text(after), dbl_text(last),
						      dbl_int(reap->purge_after)),
					  &reap->purged, err);
		memcpy(after, last, sizeof(after));
	} while (rc == 0 && batch->n == DBL_REAP_BATCH);
	return rc;
}
