/* SPDX-License-Identifier: MIT */
#include "sim/history.h"

#include <stdio.h>
#include <string.h>

#include "lock/locks.h"
#include "sim/check.h"
#include "sim/client.h"
#include "sim/line.h"
#include "sim/world.h"

/* ---- the clients' side ---------------------------------------------------------------------- */

struct belief *history_belief_in(struct world *w, const struct dblock_lock *lock)
{
	struct history *h = &w->history;

	for (int i = 0; i < h->n_held; i++) {
		/* A handle may lie where one lay before. */
		if (h->held[i].lock == lock &&
		    (h->held[i].token == lock->token || h->held[i].changing))
			return &h->held[i];
	}
	return NULL;
}

static struct grant *find_grant(struct history *h, int name, int64_t token)
{
	for (int i = h->n_grants - 1; i >= 0; i--) {
		if (h->grants[i].name == name && h->grants[i].token == token)
			return &h->grants[i];
	}
	return NULL;
}

const struct grant *history_grant(struct world *w, int name, int64_t token)
{
	return find_grant(&w->history, name, token);
}

static struct belief *believe(struct world *w, struct process *p, int name,
			      struct dblock_lock *lock)
{
	struct history *h = &w->history;
	struct belief *b = &h->held[h->n_held];

	if (h->n_held == HELD_MAX) {
		world_break(w, "SIM", "too many handles are out");
		return &h->held[0];
	}
	h->n_held++;
	*b = (struct belief){.id = ++w->ids,
			     .lock = lock,
			     .process = p,
			     .name = name,
			     .token = dblock_token(lock),
			     .nonce = lock->nonce,
			     .mode = lock->mode,
			     .weight = lock->weight,
			     .capacity = lock->capacity,
			     .thread = lock->owner.by_name ? 0 : coroutine_self()->id,
			     .grant = find_grant(h, name, dblock_token(lock))};
	if (!lock->has_lease)
		snprintf(b->session, sizeof(b->session), "%s", lock->life->id);
	return b;
}

struct belief *history_acquired(struct world *w, struct process *p, int name,
				struct dblock_lock *lock, int64_t before)
{
	struct belief *b = history_belief_in(w, lock);

	if (b) {
		check_reentered(w, b);
		b->depth++;
		COUNT(w, reentries);
		return b;
	}
	b = believe(w, p, name, lock);
	b->depth = 1;
	COUNT(w, granted);
	check_acquired(w, b, before);
	if (b->token > w->history.names[name].returned)
		w->history.names[name].returned = b->token;
	return b;
}

static void drop(struct world *w, struct belief *b)
{
	struct history *h = &w->history;

	/* In order, so that nothing depends on where the last one was. */
	memmove(b, b + 1, (size_t)(&h->held[h->n_held] - (b + 1)) * sizeof(*b));
	h->n_held--;
}

uint64_t history_releasing(struct belief *b)
{
	b->depth--;
	if (++b->releasing > 1)
		b->crowded = true;
	return b->id;
}

bool history_released(struct world *w, uint64_t id, struct belief *was)
{
	struct belief *b = w->history.held;

	while (b->id != id)
		b++;
	b->releasing--;
	*was = *b;
	if (b->releasing == 0)
		b->crowded = false;
	if (b->releasing == 0 && b->depth == 0)
		drop(w, b);
	return was->depth == 0 && !was->crowded;
}

struct belief *history_changing(struct world *w, struct dblock_lock *lock)
{
	struct belief *b = history_belief_in(w, lock);

	b->changing = true;
	return b;
}

struct belief *history_changed(struct world *w, struct dblock_lock *lock, struct belief *was)
{
	struct history *h = &w->history;
	struct belief *b = history_belief_in(w, lock);

	b->changing = false;
	*was = *b;
	b->token = lock->token;
	b->nonce = lock->nonce;
	b->mode = lock->mode;
	b->grant = find_grant(h, b->name, b->token);
	return b;
}

bool history_counts(const struct belief *b)
{
	return b->depth > 0 && !b->over;
}

void history_told(void *world, struct dblock_lock *lock)
{
	struct world *w = world;
	struct belief *b = history_belief_in(w, lock);

	COUNT(w, told);
	/* The sentinel may be faster than the thread that has just acquired it. */
	if (!b)
		return;
	check_told(w, b);
	b->told = b->seen_over = true;
}

void history_forget(struct process *p)
{
	struct world *w = p->world;
	struct history *h = &w->history;

	for (int i = 0; i < h->n_held;) {
		if (h->held[i].process == p)
			drop(w, &h->held[i]);
		else
			i++;
	}
}

