/* SPDX-License-Identifier: MIT */
/* What the clients of a cluster have, and what they were told of it. */
#include <string.h>

#include "lock/quorum/own.h"
#include "sim/check.h"
#include "sim/client.h"
#include "sim/quorum/cluster.h"
#include "sim/world.h"

/* Nobody else runs meanwhile: the hold stays where it is. */
static int64_t hold_left(const struct hold *h)
{
	struct faults *f = &h->process->world->faults;
	int preempt = f->preempt;
	int64_t left;

	f->preempt = 0;
	left = dbl_hold_left(dbl_quorum_lock_of(h->lock));
	f->preempt = preempt;
	return left;
}

bool hold_is_valid(const struct hold *h)
{
	return hold_left(h) > 0;
}

/* While its release is under way it may hear that a member was replaced, or has forgotten its vote. */
static bool may_be_dismissed(const struct world *w)
{
	bool may = w->cluster.replacing.n_processes > 0;

	for (int i = 0; i < SERVERS_MAX; i++)
		may = may || w->cluster.forgot[i];
	return may;
}

/* The end of a lease goes by the members' clocks, which somebody may set. */
static bool may_end_early(const struct world *w, const struct hold *h)
{
	return h->moved || (w->regime == CLOCKS && h->lease);
}

struct hold *hold_of(struct world *w, const struct dblock_lock *lock)
{
	struct cluster *c = &w->cluster;

	for (int i = 0; i < c->n_holds; i++) {
		/* A new handle may have the address of an earlier one. */
		if (c->holds[i].lock == lock && c->holds[i].token == lock->grant.token)
			return &c->holds[i];
	}
	return NULL;
}

struct hold *hold_by_id(struct world *w, uint64_t id)
{
	struct cluster *c = &w->cluster;

	for (int i = 0; i < c->n_holds; i++) {
		if (c->holds[i].id == id)
			return &c->holds[i];
	}
	return NULL;
}

struct hold *hold_by_token(struct world *w, int name, int64_t token)
{
	struct cluster *c = &w->cluster;

	for (int i = 0; i < c->n_holds; i++) {
		if (c->holds[i].name == name && c->holds[i].token == token)
			return &c->holds[i];
	}
	return NULL;
}

/* How long a majority votes for it: from the votes, and not by the product's own word, which would make that
 * look. */
static int64_t majority_left(const struct hold *h)
{
	const struct dbl_quorum_lock *l = dbl_quorum_lock_of(h->lock);
	int64_t left[DBL_QUORUM_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < l->quorum->n; i++) {
		const struct dbl_voter *v = &l->voters[i];

		if (v->part && v->checked && !v->over && check_is_valid(h->process, v->part))
			dbl_rank(left, &n, check_deadline(v->part) - process_clock(h->process));
	}
	return n < l->quorum->majority ? 0 : left[n - l->quorum->majority];
}

bool hold_needs(struct world *w, int member)
{
	for (int i = 0; i < w->cluster.n_holds; i++) {
		const struct dbl_quorum_lock *l = dbl_quorum_lock_of(w->cluster.holds[i].lock);
		unsigned n = 0;

		for (unsigned j = 0; j < l->quorum->n; j++)
			n += l->voters[j].part != NULL;
		if (n == l->quorum->majority && l->voters[member].part)
			return true;
	}
	return false;
}

void hold_look(struct hold *h)
{
	struct world *w = h->process->world;
	int64_t left = hold_left(h);

	if (left > majority_left(h))
		world_break(w, "Q3",
			    "%s (token %lld) says that it is valid for %lld us, and is for %lld",
			    client_name(h->name), (long long)h->token, (long long)left,
			    (long long)majority_left(h));
	if (left > 0)
		return;
	COUNT(w, believed_lost);
	h->seen_over = true;
}

/* ---- acquire -------------------------------------------------------------------------------- */

/* An acquire that returns late may bring a smaller one than another's that has returned: then it was over when
 * that began. */
static void check_token(struct world *w, const struct hold *h, int64_t before)
{
	int64_t last = w->cluster.names[h->name].returned;

	if (h->token <= before)
		world_break(w, "Q2", "%s: token %lld was given after %lld", client_name(h->name),
			    (long long)h->token, (long long)before);
	if (h->token == w->cluster.names[h->name].shared)
		return;
	if (h->token <= last && hold_is_valid(h) && !may_end_early(w, h))
		world_break(w, "Q2", "%s: token %lld is held after %lld", client_name(h->name),
			    (long long)h->token, (long long)last);
}

static struct hold *add(struct process *p, int name, struct dblock_lock *lock)
{
	struct world *w = p->world;
	struct cluster *c = &w->cluster;
	struct hold *h = &c->holds[c->n_holds];

	if (c->n_holds == HOLDS_MAX) {
		world_break(w, "SIM", "too many handles are out");
		return &c->holds[0];
	}
	c->n_holds++;
	*h = (struct hold){.lock = lock,
			   .process = p,
			   .id = ++w->ids,
			   .name = name,
			   .depth = 1,
			   .token = dblock_token(lock),
			   .lease = dbl_quorum_lock_of(lock)->spec.lease != 0,
			   .told = lock->told,
			   .told_before = lock->told,
			   .seen_over = lock->told};
	return h;
}

