/* SPDX-License-Identifier: MIT */
/*
 * A message is put: its key's row is counted up, and the message is written under that number. The row stays locked until
 * the end of the transaction, so the numbers are in the order of the commits, and without a gap. (A sequence gives the
 * larger number to who commits first; so do the offsets of Galera's nodes.)
 *
 * What is put is bounded by time: behind a message that is older than it may be none is put.
 */
#include "outbox/outbox.h"

#include <dblock/outbox.h>

#include "driver/value.h"
#include "outbox/page.h"

#define AGE_MAX_US (DBLOCK_OUTBOX_AGE_MS * 1000LL)

struct put {
	const struct dbl_message *message;
	struct dbl_value args[7];
	struct dbl_request request;
	int64_t number; /* 0: nothing was put, as an older one is in the way */
};

static int take_number(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

/* A statement that writes would lock what it sees beside itself: so that is looked at before. */
static int look_and_put(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct put *put = ctx;
	struct dbl_value args[] = {put->args[0], put->args[1], put->args[2], put->args[6]};
	int64_t is_late = 0;
	struct dbl_request look = {.op = DBL_OP_outbox_late,
				   .args = DBL_ARGS(args),
				   .row = take_number,
				   .ctx = &is_late,
				   .deadline = put->request.deadline};
	int rc = dbl_db_run(db, &look, err);

	return rc || is_late ? rc : dbl_db_run(db, &put->request, err);
}

static int run(struct dblock_tx *tx, struct put *put, struct dblock_error *err)
{
	int64_t ms = dbl_tx_patience(tx);

	if (tx->target->dialect->pipelines) /* its statement looks by itself */
		return dbl_tx_run_guarded(tx, ms, &put->request, err);
	return dbl_tx_guarded_waiting(tx, ms, look_and_put, put, put->request.deadline, err);
}

static int prepare(struct put *put, struct dblock_tx *tx, struct dblock_error *err)
{
	const struct dbl_message *m = put->message;
	int64_t id = dbl_random_id(tx->target->env);

	put->args[0] = dbl_text(m->topic);
	put->args[1] = dbl_text(m->key);
	put->args[2] = dbl_int(dbl_shard_of(m->key));
	put->args[3] = dbl_int(id);
	put->args[4] = dbl_text(m->headers);
	put->args[5] = dbl_text(m->body);
	put->args[6] = dbl_int(AGE_MAX_US);
	put->request = (struct dbl_request){.op = DBL_OP_outbox_put,
					    .args = DBL_ARGS(put->args),
					    .row = take_number,
					    .ctx = &put->number,
					    .deadline = dbl_tx_deadline(tx)};
	return id ? 0 : dbl_fail(err, DBLOCK_E_NOMEM, "no random numbers");
}

int dbl_outbox_put(struct dblock_tx *tx, const struct dbl_message *m, int64_t *number,
		   struct dblock_error *err)
{
	struct put put = {.message = m};
	int rc = dbl_tx_check_open(tx, err);

	if (rc == 0)
		rc = prepare(&put, tx, err);
	if (rc == 0)
		rc = run(tx, &put, err);
	*number = rc ? 0 : put.number;
	if (rc || put.number)
		return rc;
	return dbl_fail(err, DBLOCK_E_FULL,
			"topic '%s': a message that is delivered with those of the key '%s' has "
			"waited for a week: nothing is put behind it; see that it is delivered",
			m->topic, m->key);
}
