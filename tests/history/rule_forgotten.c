/* SPDX-License-Identifier: MIT */
/*
 * Nobody is forgotten. Of each wait those times are looked for in which nobody has the lock, and in
 * which nobody may have it of whom that cannot be known. There are three excuses:
 *
 *   holds    Somebody has it: from the receipt of a grant to the end of its release.
 *   remains  Of a call that failed, or whose client was killed, or in trouble: the lock may be its,
 *            in a row that only a burial frees, for which somebody has to see the same heartbeat
 *            for a ttl. The next grant proves that it is over.
 *   trouble  Of the waiter itself: its patience begins anew when that is over.
 *
 * What is left of the wait must not be longer than LIMIT in one piece.
 */
#include <stdlib.h>

#include <dblock/error.h>

#include "history/rules.h"

#define LIMIT 1500000

struct span {
	int64_t from, to;
};

struct remains {
	int64_t from;
	int64_t counts;  /* when those who watch may begin to count the ttl */
	int64_t settled; /* when it is known to be over */
	int64_t ttl;
};

struct excuses {
	struct span *holds; /* in order, none touches another */
	size_t n_holds;
	struct remains *remains;
	size_t n_remains;
};

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t largest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* ---- holds ----------------------------------------------------------------------------------- */

static int64_t hold_end(const struct call *c)
{
	if (c->released)
		return c->released->at;
	return c->killed ? c->killed->at : NEVER;
}

static void read_holds(struct excuses *x, const struct lock_story *l)
{
	x->holds = calloc(l->n_grants + 1, sizeof(*x->holds));
	for (size_t i = 0; i < l->n_grants; i++) {
		const struct call *c = l->grants[i];
		struct span hold = {c->granted->at, hold_end(c)};
		struct span *last = x->n_holds ? &x->holds[x->n_holds - 1] : NULL;

		if (last && hold.from <= last->to)
			last->to = largest(last->to, hold.to);
		else
			x->holds[x->n_holds++] = hold;
	}
}

