/* SPDX-License-Identifier: MIT */
#include "sim/check.h"

#include <dblock/pool.h>
#include <string.h>

#include "api/client.h"
#include "driver/value.h"
#include "lock/handle/own.h"
#include "sim/client.h"
#include "sim/take.h"
#include "sim/world.h"

/* No session lives for longer than this without a heartbeat, even on the slowest clock. */
#define SESSION_MAX_US (PROCESS_TTL_MAX_MS * 1000 * 11 / 10)

/* ---- what the clients believe --------------------------------------------------------------- */

int64_t check_deadline(const struct dblock_lock *lock)
{
	return atomic_load(lock->grant.has_lease ? &lock->grant.lease.deadline
						 : &lock->grant.epoch->validity.deadline);
}

bool check_is_valid(const struct process *p, const struct dblock_lock *lock)
{
	int64_t deadline = check_deadline(lock);

	return deadline != 0 && process_clock(p) < deadline && dbl_sm_now(&lock->state) == DBL_HELD;
}

/* A session that was declared dead must not get any lock. */
static bool was_declared_dead_by_try(const struct history *h, const struct belief *b)
{
	for (int i = 0; i < h->n_declared_dead && i < BURIALS_MAX; i++) {
		if (strcmp(h->buried[i].session, b->session) == 0)
			return b->grant - h->grants < h->buried[i].n_grants;
	}
	return false;
}

/* The grant itself may be lost, or the heartbeat that keeps it: until the next heartbeat its
 * session looks older than it is. */
static bool was_touched_by_loss(const struct world *w, const struct belief *b)
{
	return b->grant->losses != w->history.losses ||
	       w->now - w->history.last_loss < SESSION_MAX_US;
}

/* The upgrade was granted, and ended by somebody, before the call returned. */
static bool was_upgraded_and_revoked(struct world *w, const struct belief *b)
{
	const struct grant *grant =
		b->changing ? history_grant(w, b->name, b->lock->grant.token) : NULL;

	return grant && grant->revoked;
}

/* A later grant stands beside it. Tells whether that was never promised away. */
bool check_may_overlap(struct world *w, const struct belief *older)
{
	if (older->grant->revoked || was_upgraded_and_revoked(w, older))
		return true;
	if (take_is_unheard(older))
		return true;
	if (w->history.losses > 0 && was_touched_by_loss(w, older))
		return true;
	/* The ends of leases, and a try that declares dead, go by the database's clock. */
	return w->regime == CLOCKS &&
	       (!older->session[0] || was_declared_dead_by_try(&w->history, older));
}

/* Tells whether both may be held at one time. */
static bool go_together(const struct belief *a, const struct belief *b)
{
	if (a->mode == DBLOCK_PERMITS && b->mode == DBLOCK_PERMITS)
		return a->process->world->resizes || a->capacity == b->capacity;
	if (a->mode == DBLOCK_SHARED)
		return b->mode == DBLOCK_SHARED || b->mode == DBLOCK_UPDATE;
	return a->mode == DBLOCK_UPDATE && b->mode == DBLOCK_SHARED;
}

static void check_pair(struct world *w, struct belief *a, struct belief *b)
{
	struct belief *older = a->token < b->token ? a : b;

	if (older->excused || go_together(a, b))
		return;
	if (!check_may_overlap(w, older)) {
		world_break(w, "C2", "%s is held twice: token %lld by process %d, %lld by %d",
			    client_name(a->name), (long long)a->token, a->process->number,
			    (long long)b->token, b->process->number);
		return;
	}
	older->excused = true;
	if (!older->grant->revoked)
		COUNT(w, overlaps_allowed);
}

/* A number is one grant's alone. */
static void check_numbers(struct world *w, const struct belief *a, const struct belief *b)
{
	int64_t one, other;

	for (size_t i = 0; (one = dblock_permit_of(a->lock, i)) >= 0; i++) {
		for (size_t k = 0; (other = dblock_permit_of(b->lock, k)) >= 0; k++) {
			if (one == other)
				world_break(w, "C2", "%s: permit %lld is two grants' (token %lld)",
					    client_name(b->name), (long long)one,
					    (long long)b->token);
		}
	}
}

