/* SPDX-License-Identifier: MIT */
/* The reaper: what the dead left behind. Each step is conditional on what was seen, so that any
 * number of reapers, and everybody else, may be at work at once. */
#include "lock/reap.h"

#include <string.h>

#include "base/mem.h"
#include "lock/queue.h"
#include "lock/serve.h"
#include "lock/settle.h"
#include "lock/value.h"

/* A session dead for less long may still be named by a statement that its client sent before and
 * that the server carries out only now. */
#define DEAD_FOR_US (60 * 1000000LL)

struct dbl_item *dbl_batch_add(struct dbl_batch *batch, const struct dbl_value *key)
{
	struct dbl_item *item = &batch->items[batch->n++];

	*item = (struct dbl_item){.a = 0};
	dbl_copy_text(item->key, sizeof(item->key), key);
	return item;
}

int dbl_reap_go_on(const struct dbl_reap *reap, struct dblock_error *err)
{
	if (reap->canceled && reap->canceled(reap->canceled_arg))
		return dbl_fail(err, DBLOCK_CANCELED, "the reaper was canceled");
	return 0;
}

int dbl_reap_run(struct dbl_locks *locks, enum dbl_op op, const struct dbl_value *args,
		 int64_t *done, struct dblock_error *err)
{
	struct dbl_request request = {
		.op = op, .args = args, .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_link_run(locks->link, &request, err);

	if (rc == 0)
		*done += request.changed;
	return rc == DBLOCK_E_LOCKED ? 0 : rc;
}

int dbl_batch_fetch(struct dbl_locks *locks, enum dbl_op op, const struct dbl_value *args,
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

static int take_lock(void *batch, const struct dbl_value *row)
{
	struct dbl_item *item = dbl_batch_add(batch, &row[0]);

	item->a = row[1].i;
	item->session_given = row[2].type != DBL_NULL;
	dbl_copy_text(item->session, sizeof(item->session), &row[2]);
	item->b_given = row[3].type != DBL_NULL;
	item->b = row[3].i;
	item->queued = row[4].i != 0;
	return 0;
}

static int take_key(void *batch, const struct dbl_value *row)
{
	dbl_batch_add(batch, &row[0]);
	return 0;
}

/* One kind of work: fetch pages in order of key, do `each` for every item. */
struct task {
	enum dbl_op list;
	int (*row)(void *, const struct dbl_value *);
	int (*each)(struct dbl_locks *, struct dbl_reap *, const struct dbl_item *,
		    struct dblock_error *);
	int64_t param; /* second argument of the list, where it takes three */
};

static int work_batch(struct dbl_locks *locks, struct dbl_reap *reap, const struct task *task,
		      const struct dbl_batch *batch, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < batch->n && rc == 0; i++) {
		rc = dbl_reap_go_on(reap, err);
		if (rc == 0)
			rc = task->each(locks, reap, &batch->items[i], err);
	}
	return rc;
}

static int work(struct dbl_locks *locks, struct dbl_reap *reap, const struct task *task,
		struct dbl_batch *batch, struct dblock_error *err)
{
	char after[DBL_NAME_MAX + 1] = "";
	bool has_param = strlen(dbl_ops[task->list].args) == 3;
	int rc;

	do {
		struct dbl_value args[3] = {dbl_text(after), dbl_int(DBL_REAP_BATCH)};

		if (has_param) {
			args[1] = dbl_int(task->param);
			args[2] = dbl_int(DBL_REAP_BATCH);
		}
		rc = dbl_batch_fetch(locks, task->list, args, task->row, batch, err);
		if (rc == 0)
			rc = work_batch(locks, reap, task, batch, err);
		if (batch->n > 0)
			memcpy(after, batch->items[batch->n - 1].key, sizeof(after));
	} while (rc == 0 && batch->n == DBL_REAP_BATCH);
	return rc;
}

/* To who is first in line. */
static int pass_on(struct dbl_locks *locks, struct dbl_reap *reap, const struct dbl_item *item,
		   struct dblock_error *err)
{
	struct dbl_winner winner;
	bool was_held = item->session_given || item->b_given;
	int rc = dbl_hand_over(locks, item->key, item->a, DBL_NOBODYS, dbl_locks_deadline(locks),
			       &winner, err);

	if (winner.done && was_held)
		reap->freed++;
	/* Those who do not want it alone; and where rows of the line hold it. */
	if (rc == 0 && (!winner.done || winner.others))
		rc = dbl_serve(locks, item->key, dbl_locks_deadline(locks), err);
	return rc == DBLOCK_E_LOCKED ? 0 : rc;
}

static int free_lock(struct dbl_locks *locks, struct dbl_reap *reap, const struct dbl_item *item,
		     struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(item->key), dbl_int(item->a),
				   dbl_text(item->session_given ? item->session : NULL),
				   dbl_int_if(item->b_given, item->b)};

	if (item->queued)
		return pass_on(locks, reap, item, err);
	return dbl_reap_run(locks, DBL_OP_reap_free, args, &reap->freed, err);
}