/* ---- the server's side ---------------------------------------------------------------------- */

static int name_of(const struct letter *l)
{
	return client_name_index(l->args[0].text, l->args[0].len);
}

static void granted(struct world *w, const struct letter *l, int64_t token, int64_t nonce)
{
	struct history *h = &w->history;
	struct grant grant = {
		.name = name_of(l), .token = token, .nonce = nonce, .losses = h->losses};

	COUNT(w, grants);
	world_tell(w, l->process, "  the server grants %s, token %lld", client_name(grant.name),
		   (long long)grant.token);
	check_granted(w, &grant);
	h->names[grant.name].token = grant.token;
	if (h->n_grants < GRANTS_MAX)
		h->grants[h->n_grants++] = grant;
	else
		world_break(w, "SIM", "too many grants");
}

static void acquired(struct world *w, const struct letter *l)
{
	bool barges = l->args[9].i != 0;

	granted(w, l, l->values[0].i, l->args[1].i);
	if (!barges)
		line_passed(w, name_of(l), INT64_MAX);
	check_server(w, name_of(l));
}

static void handed_over(struct world *w, const struct letter *l)
{
	COUNT(w, handed_over);
	world_tell(w, l->process, "  the server hands %s over, to wait %04x",
		   client_name(name_of(l)), (unsigned)l->values[1].i & 0xffff);
	granted(w, l, l->values[0].i, l->values[1].i);
	line_granted(w, name_of(l), l->values[1].i);
	check_server(w, name_of(l));
}

/* To rows of the line: nonce, token and bell of each, in any order. */
static void granted_to_rows(struct world *w, const struct letter *l)
{
	int64_t last = INT64_MIN;

	for (size_t n = 0; n < l->n_values; n += l->columns) {
		size_t next = l->n_values;

		for (size_t i = 0; i < l->n_values; i += l->columns) {
			int64_t token = l->values[i + 1].i;

			if (token > last && (next == l->n_values || token < l->values[next + 1].i))
				next = i;
		}
		if (next == l->n_values)
			world_break(w, "C1", "%s: one token is granted twice at once",
				    client_name(name_of(l)));
		if (next == l->n_values)
			return;
		last = l->values[next + 1].i;
		COUNT(w, row_grants);
		granted(w, l, last, l->values[next].i);
	}
	for (size_t i = 0; i < l->n_values; i += l->columns)
		line_granted(w, name_of(l), l->values[i].i);
	if (l->n_values > l->columns)
		COUNT(w, granted_together);
	check_server(w, name_of(l));
}

/* The grant goes on in a row. */
static void downgraded(struct world *w, const struct letter *l)
{
	struct grant *grant = find_grant(&w->history, name_of(l), l->args[1].i);

	world_tell(w, l->process, "  the server downgrades %s, token %lld", client_name(name_of(l)),
		   (long long)l->args[1].i);
	if (!grant || l->values[0].i != l->args[1].i)
		world_break(w, "C1", "%s: token %lld is downgraded, and becomes %lld",
			    client_name(name_of(l)), (long long)l->args[1].i,
			    (long long)l->values[0].i);
	else
		grant->nonce = l->args[3].i;
	check_server(w, name_of(l));
}

/* Somebody who knows no more than the token has ended the grant, or given it another end. */
static void revoked(struct world *w, const struct letter *l)
{
	int name = name_of(l);
	struct grant *grant = find_grant(&w->history, name, l->args[1].i);

	if (grant)
		grant->revoked = true;
	world_tell(w, l->process, "  the server revokes %s, token %lld", client_name(name),
		   (long long)l->args[1].i);
}

static void buried(struct world *w, const struct letter *l)
{
	struct history *h = &w->history;
	int at;

	COUNT(w, buried);
	world_tell(w, l->process, "  the server buries %.8s", l->args[0].text);
	if (!l->trying)
		return;
	COUNT(w, buried_by_tries);
	at = h->n_buried % BURIALS_MAX;
	snprintf(h->buried[at].session, sizeof(h->buried[at].session), "%.*s", (int)l->args[0].len,
		 l->args[0].text);
	h->buried[at].n_grants = h->n_grants;
	h->n_buried++;
}

/* What an acquire had got whose answer nobody has. */
static void given_back(struct world *w, const struct letter *l)
{
	COUNT(w, given_back);
	world_tell(w, l->process, "  the server takes %s back", client_name(name_of(l)));
	check_given_back(w, name_of(l), l->args[1].i);
}

