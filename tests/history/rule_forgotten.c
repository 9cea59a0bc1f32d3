/* SPDX-License-Identifier: MIT */
/*
 * Nobody is forgotten. The rule looks in each wait for times at which nobody has the lock: between
 * the end of a release, or of a holder, and the receipt of the next grant. Such a gap must not last
 * for longer than LIMIT, of the time that counts. The remains of a call that failed, or whose
 * client was killed or in trouble, are the only excuse. When the gap began that call may have got
 * the lock, in a row that is free only once its session is declared dead, for which the waiter has
 * to see the same heartbeat for a ttl. The waiter's own call is no exception: it may have had
 * trouble, and have the lock without knowing it.
 *
 * A waiter who can share the lock has a reason to wait only if all who hold it and all who wait for
 * it could not have it together. Such times are called a crowd, and times at which somebody has the
 * lock are called a hold: all else is the same for both.
 */
#include <stdlib.h>

#include <dblock/error.h>
#include <dblock/lock.h>

#include "history/obstacles.h"
#include "history/row_waits.h"
#include "history/rules.h"

#define LIMIT 1500000

/* Remains excuse a gap that begins before they are closed, until a ttl after their client is dead,
 * if nobody had to wait too long before the remains existed. */
struct remains {
	int64_t since, closes, dead, ttl;
};

struct excuses {
	const struct story *story;
	struct obstacles obstacles;
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

/* A grant that can be held together may be left among other holders: it hinders nobody until
 * somebody comes who cannot share the lock. */
static int64_t left_until(const struct lock_story *l, const struct call *c, int64_t at)
{
	int mode = call_mode(c);

	if (mode == DBLOCK_EXCLUSIVE && c->changes == 0)
		return at;
	for (size_t i = 0; i < l->n_stays; i++) {
		const struct stay *stay = l->stays[i];

		if (stay_is_grant(stay) && stay->asked && stay->asked->at > at &&
		    !modes_agree(stay->mode, mode))
			return stay->begins->at;
	}
	return NEVER;
}

/* A holder that died left the lock at that moment. A waiter that died may be granted the lock as
 * long as its session looks alive. */
static void read_killed(struct excuses *x, const struct lock_story *l, const struct call *c,
			int64_t ttl)
{
	int64_t at = c->killed->at;

	if (c->granted)
		leave(x, &(struct remains){at, left_until(l, c, at), at, ttl});
	else
		leave(x, &(struct remains){at, left_until(l, c, at + ttl), at, ttl});
}

/* A lock that was lost was left by then. A request that failed may be carried out after all. */
static void read_failed(struct excuses *x, const struct lock_story *l, const struct call *c,
			int64_t ttl)
{
	if (c->granted && c->released && c->released->outcome != DBLOCK_OK)
		leave(x, &(struct remains){c->granted->at, left_until(l, c, c->released->at),
					   c->released->at, ttl});
	if (c->declined && (c->declined->outcome < 0 || c->declined->outcome == DBLOCK_LOST))
		leave(x, &(struct remains){c->first->at, left_until(l, c, c->declined->at + ttl),
					   c->declined->at, ttl});
}

/* The same holds for an upgrade or a downgrade that failed. */
static void read_changes(struct excuses *x, const struct story *s, const struct lock_story *l)
{
	for (size_t i = 0; i < l->n_changes; i++) {
		const struct change *change = l->changes[i];
		int64_t ttl = story_client(s, change->call->client)->ttl;

		if (change->ended &&
		    (change->ended->outcome < 0 || change->ended->outcome == DBLOCK_LOST))
			leave(x, &(struct remains){change->began->at, change->ended->at + ttl,
						   change->ended->at, ttl});
	}
}

/* The call may be granted the lock without its knowledge. */
static void read_troubled(struct excuses *x, const struct lock_story *l, const struct call *c,
			  const struct trouble *t, int64_t ttl)
{
	if ((t->client && t->client != c->client) || !c->called)
		return;
	/* A machine that stands still loses no answers; but a session may be over by then. */
	if (t->kind == EVENT_PULSE && t->to - t->from < ttl / 2)
		return;
	if (c->called->at > t->to || call_ended(c) < t->from ||
	    (c->killed && c->killed->at < t->from))
		return;
	leave(x, &(struct remains){t->from, left_until(l, c, t->to), t->to, ttl});
}

/* A released lock is kept idle for a while, as long as nobody has it again. */
static int64_t kept_until(const struct lock_story *l, const struct call *c)
{
	int64_t until = c->released->at + c->released->lease;

	for (size_t i = 0; i < l->n_grants; i++) {
		if (l->grants[i]->granted->at > c->released->at)
			return least(until, l->grants[i]->granted->at);
	}
	return until;
}

/* If the client dies meanwhile, or is cut off, it is declared dead with the idle lock. */
static void read_kept(struct excuses *x, const struct story *s, const struct lock_story *l,
		      const struct call *c, int64_t ttl)
{
	const struct client_story *client = story_client(s, c->client);
	int64_t from, until;

	if (!c->released || !c->released->lease)
		return;
	from = c->released->at;
	until = kept_until(l, c);
	if (client->killed && client->killed->at < until)
		leave(x, &(struct remains){client->killed->at, client->killed->at,
					   client->killed->at, ttl});
	for (size_t i = 0; i < s->n_troubles; i++) {
		const struct trouble *t = &s->troubles[i];

		if ((!t->client || t->client == c->client) && t->from < until && t->to > from)
			leave(x, &(struct remains){largest(t->from, from), t->to, t->to, ttl});
	}
}

static void read_remains(struct excuses *x, const struct story *s, const struct lock_story *l)
{
	for (size_t i = 0; i < l->n_calls; i++) {
		const struct call *c = l->calls[i];
		int64_t ttl = story_client(s, c->client)->ttl;

		if (c->killed)
			read_killed(x, l, c, ttl);
		else
			read_failed(x, l, c, ttl);
		read_kept(x, s, l, c, ttl);
		for (size_t j = 0; j < s->n_troubles; j++)
			read_troubled(x, l, c, &s->troubles[j], ttl);
	}
	read_changes(x, s, l);
}

/* ---- gaps ---- */

/* Returns from when the waiter may complain of a gap. When one call's remains are declared dead the
 * lock may go to another that is dead as well. */
static int64_t excused_until(const struct excuses *x, int64_t gap_from, int64_t waits_from)
{
	int64_t from = largest(gap_from, waits_from), at = from, end;

	/* NEVER is excused for ever, and must not be added to. */
	for (size_t i = 0; i < x->n_remains && at < NEVER;) {
		const struct remains *r = &x->remains[i++];

		end = least(largest(r->dead, from), NEVER - r->ttl) + r->ttl;
		if (r->since <= story_after(x->story, at, LIMIT) && gap_from <= r->closes &&
		    end > at) {
			at = end;
			i = 0;
		}
	}
	return at;
}

/* Returns since when nobody has the lock. Calls that only waited do not prove that it was free
 * before. */
static int64_t free_since(const struct lock_story *l, int64_t at)
{
	int64_t since = 0;

	for (size_t i = 0; i < l->n_grants; i++) {
		const struct call *c = l->grants[i];
		const struct event *end = c->released ? c->released : c->killed;

		if (end && end->at <= at && end->at > since)
			since = end->at;
	}
	return since;
}

/* `since`: the lock is wanted, and free. The work in the gap may have been slow to begin with. */
static bool is_too_long(const struct excuses *x, const struct call *c, int64_t since,
			const struct span *gap)
{
	int64_t excused = gap->from - since;

	if (excused >= NEVER - LIMIT || gap->to <= story_after(x->story, since, excused + LIMIT))
		return false;
	excused += row_waits(x->story, c, &(struct span){since, gap->to});
	return gap->to > story_after(x->story, since, excused + LIMIT);
}

/* The first gap in a wait that is too long: as far as nothing excuses it. */
static bool find_gap(const struct excuses *x, const struct lock_story *l, const struct call *c,
		     struct span wait, struct span *gap)
{
	const struct obstacles *o = &x->obstacles;
	size_t i = obstacle_after(o, wait.from);
	int64_t from = wait.from, to;

