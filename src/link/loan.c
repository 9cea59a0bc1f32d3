/* SPDX-License-Identifier: MIT */
/*
 * A link that has no connection of its own: for each of its turns it borrows that of another link, the
 * lender, whose requests wait meanwhile, and goes before those that wait already. If the lender's turn
 * takes too long, as when the server does not answer, this link opens a connection of its own, and keeps it
 * until dbl_link_round_over(): what follows a heartbeat counts only on the connection of that.
 *
 * Its user is one thread, the heartbeat's, to which it looks as if it had a connection all the time. If the
 * lender has another one than at the last turn, that one was lost meanwhile: it counts as a loss here.
 */
#include "link/own.h"

#include "base/event.h"
#include "sql/tx.h"

/* How long to wait for the turn to close it. */
#define PARK_US 50000

void dbl_link_borrow(struct dbl_link *link, struct dbl_link *lender, int64_t patience)
{
	DBL_ASSERT(!lender->lender && lender->single && lender->durability == link->durability);
	link->lender = lender;
	link->patience = patience;
}

void dbl_loan_take(struct dbl_connection *own, int64_t deadline)
{
	struct dbl_link *link = own->link;
	struct dbl_sender sender = {.urgent = true};
	struct dbl_connection *lent;
	int64_t now, until;

	if (link->on_loan || own->db)
		return;
	lent = &link->lender->connections[0];
	now = dbl_now(link->target->env);
	/* A connection of our own has to be opened in what is left then. */
	until = now + dbl_least(link->patience, (deadline - now) / 2);
	if (dbl_combiner_take(&lent->combiner, &sender, until) != DBL_SEND_LEADS)
		return;
	link->on_loan = true;
	link->lenders_generation = atomic_load(&link->lender->generation);
	own->db = lent->db;
	own->serial = lent->serial;
	own->backend = lent->backend;
	own->of = atomic_load(&link->generation);
	if (own->db && dbl_connection_is_old(lent))
		dbl_db_give_up(own->db);
	lent->db = NULL;
}

void dbl_loan_note(struct dbl_connection *own)
{
	struct dbl_link *link = own->link;

	if (link->seen != own->serial) {
		if (link->seen)
			atomic_fetch_add(&link->losses, 1);
		link->seen = own->serial;
	}
}

/* The lender gets it back, or what is there in its place: perhaps nothing. */
static void put_back(struct dbl_connection *own, struct dbl_connection *lent)
{
	struct dbl_link *link = own->link;

	lent->db = own->db;
	own->db = NULL;
	if (lent->serial == own->serial)
		return;
	if (lent->serial)
		atomic_fetch_add(&link->lender->losses, 1);
	lent->serial = own->serial;
	lent->backend = own->backend;
	lent->of = link->lenders_generation;
	dbl_connection_may_be_cut(lent);
}

void dbl_loan_return(struct dbl_connection *own)
{
	struct dbl_link *link = own->link;
	struct dbl_connection *lent = &link->lender->connections[0];

	if (!own->db)
		own->serial = 0;
	if (link->watched != own->serial)
		dbl_connection_may_be_cut(own);
	link->watched = own->serial;
	if (!link->on_loan)
		return;
	put_back(own, lent);
	link->on_loan = false;
	dbl_combiner_end(&lent->combiner, NULL, 0);
}

void dbl_link_round_over(struct dbl_link *link)
{
	struct dbl_connection *own = &link->connections[0];

	if (!link->lender || !own->db)
		return;
	dbl_connection_close(own);
	link->watched = 0;
}

void dbl_link_park(struct dbl_link *link)
{
	struct dbl_connection *lent = &link->lender->connections[0];
	struct dbl_sender sender = {.urgent = false};

	/* A thread that listens on it gives it up within this time. */
	if (dbl_combiner_take(&lent->combiner, &sender, dbl_now(link->target->env) + PARK_US) !=
	    DBL_SEND_LEADS)
		return;
	/* Whatever was read by it may be out of date when there is one again. */
	if (lent->db)
		atomic_fetch_add(&link->lender->losses, 1);
	dbl_connection_close(lent);
	dbl_connection_close(&link->connections[0]);
	link->watched = 0;
	dbl_combiner_end(&lent->combiner, NULL, 0);
}

/* ---- listening while nobody else uses it ----------------------------------------------------- */

static void set_idler(struct dbl_combiner *combiner, int event)
{
	dbl_lock(&combiner->mutex);
	combiner->idler = event;
	if (combiner->first)
		dbl_event_set(event);
	dbl_unlock(&combiner->mutex);
}

int dbl_link_idle(struct dbl_link *link, int event, int64_t deadline, struct dbl_db **db,
		  uint64_t *serial)
{
	struct dbl_connection *connection = &link->connections[0];
	int rc = dbl_connection_enter(connection, deadline, NULL);

	if (rc)
		return rc;
	rc = dbl_connection_ensure(connection, deadline, NULL);
	if (rc) {
		dbl_connection_leave(connection);
		return rc;
	}
	*db = connection->db;
	*serial = connection->serial;
	set_idler(&connection->combiner, event);
	return 0;
}

void dbl_link_idle_end(struct dbl_link *link)
{
	struct dbl_connection *connection = &link->connections[0];

	set_idler(&connection->combiner, -1);
	dbl_connection_leave(connection);
}
