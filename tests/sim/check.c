/* SPDX-License-Identifier: MIT */
#include "sim/check.h"

#include <string.h>

#include "lock/locks.h"
#include "sim/client.h"
#include "sim/world.h"

/* No session lives for longer without a heartbeat, on the slowest clock. */
#define SESSION_MAX_US (PROCESS_TTL_MAX_MS * 1000 * 11 / 10)

/* ---- what the clients believe --------------------------------------------------------------- */

int64_t check_deadline(const struct dblock_lock *lock)
{
	return atomic_load(lock->has_lease ? &lock->lease.deadline : &lock->life->term.deadline);
}

bool check_is_valid(const struct process *p, const struct dblock_lock *lock)
{
	int64_t deadline = check_deadline(lock);

	return deadline != 0 && process_clock(p) < deadline && dbl_sm_now(&lock->state) == DBL_HELD;
}

/* After its burial a session must not get any lock. */
static bool was_buried_by_try(const struct history *h, const struct belief *b)
{
	for (int i = 0; i < h->n_buried && i < BURIALS_MAX; i++) {
		if (strcmp(h->buried[i].session, b->session) == 0)
			return b->grant - h->grants < h->buried[i].n_grants;
	}
	return false;
}

/* The grant itself may be lost, or the heartbeat that keeps it: until the next one its session
 * looks older than it is. */
static bool was_touched_by_loss(const struct world *w, const struct belief *b)
{
	return b->grant->losses != w->history.losses ||
	       w->now - w->history.last_loss < SESSION_MAX_US;
}

/* A later grant stands beside it. Was that never promised away? */
static bool may_overlap(const struct world *w, const struct belief *older)
{
	if (older->grant->revoked)
		return true;
	if (w->history.losses > 0 && was_touched_by_loss(w, older))
		return true;
	/* Leases, and burials by a try, go by the database's clock. */
	return w->regime == CLOCKS && (!older->session[0] || was_buried_by_try(&w->history, older));
}

static void check_pair(struct world *w, struct belief *a, struct belief *b)
{
	struct belief *older = a->token < b->token ? a : b;

	if (older->excused)
		return;
	if (!may_overlap(w, older)) {
		world_break(w, "C2", "%s is held twice: token %lld by process %d, %lld by %d",
			    client_name(a->name), (long long)a->token, a->process->number,
			    (long long)b->token, b->process->number);
		return;
	}
	older->excused = true;
	if (!older->grant->revoked)
		COUNT(w, overlaps_allowed);
}

/* Mostly somebody in the process looks at once, as who works under a lock should. */
static void look(struct world *w, struct belief *b)
{
	if (b->process->stopped_until > w->now || rng_one_in(&w->rng, 4))
		return;
	b->seen_over = true;
	/* As dblock_valid(), which also asks what process it is in: here it is none. */
	if (dbl_grant_left(b->lock) > 0)
		world_break(w, "C12", "%s (token %lld) says it is valid after its deadline",
			    client_name(b->name), (long long)b->token);
}

/* Until somebody has looked, an answer that came in time may still prolong it, though its thread
 * was kept from doing so: the server has been asked in time. */
static void check_belief(struct world *w, struct belief *b)
{
	bool over = !check_is_valid(b->process, b->lock);

	if (over && !b->over) {
		COUNT(w, believed_lost);
		world_tell(w, b->process, "%s (token %lld) is not valid any more",
			   client_name(b->name), (long long)b->token);
		look(w, b);
	}
	if (!over && b->seen_over)
		world_break(w, "C12", "%s (token %lld) is valid again in process %d",
			    client_name(b->name), (long long)b->token, b->process->number);
	b->over = over;
}

void check_beliefs(struct world *w)
{
	struct history *h = &w->history;

	for (int i = 0; i < h->n_held; i++) {
		if (h->held[i].depth > 0)
			check_belief(w, &h->held[i]);
		for (int j = 0; j < i && history_counts(&h->held[i]); j++) {
			if (h->held[j].name == h->held[i].name && history_counts(&h->held[j]))
				check_pair(w, &h->held[j], &h->held[i]);
		}
	}
}

void check_told(struct world *w, const struct belief *b)
{
	if (b->told)
		world_break(w, "C12", "%s (token %lld) is lost twice", client_name(b->name),
			    (long long)b->token);
	if (check_is_valid(b->process, b->lock))
		world_break(w, "C12", "%s (token %lld) is told lost, and is valid",
			    client_name(b->name), (long long)b->token);
}

