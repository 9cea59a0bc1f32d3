/* SPDX-License-Identifier: MIT */
#include "history/cycle.h"

#include <stdlib.h>
#include <string.h>

#include <dblock/error.h>
#include <dblock/lock.h>

#include "history/story_own.h"

/* A cycle is confirmed by two looks, this long apart. The victim is told at the latest this long
 * after the cycle was seen for the last time: it has to leave the queue first. */
#define LOOKS_APART   150000
#define LEAVES_WITHIN 1500000

/* A lock that a thread holds, or waits for. */
struct claim {
	const struct call *call;
	int mode;
	int64_t weight;
	bool waits, upgrades, reached;
};

struct claims {
	const struct story *story;
	struct claim *of;
	size_t n;
};

/* ---- at that time ---------------------------------------------------------------------------- */

/* Returns when the call's row is gone at the latest: a row that nobody could take back, or that
 * nobody knows of, stays until its session ends. */
static int64_t with_remains(const struct story *s, const struct call *c, const struct event *end)
{
	int64_t ttl = story_client(s, c->client)->ttl;

	if (c->killed && (!end || end->at > c->killed->at))
		return c->killed->at + ttl;
	if (!end)
		return NEVER;
	if (end->outcome < 0 || end->outcome == DBLOCK_LOST)
		return end->at + 2 * ttl;
	for (size_t i = 0; i < s->n_troubles; i++) {
		const struct trouble *t = &s->troubles[i];

		if ((!t->client || t->client == c->client) && t->from <= end->at &&
		    t->to >= c->first->at)
			return end->at + 2 * ttl;
	}
	return end->at;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static bool is_there(const struct story *s, int64_t from, int64_t to, const struct event *told)
{
	return from <= told->at && (to == NEVER || story_after(s, to, LEAVES_WITHIN) >= told->at);
}

/* Tells whether the wait was there for long enough to be seen twice. */
static bool waits(const struct story *s, int64_t from, int64_t to, const struct event *told)
{
	return from + LOOKS_APART <= least(to, told->at) && is_there(s, from, to, told);
}

static void claim(struct claims *claims, struct claim claim)
{
	claims->of[claims->n++] = claim;
}

static void read_call(struct claims *claims, const struct call *c, const struct event *told)
{
	const struct story *s = claims->story;
	const struct event *wanted = c->granted ? c->granted : c->declined;
	struct claim it = {.call = c, .mode = call_mode(c), .weight = c->first->weight};
	int64_t from = c->granted ? c->granted->at : c->first->at;

	/* A call that failed may have been granted the lock. */
	if (is_there(s, from, with_remains(s, c, c->granted ? c->released : c->declined), told) &&
	    (c->granted || with_remains(s, c, c->declined) != call_ended(c)))
		claim(claims, it);
	it.waits = true;
	if (c->called && waits(s, c->first->at, with_remains(s, c, wanted), told))
		claim(claims, it);
}

static bool may_have_come_through(const struct change *change, int64_t to)
{
	return !change->ended || change->ended->outcome == DBLOCK_OK || to > change->ended->at;
}

static void read_change(struct claims *claims, const struct change *change,
			const struct event *told)
{
	struct claim it = {.call = change->call, .mode = DBLOCK_EXCLUSIVE, .upgrades = true};
	int64_t from = change->began->at;
	int64_t to = with_remains(claims->story, change->call, change->ended);

	if (change->began->kind != EVENT_UPGRADING)
		return;
	if (may_have_come_through(change, to) &&
	    is_there(claims->story, from,
		     with_remains(claims->story, change->call, change->call->released), told))
		claim(claims, it);
	it.waits = waits(claims->story, from, to, told);
	if (it.waits)
		claim(claims, it);
}

static void claims_read(struct claims *claims, const struct story *s, const struct event *told)
{
	*claims = (struct claims){.story = s};
	claims->of = story_array(2 * (s->n_calls + s->n_changes), sizeof(*claims->of));
	for (size_t i = 0; i < s->n_calls; i++)
		read_call(claims, &s->calls[i], told);
	for (size_t i = 0; i < s->n_changes; i++)
		read_change(claims, &s->changes[i], told);
}

/* ---- the cycle ------------------------------------------------------------------------------ */

static bool is_same_thread(const struct call *a, const struct call *b)
{
	return a->client == b->client && a->thread == b->thread;
}

static bool is_group(const struct claim *it)
{
	return it->call->called && it->call->called->group;
}

/* Tells whether the one before it in the queue waits for longer than `wait` alone would have to. */
static bool is_slower(const struct claim *before, const struct claim *wait)
{
	if (before->upgrades || is_group(before))
		return true;
	if (wait->mode == DBLOCK_PERMITS)
		return before->mode == DBLOCK_PERMITS && before->weight > wait->weight;
	return (wait->mode == DBLOCK_SHARED && before->mode != DBLOCK_SHARED) ||
	       (wait->mode == DBLOCK_UPDATE && before->mode == DBLOCK_EXCLUSIVE);
}

/* Tells whether it keeps the other out. Any number of permits may be too many. */
static bool keeps_out(const struct claim *it, const struct claim *wait)
{
	if (is_same_thread(it->call, wait->call) ||
	    strcmp(it->call->first->name, wait->call->first->name) != 0)
		return false;
	if (it->waits)
		return is_slower(it, wait);
	return it->mode == DBLOCK_PERMITS || !modes_agree(it->mode, wait->mode);
}

/* Goes on from all that keeps this one waiting, to whatever their threads wait for. Returns true if
 * one of them is the victim. */
static bool goes_round(struct claims *claims, const struct claim *wait, const struct call *victim)
{
	for (size_t i = 0; i < claims->n; i++) {
		const struct claim *it = &claims->of[i];

		if (!keeps_out(it, wait))
			continue;
		if (is_same_thread(it->call, victim))
			return true;
		for (size_t j = 0; j < claims->n; j++) {
			struct claim *next = &claims->of[j];

			if (!next->waits || next->reached || !is_same_thread(next->call, it->call))
				continue;
			next->reached = true;
			if (goes_round(claims, next, victim))
				return true;
		}
	}
	return false;
}

bool cycle_may_be(const struct story *s, const struct call *victim, const struct event *told)
{
	struct claims claims;
	bool found = false;

	claims_read(&claims, s, told);
	for (size_t i = 0; i < claims.n && !found; i++) {
		struct claim *it = &claims.of[i];

		if (!it->waits || !is_same_thread(it->call, victim) || it->reached)
			continue;
		it->reached = true;
		found = goes_round(&claims, it, victim);
	}
	free(claims.of);
	return found;
}
