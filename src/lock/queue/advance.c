/* SPDX-License-Identifier: MIT */
#include "lock/queue/advance.h"

#include <stdio.h>

#include "lock/core/value.h"
#include "lock/queue/queue.h"

/* Each round grants to somebody: without a limit, a busy lock could keep a call for ever. */
#define ROUNDS 16

/* As long as a transaction takes that grants one of several names. */
#define ANY_PAUSE_US 2000

/* ---- granting -------------------------------------------------------------------------------- */

/* Rows come while the connection is locked: they are copied, and waiters notified afterwards. */
struct granted {
	struct {
		int64_t nonce, token, beat;
		char address[DBL_WAKE_ADDRESS_MAX];
	} all[DBL_GRANTS_MAX];
	unsigned n;
};

static int take_granted(void *ctx, const struct dbl_value *row)
{
	struct granted *granted = ctx;

	if (granted->n == DBL_GRANTS_MAX)
		return DBLOCK_E_BUG;
	granted->all[granted->n].nonce = row[0].i;
	granted->all[granted->n].token = row[1].i;
	granted->all[granted->n].beat = row[3].i;
	dbl_copy_text(granted->all[granted->n].address, DBL_WAKE_ADDRESS_MAX, &row[2]);
	granted->n++;
	return 0;
}

/* Writes the tickets, then the nonces: "12,13,17". The nonces are needed since leaving alone does
 * not change the version: on SQLite, where tickets are drawn by the clock, one that was set back
 * may draw the ticket of a waiter that has left once more. */
static void write_tickets(const struct dbl_queue *queue, const struct dbl_decision *decision,
			  char *text, size_t size)
{
	size_t used = 0;

	for (unsigned i = 0; i < decision->n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? "," : "",
					 (long long)queue->rows[decision->grants[i]].ticket);
	for (unsigned i = 0; i < decision->n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, ",%lld",
					 (long long)queue->rows[decision->grants[i]].nonce);
}

/* Tokens grow in the order of the queue, above all that were granted before. */
static bool tokens_grow(const struct granted *granted, int64_t token)
{
	for (unsigned i = 0; i < granted->n; i++) {
		if (granted->all[i].token <= token)
			return false;
	}
	return true;
}

/* Who waits to hold the lock alone, and is told a token, takes it for one of the lock's own row (take_word() in
 * wait_steps.c). So it is to look, and finds its row. */
static bool expects_own_row(const struct dbl_queue *queue, int64_t nonce)
{
	for (unsigned i = 0; i < queue->n; i++) {
		const struct dbl_row *row = &queue->rows[i];

		if (row->nonce == nonce)
			return row->mode == DBLOCK_EXCLUSIVE && !row->upgrades;
	}
	return false;
}

static void notify_all(struct dbl_locks *locks, const struct dbl_queue *queue,
		       const struct granted *granted, int64_t nonce, struct dbl_advanced *advanced)
{
	for (unsigned i = 0; i < granted->n; i++) {
		if (granted->all[i].nonce != nonce) {
			dbl_notifier_tell(locks, granted->all[i].address, granted->all[i].nonce,
					  expects_own_row(queue, granted->all[i].nonce)
						  ? DBL_NOTIFY_LOOK
						  : granted->all[i].token);
			continue;
		}
		advanced->token = granted->all[i].token;
		advanced->beat = granted->all[i].beat;
	}
}

/* The tokens follow the database's clock, in the order of the queue. */
void dbl_advance_grant_args(const char *name, const struct dbl_queue *queue,
			    const struct dbl_decision *decision, char tickets[DBL_TICKETS_MAX],
			    struct dbl_value args[DBL_GRANT_ARGS])
{
	int64_t first = queue->token < queue->now ? queue->now : queue->token + 1;

	DBL_ASSERT(decision->what == DBL_DECIDE_GRANT && decision->n > 0, "what %d, %u",
		   (int)decision->what, decision->n);
	write_tickets(queue, decision, tickets, DBL_TICKETS_MAX);
	args[0] = dbl_text(name);
	args[1] = dbl_int(queue->version);
	args[2] = dbl_int(queue->token);
	args[3] = dbl_int(first);
	args[4] = dbl_int(first + decision->n - 1);
	args[5] = dbl_text(tickets);
	args[6] = dbl_int(decision->served);
	args[7] = dbl_int(decision->others + (decision->others && decision->ranked));
}

