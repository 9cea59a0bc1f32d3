/* SPDX-License-Identifier: MIT */
/* The reaper's last step: forget names that nobody has used for long. In one transaction with the
 * floor, which is so never below a token that was forgotten. */
#include "lock/reap.h"
#include "lock/value.h"

struct purge {
	struct dbl_locks *locks;
	struct dbl_batch *batch;
	int64_t unused_for;
	int64_t purged;
	struct dbl_value list_args[2];
};

static int take_token(void *batch, const struct dbl_value *row)
{
	dbl_batch_add(batch, &row[0])->a = row[1].i;
	return 0;
}

static int run_in(struct dbl_db *db, struct dbl_request *request, int64_t deadline,
		  struct dblock_error *err)
{
	request->deadline = deadline;
	return dbl_db_run(db, request, err);
}

static int64_t largest(const struct dbl_batch *batch)
{
	int64_t token = 0;

	for (unsigned i = 0; i < batch->n; i++) {
		if (batch->items[i].a > token)
			token = batch->items[i].a;
	}
	return token;
}

/* Holds everybody up until the commit: so it comes last. */
static int raise_floor(struct purge *p, struct dbl_db *db, int64_t deadline,
		       struct dblock_error *err)
{
	struct dbl_value floor = dbl_int(largest(p->batch));
	struct dbl_request raise = {.op = DBL_OP_purge_floor, .args = DBL_ARG(floor)};
	int rc = dbl_db_script(db, DBL_OP_purge_lock, deadline, err);

	return rc ? rc : run_in(db, &raise, deadline, err);
}

static int purge_items(struct purge *p, struct dbl_db *db, int64_t deadline,
		       struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < p->batch->n && rc == 0; i++) {
		const struct dbl_item *item = &p->batch->items[i];
		struct dbl_value args[] = {dbl_text(item->key), dbl_int(item->a)};
		struct dbl_request request = {.op = DBL_OP_purge_delete, .args = DBL_ARGS(args)};

		rc = run_in(db, &request, deadline, err);
		p->purged += request.changed;
	}
	return rc ? rc : raise_floor(p, db, deadline, err);
}

static struct dbl_request list_request(struct purge *p)
{
	p->batch->n = 0;
	p->list_args[0] = dbl_int(p->unused_for);
	p->list_args[1] = dbl_int(DBL_REAP_BATCH);
	return (struct dbl_request){.op = DBL_OP_purge_list,
				    .args = DBL_ARGS(p->list_args),
				    .row = take_token,
				    .ctx = p->batch,
				    .deadline = dbl_locks_deadline(p->locks)};
}

static int purge_batch(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct purge *p = ctx;
	struct dbl_request list = list_request(p);
	int rc = dbl_db_run(db, &list, err);

	p->purged = 0;
	return rc || p->batch->n == 0 ? rc : purge_items(p, db, list.deadline, err);
}

/* The transaction holds others up, if shortly: only if there is something to do. */
static int purge_some(struct purge *p, struct dblock_error *err)
{
	struct dbl_request list = list_request(p);
	int rc = dbl_link_run(p->locks->link, &list, err);

	p->purged = 0;
	if (rc || p->batch->n == 0)
		return rc;
	return dbl_link_transaction(p->locks->link, purge_batch, p, dbl_locks_deadline(p->locks),
				    err);
}

int dbl_reap_purge(struct dbl_locks *locks, struct dbl_reap *reap, struct dbl_batch *batch,
		   struct dblock_error *err)
{
	struct purge p = {.locks = locks, .batch = batch, .unused_for = reap->purge_after};
	int rc;

	do {
		rc = dbl_reap_go_on(reap, err);
		if (rc)
			return rc;
		rc = purge_some(&p, err);
		if (rc == 0)
			reap->purged += p.purged;
	} while (rc == 0 && batch->n == DBL_REAP_BATCH);
	/* Rows that somebody locks can wait for the next pass. */
	return rc == DBLOCK_E_LOCKED ? 0 : rc;
}
