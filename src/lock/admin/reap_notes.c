/* SPDX-License-Identifier: MIT */
/* The reaper forgets notes and marks that are of no more use. They are read, and then deleted each
 * by its key: on MySQL a DELETE locks all that it reads, rows of living sessions and of names too,
 * and heartbeats would wait for it. What was found is never of use again. */
#include "lock/admin/reap.h"

#include <string.h>

#include "lock/core/value.h"

static int take_key(void *batch, const struct dbl_value *row)
{
	struct dbl_item *item = dbl_batch_add(batch, &row[1]);

	dbl_copy_text(item->session, sizeof(item->session), &row[0]);
	item->a = row[2].i;
	return 0;
}

/* Deletes page by page while all of a page can be deleted. Locked rows wait for the next pass. */
static int forget(struct dbl_locks *locks, struct dbl_reap *reap, enum dbl_op list, enum dbl_op op,
		  struct dbl_batch *batch, struct dblock_error *err)
{
	struct dbl_value limit = dbl_int(DBL_REAP_BATCH);
	int64_t deleted;
	int rc;

	do {
		deleted = 0;
		rc = dbl_batch_fetch(locks, list, DBL_ARG(limit), take_key, batch, err);
		for (unsigned i = 0; rc == 0 && i < batch->n; i++) {
			const struct dbl_item *item = &batch->items[i];
			const struct dbl_value args[] = {dbl_text(item->session),
							 dbl_text(item->key), dbl_int(item->a)};

			rc = dbl_reap_go_on(reap, err);
			if (rc == 0)
				rc = dbl_reap_run(locks, op, DBL_ARGS(args), &deleted, err);
		}
	} while (rc == 0 && deleted == DBL_REAP_BATCH);
	return rc;
}

int dbl_reap_suspects(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
		      struct dblock_error *err)
{
	return forget(locks, reap, DBL_OP_reap_suspects, DBL_OP_suspect_delete, batch, err);
}

int dbl_reap_revocations(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
			 struct dblock_error *err)
{
	return forget(locks, reap, DBL_OP_reap_revocations, DBL_OP_revocation_delete, batch, err);
}

static int take_permit(void *batch, const struct dbl_value *row)
{
	struct dbl_item *item = dbl_batch_add(batch, &row[0]);

	item->a = row[1].i;
	item->b = row[2].i;
	return 0;
}

/* Numbers of permits whose grants are over: who acquires takes them as well, but of a name that nobody uses any
 * more they would stay. */
int dbl_reap_permits(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
		     struct dblock_error *err)
{
	char after[DBL_NAME_MAX + 1] = "";
	int64_t number = -1, ignored = 0;
	int rc;

	do {
		struct dbl_value page[] = {dbl_text(after), dbl_int(number),
					   dbl_int(DBL_REAP_BATCH)};

		rc = dbl_batch_fetch(locks, DBL_OP_reap_permits, DBL_ARGS(page), take_permit, batch,
				     err);
		for (unsigned i = 0; rc == 0 && i < batch->n; i++) {
			const struct dbl_item *item = &batch->items[i];
			const struct dbl_value args[] = {dbl_text(item->key), dbl_int(item->a),
							 dbl_int(item->b)};

			memcpy(after, item->key, sizeof(after));
			number = item->a;
			rc = dbl_reap_go_on(reap, err);
			if (rc == 0)
				rc = dbl_reap_run(locks, DBL_OP_permit_drop, DBL_ARGS(args),
						  &ignored, err);
		}
	} while (rc == 0 && batch->n == DBL_REAP_BATCH);
	return rc;
}
