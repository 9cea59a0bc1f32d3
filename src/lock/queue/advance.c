/* SPDX-License-Identifier: MIT */
#include "lock/queue/advance.h"

#include <stdio.h>

#include "lock/core/value.h"
#include "lock/queue/queue.h"

/* Each round somebody gets on; who would go on for longer is a busy lock's only servant. */
#define ROUNDS 16

/* ---- granting -----------------------------------------------------------------------------------
 */

/* Rows come while the connection is locked: they are copied, and rung afterwards. */
struct granted {
	struct {
		int64_t nonce, token;
		char bell[DBL_BELL_TEXT_MAX];
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
	dbl_copy_text(granted->all[granted->n].bell, DBL_BELL_TEXT_MAX, &row[2]);
	granted->n++;
	return 0;
}

/* "12,13,17": their tickets, and then their nonces. Leaving by itself does not change the version;
 * on SQLite, where tickets are drawn by the clock, one that was set back might give the next who
 * joins the ticket of one who has left. */
static void write_tickets(const struct dbl_line *line, const struct dbl_plan *plan, char *text,
			  size_t size)
{
	size_t used = 0;

	for (unsigned i = 0; i < plan->n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? "," : "",
					 (long long)line->rows[plan->grants[i]].ticket);
	for (unsigned i = 0; i < plan->n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, ",%lld",
					 (long long)line->rows[plan->grants[i]].nonce);
}

/* In the order of the line, above all that was granted before. */
static bool tokens_grow(const struct granted *granted, int64_t token)
{
	for (unsigned i = 0; i < granted->n; i++) {
		if (granted->all[i].token <= token)
			return false;
	}
	return true;
}

static void ring_all(struct dbl_locks *locks, const struct granted *granted, int64_t nonce,
		     struct dbl_served *served)
{
	for (unsigned i = 0; i < granted->n; i++) {
		if (granted->all[i].nonce == nonce)
			served->token = granted->all[i].token;
		else
			dbl_bells_ring(locks, granted->all[i].bell, granted->all[i].nonce,
				       granted->all[i].token);
	}
}

/* Tokens grow by the database's clock, and are given in order of the line. */
void dbl_serve_grant_args(const char *name, const struct dbl_line *line,
			  const struct dbl_plan *plan, char tickets[DBL_TICKETS_MAX],
			  struct dbl_value args[DBL_GRANT_ARGS])
{
	int64_t first = line->token < line->now ? line->now : line->token + 1;

	DBL_ASSERT(plan->what == DBL_PLAN_GRANT && plan->n > 0, "what %d, %u", (int)plan->what,
		   plan->n);
	write_tickets(line, plan, tickets, DBL_TICKETS_MAX);
	args[0] = dbl_text(name);
	args[1] = dbl_int(line->version);
	args[2] = dbl_int(line->token);
	args[3] = dbl_int(first);
	args[4] = dbl_int(first + plan->n - 1);
	args[5] = dbl_text(tickets);
	args[6] = dbl_int(plan->served);
	args[7] = dbl_int(plan->others);
}

static int grant(struct dbl_locks *locks, const char *name, const struct dbl_line *line,
		 const struct dbl_plan *plan, int64_t nonce, int64_t deadline,
		 struct dbl_served *served, struct dblock_error *err)
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

	dbl_serve_grant_args(name, line, plan, tickets, args);
	rc = dbl_link_run(locks->link, &request, err);
	served->done = rc == 0 && request.changed > 0;
	DBL_ASSERT(rc || granted.n <= plan->n, "%u of %u", granted.n, plan->n);
	DBL_ASSERT(rc || tokens_grow(&granted, line->token), "above %lld", (long long)line->token);
	if (rc == 0)
		ring_all(locks, &granted, nonce, served);
	return rc;
}

static int hand_over(struct dbl_locks *locks, const char *name, const struct dbl_line *line,
		     int64_t nonce, int64_t deadline, struct dbl_served *served,
		     struct dblock_error *err)
{
	struct dbl_winner winner;
	int rc = dbl_hand_over(locks, name, line->token, DBL_NOBODYS, deadline, &winner, err);

	served->done = winner.done;
	if (winner.done && nonce && winner.nonce == nonce)
		served->token = winner.token;
	return rc;
}

static int run_on_name(struct dbl_locks *locks, enum dbl_op op, const char *name, int64_t deadline,
		       struct dblock_error *err)
{
	struct dbl_value arg = dbl_text(name);
	struct dbl_request request = {.op = op, .args = DBL_ARG(arg), .deadline = deadline};

	return dbl_link_run(locks->link, &request, err);
}

static void ring_group(struct dbl_locks *locks, const struct dbl_row *row)
{
	DBL_ASSERT(!dbl_row_holds(row) && row->names > 1, "%lld", (long long)row->names);
	dbl_bells_ring(locks, row->bell, row->nonce, DBL_RING_LOOK);
}

