/* SPDX-License-Identifier: MIT */
/* DEADLOCK: no call is told so without a reason. */
#include <dblock/error.h>
#include <dblock/lock.h>

#include "history/cycle.h"
#include "history/rules.h"

static bool had_trouble(const struct story *s, const struct change *change, int64_t until)
{
	for (size_t i = 0; i < s->n_troubles; i++) {
		const struct trouble *t = &s->troubles[i];

		if ((t->client == 0 || t->client == change->call->client) && t->from <= until &&
		    t->to >= change->began->at)
			return true;
	}
	return false;
}

/* Returns when a row of the change may have been in the queue for the last time: trouble may leave
 * the row of one that was not answered, or not granted. */
static int64_t may_last_until(const struct story *s, const struct change *change)
{
	int64_t ttl = story_client(s, change->call->client)->ttl;

	if (!change->ended)
		return NEVER;
	return change->ended->at +
	       (change->ended->outcome != DBLOCK_OK && had_trouble(s, change, change->ended->at)
			? 2 * ttl
			: 0);
}

static bool has_rival(const struct story *s, const struct lock_story *l,
		      const struct change *change)
{
	for (size_t i = 0; i < l->n_changes; i++) {
		const struct change *other = l->changes[i];

		if (other->call != change->call && other->began->kind == EVENT_UPGRADING &&
		    other->began->at <= change->ended->at &&
		    may_last_until(s, other) >= change->began->at)
			return true;
	}
	return false;
}

static void check_victims(const struct story *s, const struct lock_story *l, struct findings *f)
{
	for (size_t i = 0; i < l->n_changes; i++) {
		const struct change *change = l->changes[i];

		if (change->ended && change->ended->outcome == DBLOCK_DEADLOCK &&
		    !has_rival(s, l, change) && !cycle_may_be(s, change->call, change->ended))
			found(f, PROOF(change->began, change->ended),
			      "%s: an upgrade of client %d.%d said DEADLOCK, and no other was "
			      "under way",
			      l->name, change->call->client, change->call->thread);
	}
}

void rule_victim(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++)
		check_victims(s, &s->locks[i], f);
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct call *c = &s->calls[i];

		if (c->declined && c->declined->outcome == DBLOCK_DEADLOCK &&
		    !cycle_may_be(s, c, c->declined))
			found(f, PROOF(c->called, c->declined),
			      "%s: a call of client %d.%d said DEADLOCK, and nobody who keeps it "
			      "waiting waits for it",
			      c->first->name, c->client, c->thread);
	}
}
