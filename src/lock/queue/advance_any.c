/* SPDX-License-Identifier: MIT */
/*
 * A wait for any one of several names is granted one, and loses its places at the others, in one transaction. Two
 * clients may want to grant it two names at a time: each first locks the first of its places by name. Who finds it
 * locked looks again later; who finds it gone, or with a token, comes too late.
 */
#include "lock/core/value.h"
#include "lock/queue/advance.h"

struct granting {
	const char *name;
	const struct dbl_queue *queue;
	struct dbl_decision decision; /* as to grant it to the one row */
	int64_t deadline;
	bool waits; /* it has been granted none */
	int64_t token, beat;
	char address[DBL_WAKE_ADDRESS_MAX];
};

static const struct dbl_row *row_of(const struct granting *g)
{
	return &g->queue->rows[g->decision.grants[0]];
}

static int take_place(void *ctx, const struct dbl_value *row)
{
	struct granting *g = ctx;

	g->waits = row[0].type == DBL_NULL;
	return 0;
}

static int take_granted(void *ctx, const struct dbl_value *row)
{
	struct granting *g = ctx;

	g->token = row[1].i;
	g->beat = row[3].i;
	dbl_copy_text(g->address, sizeof(g->address), &row[2]);
	return 0;
}

/* A statement about all places of that wait. */
static int run_on_places(struct granting *g, struct dbl_db *db, enum dbl_op op,
			 struct dblock_error *err)
{
	const struct dbl_row *row = row_of(g);
	const struct dbl_value args[] = {dbl_text(row->session), dbl_int(row->thread),
					 dbl_int(row->nonce)};
	struct dbl_request request = {.op = op,
				      .args = DBL_ARGS(args),
				      .row = take_place,
				      .ctx = g,
				      .deadline = g->deadline};

	return dbl_db_run(db, &request, err);
}

static int grant(struct granting *g, struct dbl_db *db, struct dblock_error *err)
{
	char tickets[DBL_TICKETS_MAX];
	struct dbl_value args[DBL_GRANT_ARGS];
	struct dbl_request request = {.op = DBL_OP_grant,
				      .args = DBL_ARGS(args),
				      .row = take_granted,
				      .ctx = g,
				      .deadline = g->deadline};

	dbl_advance_grant_args(g->name, g->queue, &g->decision, tickets, args);
	return dbl_db_run(db, &request, err);
}

/* DBLOCK_BUSY: the queue has changed since it was read, or it has been granted another one. */
static int grant_and_leave(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct granting *g = ctx;
	int rc;

	g->waits = false;
	g->token = 0;
	rc = run_on_places(g, db, DBL_OP_any_claim, err);
	if (rc == 0 && !g->waits)
		return DBLOCK_BUSY;
	if (rc == 0)
		rc = grant(g, db, err);
	if (rc == 0 && g->token == 0)
		return DBLOCK_BUSY;
	return rc ? rc : run_on_places(g, db, DBL_OP_dequeue_rest, err);
}

int dbl_advance_any(struct dbl_locks *locks, const char *name, const struct dbl_queue *queue,
		    const struct dbl_decision *decision, int64_t nonce, int64_t deadline,
		    struct dbl_advanced *advanced, struct dblock_error *err)
{
	struct granting g = {
		.name = name, .queue = queue, .decision = *decision, .deadline = deadline};
	int rc;

	g.decision.what = DBL_DECIDE_GRANT;
	g.decision.n = 1;
	DBL_ASSERT(row_of(&g)->names < 0 && !dbl_row_holds(row_of(&g)));
	rc = dbl_link_transaction(locks->link, grant_and_leave, &g, deadline, err);
	if (rc == DBLOCK_BUSY)
		return 0; /* not done */
	if (rc)
		return rc;
	advanced->done = true;
	if (row_of(&g)->nonce != nonce) {
		dbl_notifier_tell(locks, g.address, row_of(&g)->nonce, DBL_NOTIFY_LOOK);
		return 0;
	}
	advanced->token = g.token;
	advanced->beat = g.beat;
	return 0;
}
