/* SPDX-License-Identifier: MIT */
#include "lock/admin/reap.h"

#include "lock/core/value.h"

struct dbl_item *dbl_batch_add(struct dbl_batch *batch, const struct dbl_value *key)
{
	struct dbl_item *item = &batch->items[batch->n];

	DBL_ASSERT(batch->n < DBL_REAP_BATCH, "%u", batch->n);
	batch->n++;
	*item = (struct dbl_item){.a = 0};
	dbl_copy_text(item->key, sizeof(item->key), key);
	return item;
}

int dbl_reap_go_on(const struct dbl_reap *reap, struct dblock_error *err)
{
	if (atomic_load(&reap->locks->shut) ||
	    (reap->canceled && reap->canceled(reap->canceled_arg)))
		return dbl_fail(err, DBLOCK_CANCELED, "the reaper was canceled");
	return 0;
}

int dbl_reap_run(struct dbl_locks *locks, enum dbl_op op, struct dbl_args args, int64_t *done,
		 struct dblock_error *err)
{
	struct dbl_request request = {
		.op = op, .args = args, .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_link_run(locks->link, &request, err);

	DBL_ASSERT(rc || request.changed >= 0, "%lld", (long long)request.changed);
	if (rc == 0)
		*done += request.changed;
	return rc == DBLOCK_E_BLOCKED ? 0 : rc;
}

int dbl_batch_fetch(struct dbl_locks *locks, enum dbl_op op, struct dbl_args args,
		    int (*row)(void *, const struct dbl_value *), struct dbl_batch *batch,
		    struct dblock_error *err)
{
	struct dbl_request request = {.op = op,
				      .args = args,
				      .row = row,
				      .ctx = batch,
				      .deadline = dbl_locks_deadline(locks)};

	batch->n = 0;
	return dbl_link_run(locks->link, &request, err);
}