int dbl_serve_plan(struct dbl_locks *locks, const char *name, const struct dbl_line *line,
		   const struct dbl_plan *plan, int64_t nonce, int64_t deadline,
		   struct dbl_served *served, struct dblock_error *err)
{
	*served = (struct dbl_served){.token = 0};
	switch (plan->what) {
	case DBL_PLAN_NAME:
		return run_on_name(locks, DBL_OP_name_new, name, deadline, err);
	case DBL_PLAN_EXPEL:
		return run_on_name(locks, DBL_OP_expel, name, deadline, err);
	case DBL_PLAN_RING:
		served->done = true;
		ring_group(locks, &line->rows[plan->grants[0]]);
		return 0;
	case DBL_PLAN_HAND_OVER:
		return hand_over(locks, name, line, nonce, deadline, served, err);
	case DBL_PLAN_GRANT:
		return grant(locks, name, line, plan, nonce, deadline, served, err);
	default:
		served->done = true;
		return 0;
	}
}

int dbl_serve(struct dbl_locks *locks, const char *name, int64_t deadline, struct dblock_error *err)
{
	struct dbl_line line = {.n = 0};
	struct dbl_plan plan;
	struct dbl_served served;
	int rc;

	for (int round = 0; round < ROUNDS; round++) {
		rc = dbl_line_read(locks, name, deadline, &line, err);
		if (rc)
			break;
		dbl_plan_make(&line, &plan);
		if (plan.what == DBL_PLAN_NOTHING || plan.what == DBL_PLAN_NAME)
			break;
		rc = dbl_serve_plan(locks, name, &line, &plan, 0, deadline, &served, err);
		if (rc || plan.what == DBL_PLAN_RING)
			break;
	}
	dbl_line_free(&line);
	return rc;
}

/* ---- holders that are over ----------------------------------------------------------------------
 */

int dbl_serve_declare(struct dbl_locks *locks, const char *name, const struct dbl_sight *sight,
		      enum dbl_verdict verdict, int64_t deadline, struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(name), dbl_int(sight->token),
				   dbl_int_if(sight->held_until, sight->expires)};
	struct dbl_request request = {
		.op = DBL_OP_row_end, .args = DBL_ARGS(args), .deadline = deadline};
	const struct dbl_asker by = {.link = locks->link};

	DBL_ASSERT(verdict == DBL_BURY || verdict == DBL_END_LEASE || verdict == DBL_END_REVOKED,
		   "%d", (int)verdict);
	DBL_ASSERT(sight->token > 0, "%lld", (long long)sight->token); /* of a row that holds */
	if (verdict == DBL_BURY)
		return dbl_declare(&by, name, sight, verdict, deadline, err);
	return dbl_link_run(locks->link, &request, err);
}

bool dbl_serve_find_expired(struct dbl_locks *locks, const struct dbl_line *line,
			    struct dbl_sight *sight)
{
	unsigned n = dbl_line_holders(line);
	bool agrees = dbl_session_clock_agrees(locks->session, &line->clock);

	for (unsigned i = 0; i < n; i++) {
		dbl_row_sight(line, &line->rows[i], sight);
		if (dbl_judge_now(sight, agrees) == DBL_BURY)
			return true;
	}
	return false;
}

/* One round. DBLOCK_BUSY: somebody holds it. DBLOCK_WAITING: look again. */
static int clear(struct dbl_locks *locks, const char *name, struct dbl_line *line, int64_t deadline,
		 struct dblock_error *err)
{
	struct dbl_sight sight;
	struct dbl_plan plan;
	struct dbl_served served;
	int rc = dbl_line_read(locks, name, deadline, line, err);

	if (rc)
		return rc;
	dbl_plan_make(line, &plan);
	if (plan.what == DBL_PLAN_EXPEL || plan.what == DBL_PLAN_NAME)
		rc = dbl_serve_plan(locks, name, line, &plan, 0, deadline, &served, err);
	else if (dbl_line_holders(line) == 0)
		return 0;
	else if (dbl_serve_find_expired(locks, line, &sight))
		rc = dbl_serve_declare(locks, name, &sight, DBL_BURY, deadline, err);
	else
		rc = DBLOCK_BUSY;
	return rc ? rc : DBLOCK_WAITING;
}

int dbl_serve_clear(struct dbl_locks *locks, const char *name, struct dbl_line *line,
		    int64_t deadline, struct dblock_error *err)
{
	int rc = DBLOCK_WAITING;

	for (int round = 0; round < ROUNDS && rc == DBLOCK_WAITING; round++)
		rc = clear(locks, name, line, deadline, err);
	/* Somebody has a row locked, perhaps to beat: it is busy, for now. */
	if (rc == DBLOCK_E_LOCKED || rc == DBLOCK_WAITING)
		rc = DBLOCK_BUSY;
	if (rc == DBLOCK_BUSY)
		dbl_line_tell(line, name, err, DBLOCK_BUSY);
	return rc;
}
