/* SPDX-License-Identifier: MIT */
/* Only those who may hold together hold at the same time: as the protected resource sees it, and as
 * the holders believe. */
#include <stdlib.h>

#include <dblock/lock.h>

#include "history/capacity.h"
#include "history/rules.h"

/* ---- guard ----------------------------------------------------------------------------------- */

/* A holder who shares the resource reads it: no newer token must have written it. One who has it
 * alone writes: no newer one must have read it either. */
static bool may_write(const struct event *e)
{
	return e->mode == DBLOCK_EXCLUSIVE;
}

/* The holder need not know yet that the lock was taken away. */
static bool was_forced(const struct lock_story *l, const struct event *e)
{
	for (size_t i = 0; i < l->n_grants; i++) {
		const struct call *c = l->grants[i];

		if (c->client == e->client && c->first->wait == e->wait)
			return c->forced && c->forced->at < e->at;
	}
	return false;
}

/* The resource itself tells what came first, without a clock: each acceptance names the one before.
 */
static void check_verdict(const struct lock_story *l, const struct event *e, struct findings *f)
{
	int64_t before = may_write(e) ? e->before : e->wrote;

	if (e->outcome == 0 && e->token < before)
		found(f, PROOF(e), "%s: token %lld was accepted after %lld", e->name,
		      (long long)e->token, (long long)before);
	if (e->outcome && e->token >= before)
		found(f, PROOF(e), "%s: token %lld was refused, though none was newer", e->name,
		      (long long)e->token);
	if (e->outcome && e->until > e->at && !was_forced(l, e))
		found(f, PROOF(e),
		      "%s: the handle with token %lld is valid, and somebody with token %lld has "
		      "been before",
		      e->name, (long long)e->token, (long long)before);
}

static int by_token_presented(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a,
			   *y = *(const struct event *const *)b;

	return x->token < y->token ? -1 : x->token > y->token;
}

/* The step from BEFORE to TOKEN goes up. Of two steps one begins where the other ends, or after
 * that; otherwise the token went down in between. */
static void check_steps(const struct lock_story *l, struct findings *f)
{
	const struct event **steps = calloc(l->n_presented + 1, sizeof(*steps));
	size_t n = 0;

	for (size_t i = 0; i < l->n_presented; i++) {
		const struct event *e = l->presented[i];

		if (e->outcome == 0 && e->before < e->token)
			steps[n++] = e;
	}
	qsort(steps, n, sizeof(*steps), by_token_presented);
	for (size_t i = 1; i < n; i++) {
		if (steps[i]->before < steps[i - 1]->token)
			found(f, PROOF(steps[i - 1], steps[i]),
			      "%s: accepted went up to token %lld twice", l->name,
			      (long long)steps[i - 1]->token);
	}
	free(steps);
}

void rule_guard(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		const struct lock_story *l = &s->locks[i];

		for (size_t j = 0; j < l->n_presented; j++)
			check_verdict(l, l->presented[j], f);
		check_steps(l, f);
	}
}

/* ---- overlap, permits ------------------------------------------------------------------------ */

/* The stays that certainly last when the next one begins. */
struct present {
	const struct stay **stays;
	size_t n;
	struct capacities stored;
};

static void let_go(struct present *p, int64_t at)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (p->stays[i]->until > at)
			p->stays[kept++] = p->stays[i];
	}
	p->n = kept;
}

/* Returns the first that may not hold together with it. */
static const struct stay *find_other(const struct present *p, const struct stay *stay)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct stay *other = p->stays[i];

		if (!stays_are_one(other, stay) &&
		    (!modes_agree(other->mode, stay->mode) || other->capacity != stay->capacity))
			return other;
	}
	return NULL;
}

static int64_t permits_of(const struct present *p)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->n; i++)
		sum += p->stays[i]->weight;
	return sum;
}

typedef void found_fn(const struct lock_story *, const struct present *, const struct stay *,
		      struct findings *);

static void go_through(const struct story *s, const struct lock_story *l, found_fn *check,
		       struct findings *f)
{
	struct present p = {.stays = calloc(l->n_stays + 1, sizeof(*p.stays))};

	capacities_read(&p.stored, s, l->name);
	for (size_t i = 0; i < l->n_stays; i++) {
		const struct stay *stay = l->stays[i];

		if (stay->until <= stay->begins->at)
			continue;
		let_go(&p, stay->begins->at);
		check(l, &p, stay, f);
		p.stays[p.n++] = stay;
	}
	capacities_free(&p.stored);
	free(p.stays);
}

/* Somebody had begun to take the lock away. */
static bool is_taken(const struct call *c, const struct stay *stay)
{
	return c->taken && c->taken->at < stay->begins->at;
}

static void check_other(const struct lock_story *l, const struct present *p,
			const struct stay *stay, bool taken, struct findings *f)
{
	const struct stay *other = find_other(p, stay);

	if (other && is_taken(other->call, stay) == taken)
		found(f,
		      PROOF(other->begins, stay->begins, other->call->told, other->call->releasing),
		      "%s: client %d has it %s %lld us before client %d, who has it %s, has done "
		      "with it",
		      l->name, stay->call->client, event_mode_name(stay->mode),
		      (long long)(other->until - stay->begins->at), other->call->client,
		      event_mode_name(other->mode));
}

static void check_overlap(const struct lock_story *l, const struct present *p,
			  const struct stay *stay, struct findings *f)
{
	check_other(l, p, stay, false, f);
}

static void check_told(const struct lock_story *l, const struct present *p, const struct stay *stay,
		       struct findings *f)
{
	check_other(l, p, stay, true, f);
}

/* All of them are held at one time, so the last of them was granted beside the others: there were as many then, at
 * some time of its call. */
static int64_t capacity_of(const struct present *p, const struct stay *stay)
{
	const struct stay *last = stay;

	if (!p->stored.n)
		return stay->capacity;
	for (size_t i = 0; i < p->n; i++) {
		if (p->stays[i]->token > last->token)
			last = p->stays[i];
	}
	return capacities_most(&p->stored, last->call->first->at, last->begins->at);
}

static void check_permits(const struct lock_story *l, const struct present *p,
			  const struct stay *stay, struct findings *f)
{
	if (stay->mode == DBLOCK_PERMITS && !find_other(p, stay) &&
	    permits_of(p) + stay->weight > capacity_of(p, stay))
		found(f, PROOF(p->n ? p->stays[0]->begins : NULL, stay->begins),
		      "%s: client %d is granted %lld permits, where %lld of %lld are held already",
		      l->name, stay->call->client, (long long)stay->weight,
		      (long long)permits_of(p), (long long)capacity_of(p, stay));
}

void rule_overlap(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++)
		go_through(s, &s->locks[i], check_overlap, f);
}

void rule_told(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++)
		go_through(s, &s->locks[i], check_told, f);
}

void rule_permits(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++)
		go_through(s, &s->locks[i], check_permits, f);
}