/* ---- grants --------------------------------------------------------------------------------- */

void check_acquired(struct world *w, const struct belief *b, int64_t before)
{
	if (!b->grant || b->grant->nonce != b->nonce)
		world_break(w, "C11", "%s (token %lld) was never granted by the server",
			    client_name(b->name), (long long)b->token);
	/* Not "<=": of two threads with one owner, one may re-enter while the other releases. */
	if (b->token < before)
		world_break(w, "C3", "%s: token %lld was given after %lld", client_name(b->name),
			    (long long)b->token, (long long)before);
}

void check_reentered(struct world *w, const struct belief *b)
{
	if (b->thread && b->thread != coroutine_self()->id)
		world_break(w, "C8", "%s (token %lld) is re-entered by another thread",
			    client_name(b->name), (long long)b->token);
}

void check_granted(struct world *w, const struct grant *grant)
{
	int64_t last = w->history.names[grant->name].token;

	if (grant->token == last)
		world_break(w, "C1", "%s: token %lld is granted twice", client_name(grant->name),
			    (long long)last);
	if (grant->token < last)
		world_break(w, "C3", "%s: token %lld is granted after %lld",
			    client_name(grant->name), (long long)grant->token, (long long)last);
}

void check_given_back(struct world *w, int name, int64_t nonce)
{
	struct history *h = &w->history;

	for (int i = 0; i < h->n_held; i++) {
		if (h->held[i].name == name && h->held[i].nonce == nonce &&
		    history_counts(&h->held[i]))
			world_break(w, "C11", "%s (token %lld) is taken from its holder",
				    client_name(name), (long long)h->held[i].token);
	}
}

void check_write(struct world *w, int name, int64_t token, int64_t nonce)
{
	if (token == w->history.names[name].guard_token &&
	    nonce != w->history.names[name].guard_nonce)
		world_break(w, "C4", "%s: two grants write with token %lld", client_name(name),
			    (long long)token);
}

void check_released(struct world *w, const struct belief *was, int rc, bool valid)
{
	if (rc == DBLOCK_OK && was->seen_over)
		world_break(w, "C8", "%s (token %lld) was lost, and its release said OK",
			    client_name(was->name), (long long)was->token);
	/* The database may know of a loss that the holder does not: then it was revoked, or belongs
	 * to what is not promised. */
	if (rc == DBLOCK_LOST && valid && !may_overlap(w, was))
		world_break(w, "C8", "%s (token %lld) was held, and its release said LOST",
			    client_name(was->name), (long long)was->token);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void check_living(struct world *w)
{
	int alive = 0;
	int64_t beating = database_ask(w, "SELECT count(*) FROM dblock_session "
					  "WHERE NOT dead AND expires > $boot");

	for (int i = 0; i < w->n_processes; i++)
		alive += w->processes[i].idle;
	if (beating != alive)
		world_break(w, "C10", "%d clients are open, %lld sessions beat", alive,
			    (long long)beating);
}

void check_quiet(struct world *w)
{
	char names[100];

	database_ask_text(w,
			  "SELECT l.name FROM dblock_lock l JOIN dblock_session s "
			  "ON s.id = l.session AND NOT s.dead AND s.expires > $boot",
			  names, sizeof(names));
	/* A release whose commit was lost: its client does not look whether the server still knows
	 * of it. It ends with the session. */
	if (names[0] && w->history.losses > 0)
		COUNT(w, releases_undone);
	else if (names[0])
		world_break(w, "C13", "a living session holds what nobody has: %s", names);
	check_living(w);
}

void check_no_residue(struct world *w)
{
	char names[100];

	database_ask_text(w,
			  "SELECT name FROM dblock_lock WHERE session IS NOT NULL "
			  "OR expires IS NOT NULL OR nonce <> 0",
			  names, sizeof(names));
	if (names[0])
		world_break(w, "C13", "held by nobody, for ever: %s", names);
	database_ask_text(w,
			  "SELECT w.name || ' of ' || w.session || ', ticket ' || w.ticket || "
			  "coalesce(', dead ' || s.dead, ', unknown') "
			  "FROM dblock_queue w LEFT JOIN dblock_session s ON s.id = w.session "
			  "WHERE s.id IS NULL OR s.dead",
			  names, sizeof(names));
	if (names[0])
		world_break(w, "C13", "somebody who is gone is left in a line: %s", names);
	if (database_ask(w, "SELECT count(*) FROM dblock_session") != 1)
		world_break(w, "C13", "sessions of clients that are gone are left");
}