static int grant(struct dbl_locks *locks, const char *name, const struct dbl_queue *queue,
		 const struct dbl_decision *decision, int64_t nonce, int64_t deadline,
		 struct dbl_advanced *advanced, struct dblock_error *err)
{
	char tickets[DBL_TICKETS_MAX];
	struct dbl_value args[DBL_GRANT_ARGS];
	struct granted granted = {.n = 0};
	struct dbl_request request = {.op = DBL_OP_grant,
				      .args = DBL_ARGS(args),
				      .row = take_granted,
				      .ctx = &granted,
				      .deadline = deadline};
	int rc;

	dbl_advance_grant_args(name, queue, decision, tickets, args);
	rc = dbl_link_run(locks->link, &request, err);
	advanced->done = rc == 0 && request.changed > 0;
	DBL_ASSERT(rc || granted.n <= decision->n, "%u of %u", granted.n, decision->n);
	DBL_ASSERT(rc || tokens_grow(&granted, queue->token), "above %lld",
		   (long long)queue->token);
	if (rc == 0)
		notify_all(locks, queue, &granted, nonce, advanced);
	return rc;
}

static int hand_over(struct dbl_locks *locks, const char *name, const struct dbl_queue *queue,
		     int64_t nonce, int64_t deadline, struct dbl_advanced *advanced,
		     struct dblock_error *err)
{
	struct dbl_winner winner;
	int rc = dbl_hand_over(locks, name, queue->token, DBL_NOBODYS, deadline, &winner, err);

	advanced->done = winner.done;
	if (winner.done && nonce && winner.nonce == nonce)
		advanced->token = winner.token;
	return rc;
}

static int run_on_name(struct dbl_locks *locks, enum dbl_op op, const char *name, int64_t deadline,
		       struct dblock_error *err)
{
	struct dbl_value arg = dbl_text(name);
	struct dbl_request request = {.op = op, .args = DBL_ARG(arg), .deadline = deadline};

	return dbl_link_run(locks->link, &request, err);
}

static void notify_group(struct dbl_locks *locks, const struct dbl_row *row)
{
	DBL_ASSERT(!dbl_row_holds(row) && row->names > 1, "%lld", (long long)row->names);
	dbl_notifier_tell(locks, row->address, row->nonce, DBL_NOTIFY_LOOK);
}

int dbl_advance_by(struct dbl_locks *locks, const char *name, const struct dbl_queue *queue,
		   const struct dbl_decision *decision, int64_t nonce, int64_t deadline,
		   struct dbl_advanced *advanced, struct dblock_error *err)
{
	*advanced = (struct dbl_advanced){.beat = DBL_UNKNOWN};
	switch (decision->what) {
	case DBL_DECIDE_NAME:
		return run_on_name(locks, DBL_OP_name_new, name, deadline, err);
	case DBL_DECIDE_EXPEL:
		return run_on_name(locks, DBL_OP_expel, name, deadline, err);
	case DBL_DECIDE_NOTIFY:
		advanced->done = true;
		notify_group(locks, &queue->rows[decision->grants[0]]);
		return 0;
	case DBL_DECIDE_ANY:
		return dbl_advance_any(locks, name, queue, decision, nonce, deadline, advanced,
				       err);
	case DBL_DECIDE_HAND_OVER:
		return hand_over(locks, name, queue, nonce, deadline, advanced, err);
	case DBL_DECIDE_GRANT:
		return grant(locks, name, queue, decision, nonce, deadline, advanced, err);
	default:
		advanced->done = true;
		return 0;
	}
}

int dbl_queue_advance(struct dbl_locks *locks, const char *name, int64_t deadline,
		      struct dblock_error *err)
{
	struct dbl_queue queue = {.n = 0};
	struct dbl_decision decision;
	struct dbl_advanced advanced;
	int rc;