static int delete_session(struct dbl_locks *locks, struct dbl_reap *reap,
			  const struct dbl_item *item, struct dblock_error *err)
{
	struct dbl_value id = dbl_text(item->key);

	return dbl_reap_run(locks, DBL_OP_session_delete, &id, &reap->deleted, err);
}

/* Slots that were done long ago. */
static int forget_marks(struct dbl_locks *locks, struct dbl_reap *reap, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_int(reap->keep_marks), dbl_int(DBL_REAP_BATCH)};
	int64_t before;
	int rc;

	do {
		rc = dbl_reap_go_on(reap, err);
		before = reap->forgotten;
		if (rc == 0)
			rc = dbl_reap_run(locks, DBL_OP_reap_once, args, &reap->forgotten, err);
	} while (rc == 0 && reap->forgotten - before == DBL_REAP_BATCH);
	return rc;
}

/* Results of no more use: a cache's, which nobody counts. */
static int forget_results(struct dbl_locks *locks, struct dbl_reap *reap, struct dblock_error *err)
{
	struct dbl_value limit = dbl_int(DBL_REAP_BATCH);
	int64_t deleted;
	int rc;

	do {
		deleted = 0;
		rc = dbl_reap_go_on(reap, err);
		if (rc == 0)
			rc = dbl_reap_run(locks, DBL_OP_reap_flights, &limit, &deleted, err);
	} while (rc == 0 && deleted == DBL_REAP_BATCH);
	return rc;
}

int dbl_reap(struct dbl_locks *locks, struct dbl_reap *reap, struct dblock_error *err)
{
	static const struct task frees = {DBL_OP_reap_locks, take_lock, free_lock, 0};
	static const struct task deletes = {DBL_OP_reap_dead, take_key, delete_session,
					    DEAD_FOR_US};
	struct dbl_batch *batch = dbl_alloc(sizeof(*batch));
	struct dbl_value gone_for = dbl_int(DEAD_FOR_US);
	int64_t ignored = 0;
	int rc;

	if (!batch)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = dbl_reap_bury(locks, reap, batch, err);
	if (rc == 0)
		rc = dbl_reap_run(locks, DBL_OP_reap_waiters, &gone_for, &ignored, err);
	if (rc == 0)
		rc = dbl_reap_run(locks, DBL_OP_reap_rows, NULL, &reap->freed, err);
	if (rc == 0)
		rc = work(locks, reap, &frees, batch, err);
	if (rc == 0)
		rc = dbl_reap_requests(locks, reap, err);
	if (rc == 0)
		rc = work(locks, reap, &deletes, batch, err);
	if (rc == 0)
		rc = dbl_reap_purge(locks, reap, batch, err);
	if (rc == 0)
		rc = forget_marks(locks, reap, err);
	if (rc == 0)
		rc = forget_results(locks, reap, err);
	if (rc == 0 && reap->buried + reap->freed + reap->deleted + reap->purged + reap->forgotten)
		rc = dbl_settle(locks, dbl_locks_deadline(locks), err);
	dbl_free(batch);
	return rc;
}
