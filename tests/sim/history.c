/* SPDX-License-Identifier: MIT */
#include "sim/history.h"

#include <dblock/pool.h>
#include <stdio.h>
#include <string.h>

#include "lock/handle/lock.h"
#include "sim/check.h"
#include "sim/client.h"
#include "sim/in_queue.h"
#include "sim/world.h"

/* ---- the clients' side ---------------------------------------------------------------------- */

struct belief *history_belief_in(struct world *w, const struct dblock_lock *lock)
{
	struct history *h = &w->history;

	for (int i = 0; i < h->n_held; i++) {
		/* A new handle may have the address of an earlier one. */
		if (h->held[i].lock == lock &&
		    (h->held[i].token == lock->grant.token || h->held[i].changing))
			return &h->held[i];
	}
	return NULL;
}

static struct grant *find_grant(struct history *h, int name, int64_t token)
{
	for (int i = h->n_grants - 1; i >= 0; i--) {
		if (h->grants[i].name == name && h->grants[i].token <= token &&
		    h->grants[i].last >= token)
			return &h->grants[i];
	}
	return NULL;
}

struct grant *history_grant_by_nonce(struct world *w, int name, int64_t nonce)
{
	struct history *h = &w->history;
	int at = h->n_grants - 1;

	while (at >= 0 && (h->grants[at].name != name || h->grants[at].nonce != nonce))
		at--;
	return at < 0 ? NULL : &h->grants[at];
}

struct grant *history_grant(struct world *w, int name, int64_t token)
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
			     .nonce = lock->grant.nonce,
			     .mode = lock->grant.mode,
			     .weight = lock->grant.weight,
			     .capacity = lock->grant.capacity,
			     .thread = lock->owner.kind == DBL_OWNER_THREAD ? coroutine_self()->id
									    : 0,
			     .grant = find_grant(h, name, dblock_token(lock))};
	if (!lock->grant.has_lease)
		snprintf(b->session, sizeof(b->session), "%s", lock->grant.epoch->id);
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
	if (dblock_permit_of(lock, 0) >= 0)
		COUNT(w, numbered);
	if (b->grant && b->token > b->grant->token)
		COUNT(w, turns);
	if (b->grant && b->token > b->grant->token && p->idle_ms)
		COUNT(w, kept);
	check_acquired(w, b, before);
	if (b->token > w->history.names[name].returned)
		w->history.names[name].returned = b->token;
	return b;
}

static void drop(struct world *w, struct belief *b)
{
	struct history *h = &w->history;

	/* Beliefs stay in order, so that nothing depends on where the last one was. */
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
	b->token = lock->grant.token;
	b->nonce = lock->grant.nonce;
	b->mode = lock->grant.mode;
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
	/* The watchdog may be faster than the thread that has just acquired the lock. */
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

int64_t history_token(const struct world *w, int name, int skip)
{
	const struct history *h = &w->history;
	int at = h->n_grants - 1;

	while (at > 0 && (h->grants[at].name != name || skip-- > 0))
		at--;
	return h->grants[at].token;
}