	for (int round = 0; round < ROUNDS; round++) {
		rc = dbl_queue_read(locks, name, deadline, &queue, err);
		if (rc)
			break;
		dbl_policy_decide(&queue, &decision);
		if (decision.what == DBL_DECIDE_NOTHING || decision.what == DBL_DECIDE_NAME)
			break;
		rc = dbl_advance_by(locks, name, &queue, &decision, 0, deadline, &advanced, err);
		if (rc || decision.what == DBL_DECIDE_NOTIFY)
			break;
		/* Somebody else is granting that one another name: let him. */
		if (decision.what == DBL_DECIDE_ANY && !advanced.done)
			dbl_sleep_until(locks->env,
					dbl_now(locks->env) + dbl_jitter(locks->env, ANY_PAUSE_US));
	}
	dbl_queue_free(&queue);
	return rc;
}

/* ---- holders that are over ------------------------------------------------------------------- */

int dbl_advance_declare(struct dbl_locks *locks, const char *name,
			const struct dbl_snapshot *snapshot, enum dbl_action action,
			int64_t deadline, struct dblock_error *err)
{
	struct dbl_value args[] = {
		dbl_text(name), dbl_int(snapshot->token),
		dbl_int_if(snapshot->held_until, snapshot->expires),
		dbl_int(action == DBL_END_LEASE ? DBLOCK_EVENT_EXPIRED : DBLOCK_EVENT_FREED),
		DBL_BY(locks->host)};
	struct dbl_request request = {
		.op = DBL_OP_row_end, .args = DBL_ARGS(args), .deadline = deadline};
	const struct dbl_asker by = {.link = locks->link, .locks = locks};

	DBL_ASSERT(action == DBL_DECLARE_DEAD || action == DBL_END_LEASE ||
			   action == DBL_END_REVOKED,
		   "%d", (int)action);
	DBL_ASSERT(snapshot->token > 0, "%lld",
		   (long long)snapshot->token); /* of a row that holds the lock */
	if (action == DBL_DECLARE_DEAD)
		return dbl_declare(&by, name, snapshot, action, deadline, err);
	return dbl_link_run(locks->link, &request, err);
}

bool dbl_advance_find_expired(struct dbl_locks *locks, const struct dbl_queue *queue,
			      struct dbl_snapshot *snapshot)
{
	unsigned n = dbl_queue_holders(queue);
	bool agrees = dbl_session_clock_agrees(locks->session, &queue->clock);

	for (unsigned i = 0; i < n; i++) {
		dbl_row_snapshot(queue, &queue->rows[i], snapshot);
		if (dbl_judge_now(snapshot, agrees) == DBL_DECLARE_DEAD)
			return true;
	}
	return false;
}

/* One round. DBLOCK_BUSY: somebody holds the lock. DBLOCK_WAITING: another round is needed. */
static int clear(struct dbl_locks *locks, const char *name, struct dbl_queue *queue,
		 int64_t deadline, struct dblock_error *err)
{
	struct dbl_snapshot snapshot;
	struct dbl_decision decision;
	struct dbl_advanced advanced;
	int rc = dbl_queue_read(locks, name, deadline, queue, err);

	if (rc)
		return rc;
	dbl_policy_decide(queue, &decision);
	if (decision.what == DBL_DECIDE_EXPEL || decision.what == DBL_DECIDE_NAME)
		rc = dbl_advance_by(locks, name, queue, &decision, 0, deadline, &advanced, err);
	else if (dbl_queue_holders(queue) == 0)
		return 0;
	else if (dbl_advance_find_expired(locks, queue, &snapshot))
		rc = dbl_advance_declare(locks, name, &snapshot, DBL_DECLARE_DEAD, deadline, err);
	else
		rc = DBLOCK_BUSY;
	return rc ? rc : DBLOCK_WAITING;
}

int dbl_advance_clear(struct dbl_locks *locks, const char *name, struct dbl_queue *queue,
		      int64_t deadline, struct dblock_error *err)
{
	int rc = DBLOCK_WAITING;

	for (int round = 0; round < ROUNDS && rc == DBLOCK_WAITING; round++)
		rc = clear(locks, name, queue, deadline, err);
	/* Somebody has a row locked, perhaps for a heartbeat: the lock counts as busy, for now. */
	if (rc == DBLOCK_E_BLOCKED || rc == DBLOCK_WAITING)
		rc = DBLOCK_BUSY;
	if (rc == DBLOCK_BUSY)
		dbl_queue_tell(queue, name, err, DBLOCK_BUSY);
	return rc;
}