/* Compares this grant with those that were there before it and were never promised away. */
static void check_permits(struct world *w, const struct belief *last)
{
	struct history *h = &w->history;
	int64_t permits = last->weight;
	int64_t capacity =
		last->grant && last->grant->stored >= 0 ? last->grant->stored : last->capacity;

	for (int i = 0; i < h->n_held; i++) {
		const struct belief *b = &h->held[i];

		if (b->name == last->name && b->mode == DBLOCK_PERMITS && b->token < last->token &&
		    history_counts(b) && !check_may_overlap(w, b)) {
			permits += b->weight;
			if (!check_may_overlap(w, last)) /* the older one may be numbered later */
				check_numbers(w, b, last);
		}
	}
	if (permits > capacity)
		world_break(w, "C2", "%s: %lld permits of %lld are held (token %lld)",
			    client_name(last->name), (long long)permits, (long long)capacity,
			    (long long)last->token);
}

/* Somebody in the process mostly looks at once, as one who works under a lock should. */
static void look(struct world *w, struct belief *b)
{
	if (b->process->stopped_until > w->now || rng_one_in(&w->rng, 4))
		return;
	b->seen_over = true;
	/* This is what dblock_valid() does, without the check of the process, which does not exist
	 * here. */
	if (dbl_grant_left(b->lock) > 0)
		world_break(w, "C12", "%s (token %lld) says it is valid after its deadline",
			    client_name(b->name), (long long)b->token);
}