struct hold *hold_acquired(struct process *p, int name, struct dblock_lock *lock, int64_t before)
{
	struct world *w = p->world;
	struct cluster *c = &w->cluster;
	struct hold *h = hold_of(w, lock);

	if (h) {
		COUNT(w, reentries);
		h->depth++;
		return h;
	}
	h = add(p, name, lock);
	COUNT(w, granted);
	check_token(w, h, before);
	if (h->token > c->names[name].returned && hold_is_valid(h))
		c->names[name].returned = h->token;
	if (h->lease)
		c->names[name].lease = h->token;
	return h;
}

/* ---- release -------------------------------------------------------------------------------- */

static void drop(struct cluster *c, struct hold *h)
{
	/* The others stay in order, so that nothing depends on where the last one was. */
	memmove(h, h + 1, (size_t)(&c->holds[c->n_holds] - (h + 1)) * sizeof(*h));
	c->n_holds--;
}

uint64_t hold_releasing(struct process *p, struct dblock_lock *lock)
{
	struct hold *h = hold_of(p->world, lock);

	h->valid_until = process_clock(p) + hold_left(h);
	if (h->depth == 1 && lock->count > 1)
		p->world->cluster.names[h->name].shared = h->token;
	h->depth--;
	h->releasing++;
	return h->id;
}

void hold_released(struct process *p, uint64_t id, int rc)
{
	struct world *w = p->world;
	struct hold *h = hold_by_id(w, id);
	bool last = --h->releasing == 0 && h->depth == 0;

	if (last && rc == DBLOCK_OK && h->seen_over)
		world_break(w, "Q4", "%s (token %lld) was lost, and its release said OK",
			    client_name(h->name), (long long)h->token);
	if (last && rc == DBLOCK_LOST && process_clock(p) < h->valid_until &&
	    !may_end_early(w, h) && !may_be_dismissed(w))
		world_break(w, "Q4", "%s (token %lld) was held, and its release said LOST",
			    client_name(h->name), (long long)h->token);
	if (last)
		drop(&w->cluster, h);
}

void hold_forget(struct process *p)
{
	struct cluster *c = &p->world->cluster;

	c->replacing.calling &= ~(1u << p->number);
	for (int i = 0; i < c->n_holds;) {
		if (c->holds[i].process == p)
			drop(c, &c->holds[i]);
		else
			i++;
	}
}

/* ---- loss ----------------------------------------------------------------------------------- */

void hold_told(void *world, struct dblock_lock *lock)
{
	struct world *w = world;
	struct hold *h = hold_of(w, lock);

	COUNT(w, told);
	/* The keeper may be faster than the thread that has just acquired the lock. */
	if (!h)
		return;
	if (h->told && !h->told_before)
		world_break(w, "Q3", "%s (token %lld) is lost twice", client_name(h->name),
			    (long long)h->token);
	if (hold_is_valid(h))
		world_break(w, "Q3", "%s (token %lld) is told lost, and is valid",
			    client_name(h->name), (long long)h->token);
	h->told = h->seen_over = true;
	h->told_before = false;
}

/* ---- after each event ----------------------------------------------------------------------- */

/* Its holder goes by what he was told, and may not ask again. */
static bool is_relied_on(struct hold *h)
{
	int64_t now = process_clock(h->process), left = hold_left(h);

	if (left > 0 && now + left > h->promised)
		h->promised = now + left;
	return !h->seen_over && h->promised > now;
}

static void check_pair(struct world *w, struct hold *a, struct hold *b)
{
	const struct hold *older = a->token < b->token ? a : b;

	if (a->name != b->name || !is_relied_on(a) || !is_relied_on(b))
		return;
	if (may_end_early(w, older)) {
		COUNT(w, overlaps_allowed);
		return;
	}
	world_break(w, "Q1", "%s is held by processes %d (token %lld) and %d (token %lld)",
		    client_name(a->name), a->process->number, (long long)a->token,
		    b->process->number, (long long)b->token);
}

/* The library has a tenth of the ttl, or of a lease; but any of its threads may be kept from running. */
static void check_tells(struct world *w, struct hold *h)
{
	int64_t ttl = h->process->ttl_ms * 1000;

	if (h->told || majority_left(h) > 0)
		h->over_from = 0;
	else if (h->over_from == 0 || h->process->stopped_until > w->now || w->ending)
		h->over_from = w->now;
	else if (w->now - h->over_from > 4 * ttl)
		world_break(w, "Q3", "%s (token %lld) has no majority, and nobody is told",
			    client_name(h->name), (long long)h->token);
}

void cluster_check(struct world *w)
{
	struct cluster *c = &w->cluster;

	for (int i = 0; i < c->n_holds; i++) {
		struct hold *h = &c->holds[i];

		if (h->depth == 0)
			continue;
		check_tells(w, h);
		if (h->seen_over && hold_is_valid(h))
			world_break(w, "Q3", "%s (token %lld) is valid again", client_name(h->name),
				    (long long)h->token);
		for (int j = 0; j < i; j++) {
			if (c->holds[j].depth > 0)
				check_pair(w, &c->holds[j], h);
		}
	}
}
