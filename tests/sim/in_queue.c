/* SPDX-License-Identifier: MIT */
#include "sim/in_queue.h"

#include <stdio.h>
#include <string.h>

#include <dblock/lock.h>

#include "driver/value.h"
#include "lock/queue/queue.h"
#include "sim/check.h"
#include "sim/client.h"
#include "sim/world.h"

/* The columns that matter here of the operations join and line. */
enum { SIGHT_TICKET = 16 };
enum { LINE_NONCE = 5, LINE_UPGRADES = 9, LINE_TOKEN = 11, LINE_DEAD = 13 };

/* Of two ranks that differ by less nobody knows which is the smaller. */
#define RANKS_APART_US 1000000

static int n_waits(const struct queue_rows *queue)
{
	return queue->n_waits < WAITS_MAX ? queue->n_waits : WAITS_MAX;
}

/* ---- who joins ------------------------------------------------------------------------------ */

static void joined(struct world *w, const struct letter *l, int name)
{
	bool at_once = l->op != DBL_OP_enqueue;
	int64_t ticket = l->values[l->op == DBL_OP_join ? SIGHT_TICKET : 0].i;
	struct queue_rows *queue = &w->history.queue;
	int at = queue->n_waits++ % WAITS_MAX;

	queue->waits[at].name = name;
	queue->waits[at].nonce = l->args[1].i;
	queue->waits[at].ticket = ticket;
	queue->waits[at].priority = at_once ? 0 : l->args[15].i;
	queue->waits[at].since = w->now;
	if (queue->waits[at].priority)
		COUNT(w, prioritised);
	snprintf(queue->waits[at].session, sizeof(queue->waits[at].session), "%.*s",
		 (int)l->args[2].len, l->args[2].text);
	queue->waits[at].announced = at_once;
	queue->waits[at].silent = l->op == DBL_OP_join_behind;
	queue->waits[at].upgrades = !at_once && l->args[11].type != DBL_NULL;
	queue->waits[at].over = false;
	world_tell(w, l->process, "  the server lets wait %04x join the queue of %s, ticket %lld",
		   (unsigned)l->args[1].i & 0xffff, client_name(name), (long long)ticket);
}

/* A priority counts once somebody has announced one. */
static void announced(struct queue_rows *queue, int name, bool ranked)
{
	for (int i = 0; i < n_waits(queue); i++) {
		if (queue->waits[i].name != name || (queue->waits[i].priority && !ranked))
			continue;
		queue->waits[i].announced = true;
		queue->waits[i].silent = false;
	}
}

/* Notes that a call was shown an upgrade of somebody else who lives. */
static void shown(const struct letter *l)
{
	struct coroutine *co = l->sender;

	if (!co || !co->upgrading)
		return;
	for (size_t at = 0; at < l->n_values; at += l->columns) {
		const struct dbl_value *row = &l->values[at];

		if (row[LINE_UPGRADES].type != DBL_NULL && row[LINE_TOKEN].type == DBL_NULL &&
		    row[LINE_UPGRADES].i != co->upgrading && row[LINE_DEAD].i == 0)
			co->saw_upgrade = true;
	}
}

/* A grant goes by the queue as it was read. A waiter that has joined since, and not announced
 * itself (perhaps since two others stood there, who are dead by then), is passed over, finds that
 * out, and joins anew; also if those that were read are dead by now, and get nothing. */
static void decided(struct queue_rows *queue, int name, int64_t served)
{
	for (int i = 0; i < n_waits(queue); i++) {
		if (queue->waits[i].name == name &&
		    (!queue->waits[i].announced || queue->waits[i].silent) &&
		    queue->waits[i].ticket < served)
			queue->waits[i].over = true;
	}
}

void line_carried_out(struct world *w, const struct letter *l)
{
	int name;

	bool joins = l->op == DBL_OP_enqueue || l->op == DBL_OP_join || l->op == DBL_OP_join_behind;

	if (!joins && l->op != DBL_OP_announce && l->op != DBL_OP_line && l->op != DBL_OP_grant)
		return;
	name = client_name_index(l->args[0].text, l->args[0].len);
	if (l->op == DBL_OP_grant && !l->second && l->changed > 0)
		decided(&w->history.queue, name, l->args[6].i);
	if (l->op == DBL_OP_join_behind && l->n_values > 0)
		COUNT(w, joined_behind);
	if (joins && l->n_values > 0)
		joined(w, l, name);
	else if (l->op == DBL_OP_announce && l->changed > 0)
		announced(&w->history.queue, name, l->args[1].i == DBL_HAS_JOINED_RANKED);
	else if (l->op == DBL_OP_line)
		shown(l);
}

/* ---- who looks expired ---------------------------------------------------------------------- */