/* Until somebody has looked, an answer that came in time may still prolong it, even if its thread
 * was kept from reading it: the server was asked in time. */
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

	/* A belief whose time is over does not count any more. */
	for (int i = 0; i < h->n_held; i++) {
		if (h->held[i].depth > 0)
			check_belief(w, &h->held[i]);
	}
	for (int i = 0; i < h->n_held; i++) {
		for (int j = 0; j < i && history_counts(&h->held[i]); j++) {
			if (h->held[j].name == h->held[i].name && history_counts(&h->held[j]))
				check_pair(w, &h->held[j], &h->held[i]);
		}
		if (h->held[i].mode == DBLOCK_PERMITS && history_counts(&h->held[i]))
			check_permits(w, &h->held[i]);
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

/* Two turns of one grant have one token. */
static bool is_anothers_turn(const struct world *w, const struct belief *b)
{
	const struct history *h = &w->history;

	for (int i = 0; i < h->n_held; i++) {
		if (&h->held[i] != b && h->held[i].grant == b->grant && b->grant &&
		    h->held[i].token == b->token)
			return true;
	}
	return false;
}

void check_acquired(struct world *w, const struct belief *b, int64_t before)
{
	if (!b->grant || b->grant->nonce != b->nonce)
		world_break(w, "C11", "%s (token %lld) was never granted by the server",
			    client_name(b->name), (long long)b->token);
	/* This is not "<=": of two threads with one owner, one may re-enter while the other
	 * releases; or before the acquire of the other has returned. */
	/* A turn does not count if its grant was broken meanwhile, or forgotten in a crash: its
	 * client has not heard of it yet. */
	if (b->thread &&
	    !(b->grant && (b->grant->revoked || b->grant->losses != w->history.losses)) &&
	    (b->token < before || is_anothers_turn(w, b)))
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

	/* The tokens of this grant to rows were chosen before commits were lost. */
	if (w->modes && w->history.losses > 0 && w->now - w->history.last_loss < SESSION_MAX_US * 2)
		return;
	if (grant->token == last)
		world_break(w, "C1", "%s: token %lld is granted twice", client_name(grant->name),
			    (long long)last);
	if (grant->token < last)
		world_break(w, "C3", "%s: token %lld is granted after %lld",
			    client_name(grant->name), (long long)grant->token, (long long)last);
}

/* ---- changes of a grant --------------------------------------------------------------------- */

static void check_unchanged(struct world *w, const struct belief *was, const struct belief *b,
			    int rc)
{
	if (b->token < was->token || b->grant != was->grant || b->nonce != was->nonce ||
	    b->mode != was->mode)
		world_break(w, "C7", "%s (token %lld) is changed by what ends with %s",
			    client_name(b->name), (long long)was->token, dblock_outcome_name(rc));
}

void check_upgraded(struct world *w, const struct belief *was, const struct belief *b, int rc,
		    int64_t before)
{
	if (rc == DBLOCK_OK) {
		check_acquired(w, b, before);
		if (b->mode != DBLOCK_EXCLUSIVE ||
		    (was->mode == b->mode ? b->token != was->token : b->token <= was->token))
			world_break(w, "C7", "%s: an upgrade of token %lld has token %lld, mode %d",
				    client_name(b->name), (long long)was->token,
				    (long long)b->token, (int)b->mode);
	} else if (rc != DBLOCK_LOST) {
		check_unchanged(w, was, b, rc);
	}
	if (rc == DBLOCK_DEADLOCK && !coroutine_self()->saw_upgrade)
		world_break(w, "C7", "%s (token %lld): DEADLOCK, and nobody else upgrades it",
			    client_name(b->name), (long long)b->token);
}

void check_downgraded(struct world *w, const struct belief *was, const struct belief *b, int rc,
		      int64_t mode)
{
	if (rc != DBLOCK_OK)
		check_unchanged(w, was, b, rc);
	else if (b->mode != mode || b->token < was->token || b->grant != was->grant)
		world_break(w, "C7", "%s: a downgrade of token %lld has token %lld, mode %d",
			    client_name(b->name), (long long)was->token, (long long)b->token,
			    (int)b->mode);
	else if (!b->grant || b->grant->nonce != b->nonce)
		world_break(w, "C11", "%s (token %lld): the server knows of no such downgrade",
			    client_name(b->name), (long long)b->token);
}

/* ---- the server ----------------------------------------------------------------------------- */

/* Pairs of holders that must not exist at one time. A call that was upgraded still has its weaker
 * grant. */
static const char conflicts[] =
	"WITH h AS (SELECT q.mode, q.weight, coalesce(l.capacity, q.capacity) AS capacity, "
	"q.nonce, "
	"coalesce(q.upgrades, -1) AS up, q.token FROM dblock_queue q "
	"LEFT JOIN dblock_lock l ON l.name = q.name WHERE q.name = $1 AND q.token IS NOT NULL "
	"UNION ALL SELECT 0, 1, NULL, nonce, -1, token FROM dblock_lock "
	"WHERE name = $1 AND (session IS NOT NULL OR expires IS NOT NULL)) "
	"SELECT (SELECT count(*) FROM h a JOIN h b ON a.token < b.token WHERE a.nonce <> b.up "
	"AND NOT ((a.mode = 1 AND b.mode IN (1, 2)) OR (a.mode = 2 AND b.mode = 1) "
	"OR (a.mode = 3 AND b.mode = 3 AND a.capacity = b.capacity))) "
	"+ coalesce((SELECT sum(weight) > max(capacity) FROM h WHERE mode = 3), 0)";

void check_server(struct world *w, int name)
{
	struct dbl_value arg = dbl_text(client_name(name));

	/* A decision after a loss may go by what was seen before it. */
	if (w->modes && w->history.losses == 0 &&
	    database_ask_about(w->servers, conflicts, &arg, 1) > 0)
		world_break(w, "C2", "%s: the server has holders that must not be there together",
			    client_name(name));
}

/* Another call of the same owner has entered it, and has not returned yet: the release was not the last. */
static bool is_out_still(const struct belief *was)
{
	const struct dblock_lock *at = was->process->client->locks->handles->held.first;

	while (at && (at != was->lock || at->grant.token != was->token))
		at = at->next;
	return at != NULL;
}

void check_released(struct world *w, const struct belief *was, int rc, bool valid)
{
	if (rc == DBLOCK_OK && was->seen_over && !is_out_still(was))
		world_break(w, "C8", "%s (token %lld) was lost, and its release said OK",
			    client_name(was->name), (long long)was->token);
	/* The database may know of a loss that the holder does not: then the grant was revoked, or
	 * is one that may overlap. */
	if (rc == DBLOCK_LOST && valid && !take_may_be_heard(was) && !check_may_overlap(w, was))
		world_break(w, "C8", "%s (token %lld) was held, and its release said LOST",
			    client_name(was->name), (long long)was->token);
}
