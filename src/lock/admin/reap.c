/* SPDX-License-Identifier: MIT */
/* The reaper cleans up what dead sessions left behind. Each statement is conditional on what was
 * seen before, so that any number of reapers may run at once, beside all other clients. */
#include "lock/admin/reap.h"

#include <string.h>

#include "base/mem.h"
#include "lock/core/cancel.h"
#include "lock/core/make_durable.h"
#include "lock/core/value.h"
#include "lock/queue/advance.h"
#include "lock/queue/queue.h"

/* So many events are written for a page of locks that are freed. */
enum { NOTED_OF_A_PAGE = 50 };

static int take_lock(void *ctx, const struct dbl_value *row)
{
	struct dbl_batch *batch = ctx;
	struct dbl_item *item = dbl_batch_add(batch, &row[0]);

	/* Names come in byte order: a page is freed as a range, and the next begins behind it. */
	DBL_ASSERT(batch->n < 2 || strcmp(batch->items[batch->n - 2].key, item->key) < 0, "%s",
		   item->key);
	item->a = row[1].i;
	item->session_given = row[2].type != DBL_NULL;
	dbl_copy_text(item->session, sizeof(item->session), &row[2]);
	item->b_given = row[3].type != DBL_NULL;
	item->b = row[3].i;
	item->queued = row[4].i != 0;
	return 0;
}

/* Hands the lock to the first in the queue. */
static int pass_on(struct dbl_locks *locks, struct dbl_reap *reap, const struct dbl_item *item,
		   struct dblock_error *err)
{
	struct dbl_winner winner;
	bool was_held = item->session_given || item->b_given;
	int rc = dbl_hand_over(locks, item->key, item->a, DBL_NOBODYS, dbl_locks_deadline(locks),
			       &winner, err);

	if (winner.done && was_held)
		reap->freed++;
	/* Waiters in other modes, and rows of the queue that hold it, need the grant policy. */
	if (rc == 0 && (!winner.done || winner.others))
		rc = dbl_queue_advance(locks, item->key, dbl_locks_deadline(locks), err);
	return rc == DBLOCK_E_BLOCKED ? 0 : rc;
}

/* Frees the locks in a range of names that nobody waits for. */
static int free_range(struct dbl_locks *locks, struct dbl_reap *reap, const char *first,
		      const char *last, struct dblock_error *err)
{
	const struct dbl_value args[] = {dbl_text(first), dbl_text(last)};
	struct dbl_request request = {.op = DBL_OP_reap_free,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_locks_deadline(locks)};
	int rc = dbl_link_run(locks->link, &request, err);

	reap->freed += rc ? 0 : request.changed;
	return rc;
}

/* Writes down what is about to be freed; if that fails, it is freed all the same. */
static void note_page(struct dbl_locks *locks, const struct dbl_batch *batch)
{
	const struct dbl_value args[] = {dbl_text(batch->items[0].key),
					 dbl_text(batch->items[batch->n - 1].key),
					 DBL_BY(locks->host), dbl_int(NOTED_OF_A_PAGE)};
	struct dbl_request request = {.op = DBL_OP_reap_event,
				      .args = DBL_ARGS(args),
				      .deadline = dbl_locks_deadline(locks)};

	(void)dbl_link_run(locks->link, &request, NULL);
}

/* Frees a page of locks at once, or one by one if somebody has one of their rows locked. */
static int free_page(struct dbl_locks *locks, struct dbl_reap *reap, const struct dbl_batch *batch,
		     struct dblock_error *err)
{
	const struct dbl_item *items = batch->items;
	int rc;

	note_page(locks, batch);
	rc = free_range(locks, reap, items[0].key, items[batch->n - 1].key, err);

	for (unsigned i = 0; rc == DBLOCK_E_BLOCKED && i < batch->n; i++) {
		rc = free_range(locks, reap, items[i].key, items[i].key, err);
		if (rc == 0)
			rc = DBLOCK_E_BLOCKED;
	}
	return rc == DBLOCK_E_BLOCKED ? 0 : rc;
}

static int pass_on_page(struct dbl_locks *locks, struct dbl_reap *reap,
			const struct dbl_batch *batch, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < batch->n; i++) {
		rc = dbl_reap_go_on(reap, err);
		if (rc == 0 && batch->items[i].queued)
			rc = pass_on(locks, reap, &batch->items[i], err);
	}
	return rc;
}

/* Frees what dead sessions hold and what has ended, page by page, in order of name. */
static int free_locks(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
		      struct dblock_error *err)
{
	char after[DBL_NAME_MAX + 1] = "";
	int rc;

	do {
		const struct dbl_value args[] = {dbl_text(after), dbl_int(DBL_REAP_BATCH)};

		rc = dbl_reap_go_on(reap, err);
		if (rc == 0)
			rc = dbl_batch_fetch(locks, DBL_OP_reap_locks, DBL_ARGS(args), take_lock,
					     batch, err);
		if (rc || batch->n == 0)
			return rc;
		rc = free_page(locks, reap, batch, err);
		if (rc == 0)
			rc = pass_on_page(locks, reap, batch, err);
		memcpy(after, batch->items[batch->n - 1].key, sizeof(after));
	} while (rc == 0 && batch->n == DBL_REAP_BATCH);
	return rc;
}