static bool is_by_token(const struct letter *l)
{
	return (l->op == DBL_OP_release || l->op == DBL_OP_extend || l->op == DBL_OP_hand_over ||
		l->op == DBL_OP_row_release || l->op == DBL_OP_row_rest ||
		l->op == DBL_OP_row_extend) &&
	       l->args[2].type == DBL_NULL;
}

/* It has changed something. */
static void changed(struct world *w, const struct letter *l)
{
	if (l->op == DBL_OP_break || (l->op == DBL_OP_row_end && l->breaking) || is_by_token(l))
		revoked(w, l);
	else if (l->op == DBL_OP_bury)
		buried(w, l);
	else if (l->op == DBL_OP_give_back)
		given_back(w, l);
	else if (l->op == DBL_OP_dequeue)
		check_given_back(w, name_of(l), l->args[1].i);
	else if (l->op == DBL_OP_lease_end)
		COUNT(w, leases_ended);
	else if (l->op == DBL_OP_row_end)
		COUNT(w, rows_ended);
	else if (l->op == DBL_OP_expel)
		COUNT(w, expelled);
	else if (l->op == DBL_OP_row_rest)
		COUNT(w, rows_rested);
	else if (l->op == DBL_OP_reap_rows)
		COUNT(w, rows_reaped);
	else if (l->op == DBL_OP_reap_free)
		COUNT(w, freed_by_reaper);
	else if (l->op == DBL_OP_purge_delete)
		COUNT(w, purged);
	else if (l->op == DBL_OP_row_mode)
		check_server(w, name_of(l));
}

/* Does it take something away from somebody? */
static bool takes(const struct letter *l)
{
	return l->op == DBL_OP_expel || l->op == DBL_OP_reap_rows || l->op == DBL_OP_row_end ||
	       l->op == DBL_OP_row_release || l->op == DBL_OP_row_rest || l->op == DBL_OP_dequeue ||
	       l->op == DBL_OP_dequeue_served || l->op == DBL_OP_reap_waiters ||
	       l->op == DBL_OP_give_back || l->op == DBL_OP_downgrade || l->op == DBL_OP_bury ||
	       l->op == DBL_OP_reap_free || l->op == DBL_OP_lease_end;
}

void history_carried_out(struct world *w, const struct letter *l)
{
	line_carried_out(w, l);
	if (l->op == DBL_OP_acquire && l->n_values > 0)
		acquired(w, l);
	/* A hand-over says whose it is now; nobody's: 0. */
	if (l->op == DBL_OP_hand_over && l->n_values > 0 && l->values[1].i)
		handed_over(w, l);
	if (l->op == DBL_OP_grant && l->second)
		granted_to_rows(w, l);
	if (l->op == DBL_OP_downgrade && l->second && l->n_values > 0)
		downgraded(w, l);
	if (l->changed == 0)
		return;
	changed(w, l);
	if (takes(l))
		check_kept(w, l);
}

/* ---- transactions --------------------------------------------------------------------------- */

void history_pending(struct world *w, struct letter *l)
{
	struct history *h = &w->history;

	if (h->n_pending == PENDING_MAX) {
		world_break(w, "SIM", "a transaction is too long");
		return;
	}
	l->users++;
	h->pending[h->n_pending++] = l;
}

void history_committed(struct world *w)
{
	struct history *h = &w->history;

	for (int i = 0; i < h->n_pending; i++) {
		history_carried_out(w, h->pending[i]);
		letter_drop(h->pending[i]);
	}
	h->n_pending = 0;
}

void history_rolled_back(struct world *w)
{
	struct history *h = &w->history;

	for (int i = 0; i < h->n_pending; i++)
		letter_drop(h->pending[i]);
	h->n_pending = 0;
}

void history_lost_commits(struct world *w)
{
	w->history.losses++;
	w->history.last_loss = w->now;
}

/* ---- the guarded resource ------------------------------------------------------------------- */

void history_guard(struct world *w, const struct grant *grant, bool reads)
{
	int64_t written = w->history.names[grant->name].guard_token;
	int64_t read = w->history.names[grant->name].guard_read;

	if (grant->token < written || (!reads && grant->token < read)) {
		COUNT(w, writes_refused);
		check_refused(w, grant, reads);
		return;
	}
	if (reads) {
		COUNT(w, reads_accepted);
		if (grant->token > read)
			w->history.names[grant->name].guard_read = grant->token;
		return;
	}
	COUNT(w, writes_accepted);
	check_write(w, grant);
	w->history.names[grant->name].guard_token = grant->token;
	w->history.names[grant->name].guard = grant;
}
