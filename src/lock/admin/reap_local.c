/* SPDX-License-Identifier: MIT */
/* The reaper declares dead whose process has ended on this machine, by the kernel's word, and so is the
 * witness for those who wait elsewhere. It looks for marks of the dead, not for sessions: where there
 * are none, nothing is asked of the database. */
#include <string.h>

#include "base/mark.h"
#include "base/str.h"
#include "lock/admin/reap.h"
#include "lock/core/value.h"

/* No session lives for so long without a heartbeat; of what it left behind nobody can need a proof. */
#define LEFT_US ((DBLOCK_TTL_MAX_MS + 3600000) * 1000)

static int take_session(void *batch, const struct dbl_value *row)
{
	struct dbl_item *item = dbl_batch_add(batch, &row[0]);

	dbl_copy_text(item->session, sizeof(item->session), &row[1]);
	item->a = row[2].i;
	item->b = row[3].i;
	return 0;
}

/* Declares it dead if that is so: what was read of it, and then asked for, is of its last beat. As long as
 * its row has another one, the proof is needed. */
static int bury(struct dbl_locks *locks, struct dbl_reap *reap, const struct dbl_item *item,
		struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(item->session),
				   dbl_int(item->a),
				   dbl_int(item->b),
				   dbl_text(""),
				   dbl_int(0),
				   DBL_BY(locks->host),
				   dbl_int(DBLOCK_EVENT_ENDED)};
	int64_t before = reap->expired;
	int rc;

	if (dbl_mark_ask(item->key, item->a, dbl_now(locks->env)) != DBL_MARK_DEAD)
		return 0;
	rc = dbl_reap_run(locks, DBL_OP_bury, DBL_ARGS(args), &reap->expired, err);
	if (reap->expired > before)
		dbl_mark_remove(item->key);
	return rc;
}

static int bury_all(struct dbl_locks *locks, struct dbl_reap *reap, const char *names,
		    struct dbl_batch *batch, struct dblock_error *err)
{
	char after[sizeof(batch->items[0].session)] = "";
	int rc;

	do {
		const struct dbl_value args[] = {dbl_text(names), dbl_int(DBL_REAP_BATCH),
						 dbl_text(after)};

		rc = dbl_batch_fetch(locks, DBL_OP_reap_local, DBL_ARGS(args), take_session, batch,
				     err);
		for (unsigned i = 0; rc == 0 && i < batch->n; i++)
			rc = bury(locks, reap, &batch->items[i], err);
		if (batch->n > 0)
			memcpy(after, batch->items[batch->n - 1].session, sizeof(after));
	} while (rc == 0 && batch->n == DBL_REAP_BATCH);
	return rc;
}

int dbl_reap_local(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
		   struct dblock_error *err)
{
	struct dbl_str names = {0};
	int rc = 0;

	if (dbl_mark_list_dead(&names, LEFT_US) > 0 && !names.failed)
		rc = bury_all(locks, reap, names.text, batch, err);
	dbl_str_free(&names);
	return rc;
}