void line_before(struct world *w, const struct letter *l)
{
	struct queue_rows *queue = &w->history.queue;
	char *name;

	/* A statement that opens a session counts as a heartbeat as well, if it comes twice. */
	if ((l->op != DBL_OP_heartbeat && l->op != DBL_OP_session_open) || w->regime != STEADY)
		return;
	if (database_ask_about(w->servers,
			       "SELECT count(*) FROM dblock_session "
			       "WHERE id = $1 AND expires <= $boot",
			       l->args, 1) == 0)
		return;
	name = queue->revived[queue->n_revived++ % REVIVALS_MAX];
	snprintf(name, 33, "%.*s", (int)l->args[0].len, l->args[0].text);
}

static bool was_revived(const struct queue_rows *queue, const char *session)
{
	for (int i = 0; i < queue->n_revived && i < REVIVALS_MAX; i++) {
		if (strcmp(queue->revived[i], session) == 0)
			return true;
	}
	return false;
}

/* ---- who is granted it ---------------------------------------------------------------------- */

/* (One of several names may have been left before the others.) */
static bool waits_still(struct world *w, int name, int64_t nonce)
{
	struct dbl_value args[] = {dbl_int(nonce), dbl_text(client_name(name))};

	return database_ask_about(w->servers,
				  "SELECT count(*) FROM dblock_queue q "
				  "JOIN dblock_session s ON s.id = q.session "
				  "LEFT JOIN dblock_lock l ON l.name = q.name WHERE q.nonce = $1 "
				  "AND q.name = $2 "
				  "AND q.token IS NULL AND NOT s.dead AND s.expires > $boot "
				  /* Who waits in vain is passed over. */
				  "AND NOT (q.mode = 3 AND coalesce(l.capacity, 0) > 0 "
				  "AND (q.weight > l.capacity "
				  "OR coalesce(q.capacity, l.capacity) <> l.capacity))",
				  args, 2) > 0;
}

/* Where all are granted by ranks who is passed over stays where it is. */
static bool has_lost_its_place(struct world *w, int name, int64_t ticket)
{
	struct dbl_value args[] = {dbl_text(client_name(name)), dbl_int(ticket)};

	return database_ask_about(
		       w->servers,
		       "SELECT count(*) FROM dblock_lock WHERE name = $1 AND served >= $2", args,
		       2) > 0;
}

static int64_t rank_of(const struct queue_rows *queue, int wait)
{
	return queue->waits[wait].since -
	       queue->waits[wait].priority * DBLOCK_PRIORITY_AGE_MS * 1000;
}

/* Is the one to be granted the lock before the other? (-1: before who did not stand in the queue.) */
static bool is_before(const struct queue_rows *queue, int one, int other)
{
	if (other < 0)
		return true;
	if (queue->waits[one].priority == queue->waits[other].priority)
		return queue->waits[one].ticket < queue->waits[other].ticket;
	/* A decision that was read before it joined is not undone by that; it waits on. */
	return queue->waits[one].announced && !queue->waits[one].silent &&
	       rank_of(queue, one) + RANKS_APART_US < rank_of(queue, other);
}

static void passed_by(struct world *w, int name, int other)
{
	struct queue_rows *queue = &w->history.queue;

	if (w->regime != STEADY)
		return;
	for (int i = 0; i < n_waits(queue); i++) {
		if (queue->waits[i].name != name || queue->waits[i].over ||
		    queue->waits[i].upgrades || !is_before(queue, i, other))
			continue;
		queue->waits[i].over = has_lost_its_place(w, name, queue->waits[i].ticket);
		if (queue->waits[i].announced && waits_still(w, name, queue->waits[i].nonce) &&
		    !was_revived(queue, queue->waits[i].session))
			world_break(w, "C6",
				    "%s: ticket %lld, priority %d, stands in the queue, and is "
				    "passed over by %lld, priority %d",
				    client_name(name), (long long)queue->waits[i].ticket,
				    (int)queue->waits[i].priority,
				    other < 0 ? 0LL : (long long)queue->waits[other].ticket,
				    other < 0 ? 0 : (int)queue->waits[other].priority);
	}
}

void line_passed(struct world *w, int name)
{
	passed_by(w, name, -1);
}

void line_granted(struct world *w, int name, int64_t nonce)
{
	struct queue_rows *queue = &w->history.queue;

	for (int i = 0; i < n_waits(queue); i++) {
		if (queue->waits[i].name != name || queue->waits[i].nonce != nonce)
			continue;
		queue->waits[i].over = true;
		/* Only an upgrade can have had the lock before others. */
		if (!queue->waits[i].upgrades)
			passed_by(w, name, i);
	}
}
