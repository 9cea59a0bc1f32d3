/* SPDX-License-Identifier: MIT */
/* The server's end: connections, transactions, locked rows, restarts. */
#include <string.h>

#include "sim/batch.h"
#include "sim/history.h"
#include "sim/network_own.h"
#include "sim/schedule.h"

/* A transaction in which nothing happens for so long is rolled back, its connection closed. */
#define IDLE_US INT64_C(500000)
/* A statement waits for so long for another transaction. */
#define PATIENCE_US INT64_C(300000)

/* ---- the clock ------------------------------------------------------------------------------ */

int64_t database_now(const struct server *s)
{
	int64_t now = s->world->now;

	return s->clock.origin + now + now * s->clock.ppm / 1000000 + s->clock.set;
}

int64_t database_wall(const struct server *s)
{
	return s->clock.epoch + database_now(s);
}

static int64_t refuse_locked(struct letter *l)
{
	l->rc = DBLOCK_E_BLOCKED;
	l->message = "locked by an open transaction";
	return 0;
}

/* ---- transactions --------------------------------------------------------------------------- */

static void roll_back(struct world *w, struct server *s)
{
	database_rollback(s);
	history_rolled_back(w, s);
	s->network.owner = 0;
}

static void end_idle(struct world *w, void *what, uint64_t turn)
{
	struct server *s = what;

	if (s->network.owner != 0 && s->network.turns == turn)
		roll_back(w, s);
}

static void take_turn(struct world *w, struct server *s)
{
	schedule_event(w, w->now + IDLE_US, end_idle, s, ++s->network.turns);
}

static void begin(struct world *w, const struct letter *l)
{
	database_begin(l->to);
	l->to->network.owner = l->conn;
	take_turn(w, l->to);
}

static void end(struct world *w, const struct letter *l)
{
	if (l->to->network.owner != l->conn)
		return;
	if (l->op != DBL_OP_tx_commit) {
		roll_back(w, l->to);
		return;
	}
	database_commit(l->to);
	history_committed(w, l->to);
	l->to->network.owner = 0;
}

/* ---- statements ----------------------------------------------------------------------------- */

/* Tells whether it writes the row of a lock: then args[0] is its name. */
static bool writes_lock(const struct letter *l)
{
	int op = l->op;

	if (l->second || op == DBL_OP_join)
		return l->second && op == DBL_OP_join;
	return op == DBL_OP_quorum_vote || op == DBL_OP_quorum_raise || op == DBL_OP_grant ||
	       op == DBL_OP_downgrade || (op == DBL_OP_acquire && !l->reads) ||
	       op == DBL_OP_release || op == DBL_OP_give_back ||
	       (letter_hands_over(l) && !l->reads) || op == DBL_OP_announce ||
	       op == DBL_OP_extend || op == DBL_OP_reentry || op == DBL_OP_lease_end ||
	       op == DBL_OP_break;
}

/* Tells whether the name is in the range from args[0] up to args[1]. */
static bool is_in_range(const struct letter *l, const char *name)
{
	return strncmp(name, l->args[0].text, l->args[0].len) >= 0 &&
	       strncmp(name, l->args[1].text, l->args[1].len) <= 0;
}

static bool is_row_locked(const struct world *w, const struct letter *l)
{
	const struct network *network = &l->to->network;
	const char *name = network->locked_name;

	if (network->locked_until > w->now && l->op == DBL_OP_reap_free)
		return is_in_range(l, name);
	if (l->op == DBL_OP_purge_delete || batch_is(l)) /* of any names */
		return network->locked_until > w->now;
	return network->locked_until > w->now && writes_lock(l) && l->args[0].len == strlen(name) &&
	       memcmp(l->args[0].text, name, l->args[0].len) == 0;
}

static void connect_to(struct letter *l)
{
	l->conn = ++l->to->network.conns;
	l->start = l->to->network.starts;
}

static void run(struct world *w, struct letter *l)
{
	if (l->in_transaction)
		take_turn(w, l->to);
	COUNT(w, statements);
	w->kind->before(w, l);
	database_run(l);
	if (l->rc)
		world_break(w, "SQL", "%s: %s",
			    l->op < DBL_OP_COUNT ? dbl_ops[l->op].name : "a script", l->message);
	else if (l->in_transaction)
		history_pending(w, l);
	else
		w->kind->carried_out(w, l);
}

int64_t server_take(struct world *w, struct letter *l)
{
	uint64_t owner = l->to->network.owner;

	if (owner && owner != l->conn && l->op != LETTER_CONNECT && l->op != DBL_OP_setup) {
		int64_t wait = rng_between(&w->rng, 500, 4000);

		l->waited += wait;
		return l->waited < PATIENCE_US ? wait : refuse_locked(l);
	}
	if (is_row_locked(w, l))
		return refuse_locked(l);
	if (l->op == LETTER_CONNECT)
		connect_to(l);
	else if (l->op == DBL_OP_tx_begin)
		begin(w, l);
	else if (l->op == DBL_OP_tx_commit || l->op == DBL_OP_tx_rollback)
		end(w, l);
	else if (l->op != DBL_OP_setup)
		run(w, l);
	return 0;
}

void network_restart(struct world *w, struct server *s, int64_t until, bool loses)
{
	if (s->network.owner)
		roll_back(w, s);
	s->network.starts++;
	s->network.down_until = until;
	if (loses)
		database_lose(s);
}