	for (;; from = o->spans[i++].to) {
		to = i < o->n ? least(o->spans[i].from, wait.to) : wait.to;
		*gap = (struct span){from, to};
		if (is_too_long(x, c, from, gap)) {
			gap->from = excused_until(x, free_since(l, from), from);
			if (is_too_long(x, c, from, gap))
				return true;
		}
		if (i == o->n || o->spans[i].to >= wait.to)
			return false;
	}
}

/* ---- waits ---- */

static void check_wait(const struct story *s, const struct lock_story *l, const struct excuses *x,
		       const struct call *c, const char *what, struct findings *f)
{
	struct span wait = {c->called->at, least(call_left(c), s->end)}, gap;

	if (find_gap(x, l, c, wait, &gap))
		found(f, PROOF(c->called, c->granted, c->declined),
		      "%s: client %d.%d waits, and until +%lld us %s for %lld us", l->name,
		      c->client, c->thread, (long long)(gap.to - c->called->at), what,
		      (long long)(gap.to - gap.from));
}

static void check_lock(const struct story *s, const struct lock_story *l,
		       void (*read)(struct obstacles *, const struct lock_story *),
		       const char *what, struct findings *f)
{
	struct excuses x = {.story = s};

	read(&x.obstacles, l);
	read_remains(&x, s, l);
	for (size_t j = 0; j < l->n_calls; j++) {
		if (l->calls[j]->called && !l->calls[j]->enters)
			check_wait(s, l, &x, l->calls[j], what, f);
	}
	obstacles_free(&x.obstacles);
	free(x.remains);
}

void rule_forgotten(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++)
		check_lock(s, &s->locks[i], obstacles_of_holds, "nobody has it", f);
}

void rule_crowd(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		if (!s->locks[i].resized)
			check_lock(s, &s->locks[i], obstacles_of_crowds, "nobody is in its way", f);
	}
}
