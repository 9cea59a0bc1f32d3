/* SPDX-License-Identifier: MIT */
/*
 * First come, first served, if nobody has written down the ticket. When a call joined the queue is
 * not known then; but after AT_LEAST it must have been there, if its client had no trouble. So must
 * an upgrade, and a group in the queues of all its names: they are kept free for it. A transaction
 * that has the lock fenced has its row locked: as long as that lasts nobody joins the queue, and
 * that time does not count; nor does that of a machine that is slow (pace.h). Who has another priority may be
 * ranked before it all the same, or behind it though he came first (rank.h).
 */
#include <stdlib.h>

#include <dblock/error.h>
#include <dblock/lock.h>

#include "history/rank.h"
#include "history/row_waits.h"
#include "history/rules.h"

#define AT_LEAST 1500000

/* A wait of a call, or of an upgrade. */
struct wait {
	const struct call *call;
	const struct event *began, *granted;
	int64_t left;
	int64_t in_queue; /* at the latest */
};

/* A fence that was refused has locked nothing. */
static int64_t fence_ended(const struct call *c)
{
	if (c->fenced && c->fenced->outcome)
		return c->fenced->at;
	if (c->committed)
		return c->committed->at;
	if (c->released)
		return c->released->at;
	return c->killed ? c->killed->at : NEVER;
}

/* Returns for how long, in that time, transactions that fence the lock had its row. */
static int64_t fenced_for(const struct lock_story *l, int64_t from, int64_t to)
{
	int64_t sum = 0;

	for (size_t i = 0; i < l->n_grants; i++) {
		const struct call *c = l->grants[i];
		int64_t begins, ends;

		if (!c->fencing)
			continue;
		begins = c->fencing->at > from ? c->fencing->at : from;
		ends = fence_ended(c) < to ? fence_ended(c) : to;
		sum += ends > begins ? ends - begins : 0;
	}
	return sum;
}

static int64_t in_queue_by(const struct story *s, const struct lock_story *l, int64_t began)
{
	int64_t before, by = story_after(s, began, AT_LEAST);

	do {
		before = by;
		by = story_after(s, began, AT_LEAST + fenced_for(l, began, before));
	} while (by > before);
	return by;
}

static bool had_trouble(const struct story *s, int client, int64_t from, int64_t to)
{
	for (size_t i = 0; i < s->n_troubles; i++) {
		const struct trouble *t = &s->troubles[i];

		if ((t->client == 0 || t->client == client) && t->from <= to && t->to >= from)
			return true;
	}
	return false;
}

/* Tells whether a call that was granted the lock without anybody's knowledge lets this wait in. */
static bool may_have_it(const struct wait *w, const struct call *c)
{
	const struct event *wants = w->began, *has = c->granted;

	if (w->granted || !modes_agree(wants->mode, has->mode))
		return false;
	return wants->mode != DBLOCK_PERMITS || wants->weight + has->weight <= wants->capacity;
}

static bool is_passed_by(const struct story *s, const struct lock_story *l, const struct wait *w,
			 size_t grant)
{
	const struct call *c = l->grants[grant];
	int64_t later = story_after(s, c->granted->at, AT_LEAST);

	if (!c->called || c->enters || c->granted->at >= w->left || !call_was_of_use(c) ||
	    !rank_is_passed(s, l, grant, w->began, w->in_queue))
		return false;
	if (w->granted && w->granted->token < c->granted->token)
		return false;
	return !(may_have_it(w, c) && w->left < later) &&
	       !had_trouble(s, w->call->client, w->began->at, later);
}

/* Returns the index of the first grant that was received after `at`. */
static size_t first_after(const struct lock_story *l, int64_t at)
{
	size_t low = 0, high = l->n_grants;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (l->grants[middle]->granted->at > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* On MySQL the wait may have waited for somebody's row before it joined the queue. */
static bool was_in_queue(const struct story *s, const struct lock_story *l, const struct wait *w,
			 size_t grant)
{
	const struct span span = {w->began->at, rank_settled(l, grant, w->began)};

	return rank_is_passed(s, l, grant, w->began, w->in_queue + row_waits(s, w->call, &span));
}

static void check_wait(const struct story *s, const struct lock_story *l, const struct wait *w,
		       struct findings *f)
{
	for (size_t i = first_after(l, w->in_queue);
	     i < l->n_grants && l->grants[i]->granted->at < w->left; i++) {
		const struct call *c = l->grants[i];

		if (is_passed_by(s, l, w, i) && was_in_queue(s, l, w, i) &&
		    !waiter_may_be_broken(l, w->began->at, c->granted->at))
			found(f, PROOF(w->began, c->called, c->granted, w->granted),
			      "%s: client %d.%d is granted, and client %d.%d waits for it %s",
			      l->name, c->client, c->thread, w->call->client, w->call->thread,
			      event_mode_name(w->began->mode));
	}
}

static bool failed(const struct event *outcome)
{
	return outcome && (outcome->outcome < 0 || outcome->outcome == DBLOCK_LOST);
}

void rule_queue(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		const struct lock_story *l = &s->locks[i];

		for (size_t j = 0; j < l->n_calls && !l->resized; j++) {
			const struct call *c = l->calls[j];
			struct wait w = {c, c->called, c->granted, call_left(c), 0};

			if (!c->called || c->enters || failed(c->declined))
				continue;
			w.in_queue = in_queue_by(s, l, c->called->at);
			check_wait(s, l, &w, f);
		}
	}
}

/* ---- upgrade --------------------------------------------------------------------------------- */

/* The upgrade counts as long as its handle is known to be valid. */
static void check_upgrade(const struct story *s, const struct lock_story *l,
			  const struct change *change, struct findings *f)
{
	const struct call *c = change->call;
	const struct event *ended = change->ended;
	struct wait w = {c, change->began, ended && !ended->outcome ? ended : NULL, c->valid_until,
			 in_queue_by(s, l, change->began->at)};

	if (ended && ended->at < w.left)
		w.left = ended->at;
	if (c->killed && c->killed->at < w.left)
		w.left = c->killed->at;
	if (c->canceling && c->canceling->at < w.left)
		w.left = c->canceling->at;
	if (!failed(ended))
		check_wait(s, l, &w, f);
}

void rule_upgrade(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		for (size_t j = 0; j < s->locks[i].n_changes; j++) {
			if (s->locks[i].changes[j]->began->kind == EVENT_UPGRADING)
				check_upgrade(s, &s->locks[i], s->locks[i].changes[j], f);
		}
	}
}