/* The first hold that ends after then: n_holds if there is none. */
static size_t hold_after(const struct excuses *x, int64_t at)
{
	size_t low = 0, high = x->n_holds;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (x->holds[middle].to > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* ---- remains --------------------------------------------------------------------------------- */

static int64_t next_grant(const struct lock_story *l, int64_t at)
{
	for (size_t i = 0; i < l->n_grants; i++) {
		if (l->grants[i]->granted->at > at)
			return l->grants[i]->granted->at;
	}
	return NEVER;
}

static void leave(struct excuses *x, const struct lock_story *l, const struct remains *r)
{
	/* Who is granted it after that proves that it was free. */
	int64_t next = next_grant(l, r->counts);
	size_t n = x->n_remains;

	if ((n & (n - 1)) == 0)
		x->remains = realloc(x->remains, (n ? 2 * n : 1) * sizeof(*x->remains));
	if (!x->remains)
		abort();
	x->remains[n] = *r;
	x->remains[n].settled = least(r->settled, next);
	x->n_remains++;
}

static bool failed(const struct event *outcome)
{
	return outcome && outcome->outcome != 0;
}

/* Of one whose holder, or waiter, is gone. */
static void read_dead(struct excuses *x, const struct lock_story *l, const struct call *c,
		      int64_t ttl)
{
	struct remains r = {.settled = NEVER, .ttl = ttl};

	if (c->killed) {
		r.from = c->killed->at;
		/* One that waited may be granted as long as its session looks alive. */
		r.counts = c->granted ? r.from : r.from + ttl;
	} else if (c->granted && failed(c->released)) {
		r.from = r.counts = c->released->at;
	} else if (c->declined &&
		   (c->declined->outcome < 0 || c->declined->outcome == DBLOCK_LOST)) {
		r.from = r.counts = c->declined->at;
	} else {
		return;
	}
	leave(x, l, &r);
}

/* It may be granted without its knowledge until the trouble is over, and then have a ttl more. */
static void read_troubled(struct excuses *x, const struct lock_story *l, const struct call *c,
			  const struct trouble *t, int64_t ttl)
{
	struct remains r = {.from = t->from, .settled = call_ended(c), .ttl = ttl};

	if (t->client && t->client != c->client)
		return;
	if (!c->called || c->called->at > t->to || call_ended(c) < t->from ||
	    (c->killed && c->killed->at < t->from))
		return;
	r.counts = t->to;
	leave(x, l, &r);
}

static void read_remains(struct excuses *x, const struct story *s, const struct lock_story *l)
{
	for (size_t i = 0; i < l->n_calls; i++) {
		const struct call *c = l->calls[i];
		const struct client_story *client = story_client(s, c->client);

		read_dead(x, l, c, client->ttl);
		for (size_t j = 0; j < s->n_troubles; j++)
			read_troubled(x, l, c, &s->troubles[j], client->ttl);
	}
}

/* To a waiter that has been there since then. */
static int64_t remains_end(const struct remains *r, int64_t since)
{
	int64_t counts = largest(r->counts, since);

	return counts > NEVER - r->ttl ? r->settled : least(r->settled, counts + r->ttl);
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* The end of what excuses this time; the time itself if nothing does. */
static int64_t excused_until(const struct excuses *x, int64_t since, int64_t at)
{
	size_t hold = hold_after(x, at);

	if (hold < x->n_holds && x->holds[hold].from <= at)
		return x->holds[hold].to;
	for (size_t i = 0; i < x->n_remains; i++) {
		const struct remains *r = &x->remains[i];

		if (r->from <= at && remains_end(r, since) > at)
			return remains_end(r, since);
	}
	return at;
}

static int64_t next_excuse(const struct excuses *x, int64_t since, int64_t at)
{
	size_t hold = hold_after(x, at);
	int64_t next = hold < x->n_holds ? x->holds[hold].from : NEVER;

	for (size_t i = 0; i < x->n_remains; i++) {
		const struct remains *r = &x->remains[i];

		if (r->from > at && remains_end(r, since) > r->from)
			next = least(next, r->from);
	}
	return next;
}

/* The first time of more than LIMIT in this span in which nobody had it. */
static bool find_gap(const struct excuses *x, struct span wait, struct span *gap)
{
	int64_t at = wait.from;

	while (at < wait.to) {
		int64_t until = excused_until(x, wait.from, at);

		if (until == at) {
			*gap = (struct span){at, least(wait.to, next_excuse(x, wait.from, at))};
			if (gap->to - gap->from > LIMIT)
				return true;
			until = gap->to;
		}
		at = until;
	}
	return false;
}

/* Cut the span where the waiter's first trouble in it begins. Returns when that is over. */
static int64_t cut_at_trouble(const struct story *s, const struct call *c, struct span *wait)
{
	int64_t next = wait->to;

	for (size_t i = 0; i < s->n_troubles; i++) {
		const struct trouble *t = &s->troubles[i];

		if ((t->client && t->client != c->client) || t->from >= wait->to ||
		    t->to <= wait->from)
			continue;
		wait->to = largest(t->from, wait->from);
		next = t->to;
	}
	return next;
}

static void check_wait(const struct story *s, const struct lock_story *l, const struct excuses *x,
		       const struct call *c, struct findings *f)
{
	struct span all = {c->called->at, least(call_left(c), s->end)}, gap;

	for (int64_t from = all.from; from < all.to && all.to - from > LIMIT;) {
		struct span wait = {from, all.to};

		from = cut_at_trouble(s, c, &wait);
		if (find_gap(x, wait, &gap)) {
			found(f, PROOF(c->called, c->granted, c->declined),
			      "%s: client %d.%d waits, and from +%lld to +%lld us nobody has it",
			      l->name, c->client, c->thread, (long long)(gap.from - c->called->at),
			      (long long)(gap.to - c->called->at));
			return;
		}
	}
}

void rule_forgotten(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		const struct lock_story *l = &s->locks[i];
		struct excuses x = {.n_holds = 0};

		read_holds(&x, l);
		read_remains(&x, s, l);
		for (size_t j = 0; j < l->n_calls; j++) {
			if (l->calls[j]->called)
				check_wait(s, l, &x, l->calls[j], f);
		}
		free(x.holds);
		free(x.remains);
	}
}
