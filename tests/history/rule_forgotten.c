/* SPDX-License-Identifier: MIT */
/*
 * Nobody is forgotten. Of each wait those times are looked for in which nobody has the lock:
 * between the end of a release, or of a holder, and the receipt of the next grant. Such a gap must
 * not last for longer than LIMIT. There is one excuse: the remains of a call that failed, or whose
 * client was killed or in trouble. When the gap began the lock may have become its, in a row that
 * only a burial frees, for which the waiter has to see the same heartbeat for a ttl. The waiter's
 * own call is no exception: it may have had trouble, and have the lock without knowing it.
 */
#include <stdlib.h>

#include <dblock/error.h>

#include "history/rules.h"

#define LIMIT 1500000

struct span {
	int64_t from, to;
};

/* They excuse a gap that begins before they are closed, until a ttl after their client is dead; if
 * nobody had to wait too long before there were such. */
struct remains {
	int64_t since, closes, dead, ttl;
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

/* ---- holds ---- */

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

/* ---- remains ---- */

static void leave(struct excuses *x, const struct remains *r)
{
	size_t n = x->n_remains++;

	if ((n & (n - 1)) == 0)
		x->remains = realloc(x->remains, (n ? 2 * n : 1) * sizeof(*x->remains));
	if (!x->remains)
		abort();
	x->remains[n] = *r;
}

/* Who died as a holder left it at that moment. One that waited may be granted as long as its
 * session looks alive. */
static void read_killed(struct excuses *x, const struct call *c, int64_t ttl)
{
	int64_t at = c->killed->at;

	if (c->granted)
		leave(x, &(struct remains){at, at, at, ttl});
	else
		leave(x, &(struct remains){at, at + ttl, at, ttl});
}

/* What was lost was left by then. What was asked in vain may be carried out after all. */
static void read_failed(struct excuses *x, const struct call *c, int64_t ttl)
{
	if (c->granted && c->released && c->released->outcome != DBLOCK_OK)
		leave(x, &(struct remains){c->granted->at, c->released->at, c->released->at, ttl});
	if (c->declined && (c->declined->outcome < 0 || c->declined->outcome == DBLOCK_LOST))
		leave(x,
		      &(struct remains){c->first->at, c->declined->at + ttl, c->declined->at, ttl});
}

/* It may be granted without its knowledge. */
static void read_troubled(struct excuses *x, const struct call *c, const struct trouble *t,
			  int64_t ttl)
{
	if ((t->client && t->client != c->client) || !c->called)
		return;
	if (c->called->at > t->to || call_ended(c) < t->from ||
	    (c->killed && c->killed->at < t->from))
		return;
	leave(x, &(struct remains){t->from, t->to, t->to, ttl});
}

static void read_remains(struct excuses *x, const struct story *s, const struct lock_story *l)
{
	for (size_t i = 0; i < l->n_calls; i++) {
		const struct call *c = l->calls[i];
		int64_t ttl = story_client(s, c->client)->ttl;

		if (c->killed)
			read_killed(x, c, ttl);
		else
			read_failed(x, c, ttl);
		for (size_t j = 0; j < s->n_troubles; j++)
			read_troubled(x, c, &s->troubles[j], ttl);
	}
}

/* ---- gaps ---- */

/* Since when the waiter may complain of a gap. When one's remains are buried it may go to another,
 * who is dead as well. */
static int64_t excused_until(const struct excuses *x, int64_t gap_from, int64_t waits_from)
{
	int64_t from = largest(gap_from, waits_from), at = from, end;

	/* Excused for ever: no sum with that. */
	for (size_t i = 0; i < x->n_remains && at < NEVER - LIMIT;) {
		const struct remains *r = &x->remains[i++];

		end = least(largest(r->dead, from), NEVER - r->ttl) + r->ttl;
		if (r->since <= at + LIMIT && gap_from <= r->closes && end > at) {
			at = end;
			i = 0;
		}
	}
	return at;
}

/* The first gap in a wait that is too long: as far as nothing excuses it. */
static bool find_gap(const struct excuses *x, struct span wait, struct span *gap)
{
	size_t i = hold_after(x, wait.from);
	int64_t from = wait.from, to;

	for (;; from = x->holds[i++].to) {
		to = i < x->n_holds ? least(x->holds[i].from, wait.to) : wait.to;
		if (to - from > LIMIT) {
			*gap = (struct span){excused_until(x, i > 0 ? x->holds[i - 1].to : 0, from),
					     to};
			if (gap->to - gap->from > LIMIT)
				return true;
		}
		if (i == x->n_holds || x->holds[i].to >= wait.to)
			return false;
	}
}

/* ---- waits ---- */

static void check_wait(const struct story *s, const struct lock_story *l, const struct excuses *x,
		       const struct call *c, struct findings *f)
{
	struct span wait = {c->called->at, least(call_left(c), s->end)}, gap;

	if (find_gap(x, wait, &gap))
		found(f, PROOF(c->called, c->granted, c->declined),
		      "%s: client %d.%d waits, and until +%lld us nobody has it for %lld us",
		      l->name, c->client, c->thread, (long long)(gap.to - c->called->at),
		      (long long)(gap.to - gap.from));
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
