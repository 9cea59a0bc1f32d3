/* SPDX-License-Identifier: MIT */
/* A wait for several names joins all their queues in one transaction; for all of them with one ticket. */
#include "lock/core/value.h"
#include "lock/queue/queue.h"
#include "lock/wait/group.h"
#include "lock/wait/wait_own.h"

/* Gives each wait an epoch, and a note of what it may leave behind in the database. */
static int make_ready(struct dbl_group *g, int64_t by, struct dblock_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < g->n && rc == 0; i++) {
		struct dbl_wait *w = &g->waits[i];

		if (!w->cleanup)
			w->cleanup = dbl_cleanup_new(w->attempt.spec->name);
		if (!w->cleanup)
			return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
		rc = dbl_attempt_live(&w->attempt, by, err);
	}
	return rc;
}

bool dbl_group_one_epoch(const struct dbl_group *g)
{
	for (unsigned i = 1; i < g->n; i++) {
		if (g->waits[i].attempt.epoch != g->waits[0].attempt.epoch)
			return false;
	}
	return true;
}

struct joining {
	struct dbl_group *group;
	int64_t nonce, deadline;
	int64_t ticket; /* the last that was drawn */
	int64_t tickets[DBL_BATCH_MAX];
	char address[DBL_WAKE_ADDRESS_MAX];
	bool dead; /* our own session is */
};

static int add_row(struct joining *j, struct dbl_db *db, unsigned i, struct dblock_error *err)
{
	const struct dbl_wait *w = &j->group->waits[i];
	struct dbl_value args[DBL_ENQUEUE_ARGS];
	int64_t ticket = 0;
	struct dbl_request request = {.op = DBL_OP_enqueue,
				      .args = DBL_ARGS(args),
				      .row = dbl_take_int,
				      .ctx = &ticket,
				      .deadline = j->deadline};
	int rc;

	dbl_enqueue_args(w->attempt.spec, w->attempt.epoch, j->nonce, j->address, args);
	rc = dbl_db_run(db, &request, err);
	j->dead = rc == 0 && ticket == 0;
	j->tickets[i] = ticket;
	if (ticket > j->ticket)
		j->ticket = ticket;
	return j->dead ? DBLOCK_LOST : rc;
}

/* If all are wanted the ticket is one for all names: above what had been served of any. */
static int64_t last_passed(const struct dbl_group *g)
{
	int64_t last = 0;

	for (unsigned i = 0; i < g->n; i++) {
		if (g->waits[i].passed > last)
			last = g->waits[i].passed;
	}
	return last;
}

static int set_ticket(struct joining *j, struct dbl_db *db, unsigned i, int64_t ticket,
		      struct dblock_error *err)
{
	const struct dbl_wait *w = &j->group->waits[i];
	bool same = ticket == j->tickets[i];

	j->tickets[i] = ticket;
	return same ? 0
		    : dbl_ticket_set(db, w->attempt.spec->name, j->nonce, ticket, j->deadline, err);
}

static int add_rows(void *ctx, struct dbl_db *db, struct dblock_error *err)
{
	struct joining *j = ctx;
	struct dbl_group *g = j->group;
	int rc = 0;

	j->ticket = 0;
	for (unsigned i = 0; i < g->n && rc == 0; i++)
		rc = add_row(j, db, i, err);
	if (rc == 0)
		j->ticket = dbl_ticket_above(j->ticket, last_passed(g));
	for (unsigned i = 0; i < g->n && rc == 0; i++)
		rc = set_ticket(j, db, i,
				g->any ? dbl_ticket_above(j->tickets[i], g->waits[i].passed)
				       : j->ticket,
				err);
	return rc;
}

/* Lets the group be notified, since its rows may be in the queues from now on. */
static void stand_in_queue(struct dbl_group *g, int64_t nonce)
{
	dbl_notifier_add(g->locks, &g->waiter, nonce);
	for (unsigned i = 0; i < g->n; i++)
		g->waits[i].waiter.nonce = nonce;
}

/* Removes the rows that a failed join may have added. */
static int not_joined(struct dbl_group *g, const struct joining *j, int rc)
{
	dbl_group_leave(g);
	g->waits[0].barred = rc == DBLOCK_E_BLOCKED;
	if (j->dead)
		dbl_attempt_doubt(&g->waits[0].attempt);
	return j->dead || rc == DBLOCK_E_BLOCKED ? DBLOCK_WAITING : rc;
}

int dbl_group_join(struct dbl_group *g, struct dblock_error *err)
{
	struct joining j = {.group = g, .nonce = dbl_random_id(g->locks->env)};
	int rc;

	j.deadline = dbl_attempt_deadline(&g->waits[0].attempt);
	rc = make_ready(g, j.deadline, err);
	g->waits[0].barred =
		rc == DBLOCK_E_BLOCKED; /* a locked table keeps a new epoch from beginning */
	if (rc)
		return g->waits[0].barred ? DBLOCK_WAITING : rc;
	if (j.nonce == 0 || !dbl_group_one_epoch(g))
		return DBLOCK_WAITING;
	dbl_notifier_address(g->locks, true, NULL, j.address);
	DBL_ASSERT(g->waiter.nonce == 0 && g->begun == g->n); /* it has left the queues */
	stand_in_queue(g, j.nonce);
	g->announced = 0;
	rc = dbl_link_transaction(g->locks->link, add_rows, &j, j.deadline, err);
	DBL_ASSERT(rc || j.ticket > 0, "%lld", (long long)j.ticket);
	for (unsigned i = 0; i < g->n && rc == 0; i++)
		g->waits[i].ticket = j.tickets[i];
	return rc ? not_joined(g, &j, rc) : 0;
}

int dbl_group_announce(struct dbl_group *g, struct dblock_error *err)
{
	for (; g->announced < g->n; g->announced++) {
		struct dbl_wait *w = &g->waits[g->announced];
		int rc = dbl_announce(g->locks, w->attempt.spec->name,
				      dbl_change_of_joining(w->attempt.spec),
				      dbl_attempt_deadline(&w->attempt), &w->why);

		rc = dbl_wait_unless_it_passes(w, rc, &w->why);
		if (rc && rc != DBLOCK_WAITING && err)
			*err = w->why;
		if (rc)
			return rc;
	}
	return 0;
}