/* Runs a statement that changes a batch of rows, until it finds less than a batch. */
static int run_all(struct dbl_locks *locks, struct dbl_reap *reap, enum dbl_op op,
		   struct dbl_args args, int64_t *done, struct dblock_error *err)
{
	int64_t before;
	int rc;

	do {
		before = *done;
		rc = dbl_reap_go_on(reap, err);
		if (rc == 0)
			rc = dbl_reap_run(locks, op, args, done, err);
	} while (rc == 0 && *done - before == DBL_REAP_BATCH);
	return rc;
}

/* Deletes the marks of slots that were done long ago. */
static int forget_marks(struct dbl_locks *locks, struct dbl_reap *reap, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_int(reap->keep_marks), dbl_int(DBL_REAP_BATCH)};

	return run_all(locks, reap, DBL_OP_reap_once, DBL_ARGS(args), &reap->forgotten, err);
}

/* Deletes cached results that are of no more use; they are not counted. */
static int forget_results(struct dbl_locks *locks, struct dbl_reap *reap, struct dblock_error *err)
{
	struct dbl_value limit = dbl_int(DBL_REAP_BATCH);
	int64_t ignored = 0;

	return run_all(locks, reap, DBL_OP_reap_flights, DBL_ARG(limit), &ignored, err);
}

/* Deletes latches and barriers that nobody has used for long; they are not counted. */
static int forget_latches(struct dbl_locks *locks, struct dbl_reap *reap, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_int(reap->purge_after), dbl_int(DBL_REAP_BATCH)};
	int64_t ignored = 0;

	return run_all(locks, reap, DBL_OP_reap_latches, DBL_ARGS(args), &ignored, err);
}

/* Deletes what happened long ago; it is not counted. */
static int forget_events(struct dbl_locks *locks, struct dbl_reap *reap, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_int(DBL_EVENTS_KEPT), dbl_int(DBL_EVENTS_KEPT_US),
				   dbl_int(DBL_REAP_BATCH)};
	int64_t ignored = 0;

	return run_all(locks, reap, DBL_OP_reap_events, DBL_ARGS(args), &ignored, err);
}

/* Cleans up what is known by now to be of no more use. */
static int clean(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
		 struct dblock_error *err)
{
	struct dbl_value gone_for = dbl_int(DBL_DEAD_FOR_US);
	int64_t ignored = 0;
	int rc = dbl_reap_run(locks, DBL_OP_reap_waiters, DBL_ARG(gone_for), &ignored, err);

	if (rc == 0)
		rc = dbl_reap_run(locks, DBL_OP_reap_rows, DBL_NO_ARGS, &reap->freed, err);
	if (rc == 0)
		rc = free_locks(locks, reap, batch, err);
	if (rc == 0)
		rc = dbl_reap_requests(locks, reap, err);
	if (rc == 0)
		rc = dbl_reap_suspects(locks, reap, batch, err);
	if (rc == 0)
		rc = dbl_reap_permits(locks, reap, batch, err);
	return rc;
}

static int forget(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
		  struct dblock_error *err)
{
	int rc = dbl_reap_dead(locks, reap, err);

	if (rc == 0)
		rc = dbl_reap_purge(locks, reap, err);
	if (rc == 0)
		rc = dbl_reap_rates(locks, reap, batch, err);
	if (rc == 0)
		rc = forget_marks(locks, reap, err);
	if (rc == 0)
		rc = forget_results(locks, reap, err);
	if (rc == 0)
		rc = forget_latches(locks, reap, err);
	if (rc == 0)
		rc = forget_events(locks, reap, err);
	return rc;
}

/* Watches sessions that look dead and, in the same time, grants that were taken away from living
 * holders. Then it cleans up what the newly dead left behind. */
static int watch(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
		 struct dblock_error *err)
{
	struct dbl_suspects revoked = {0};
	int rc = dbl_reap_find_revoked(locks, reap, batch, &revoked, err);

	if (rc == 0)
		rc = dbl_reap_expire(locks, reap, batch, err);
	if (rc == 0)
		rc = dbl_reap_free_revoked(locks, reap, &revoked, err);
	dbl_free(revoked.items);
	if (rc == 0)
		rc = dbl_reap_revocations(locks, reap, batch, err);
	return rc == 0 && reap->expired > 0 ? clean(locks, reap, batch, err) : rc;
}

int dbl_reap(struct dbl_locks *locks, struct dbl_reap *reap, struct dblock_error *err)
{
	DBL_INSIDE(locks);
	struct dbl_batch *batch = dbl_alloc(sizeof(*batch));
	int rc;

	DBL_ASSERT(reap->purge_after >= 0 && reap->keep_marks >= 0 && reap->max_time >= 0);
	if (!batch)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	reap->locks = locks;
	rc = dbl_reap_local(locks, reap, batch, err);
	if (rc == 0 && (!reap->local || reap->expired > 0))
		rc = clean(locks, reap, batch, err);
	if (rc == 0 && !reap->local)
		rc = forget(locks, reap, batch, err);
	if (rc == 0 && !reap->local)
		rc = watch(locks, reap, batch, err);
	if (rc == 0 && reap->expired + reap->freed + reap->deleted + reap->purged + reap->forgotten)
		rc = dbl_make_durable(locks, dbl_locks_deadline(locks), err);
	dbl_free(batch);
	return rc;
}
