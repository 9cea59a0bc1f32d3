/* SPDX-License-Identifier: MIT */
/* A lock is held in the mode that was asked for. A thread that holds it in a mode that covers
 * another one is not granted it a second time, but enters again. */
#include <dblock/lock.h>

#include "history/rules.h"

static bool suffices_for(int mode, int wished)
{
	return mode == wished || mode == DBLOCK_EXCLUSIVE ||
	       (mode == DBLOCK_UPDATE && wished == DBLOCK_SHARED);
}

/* Returns the stay of a call at that time; NULL: it had none, or had begun to give it back. */
static const struct stay *stay_at(const struct lock_story *l, const struct call *c, int64_t at)
{
	const struct stay *stay = NULL;

	for (size_t i = 0; i < l->n_stays && l->stays[i]->begins->at <= at; i++) {
		if (l->stays[i]->call == c)
			stay = l->stays[i];
	}
	return stay && !(c->releasing && c->releasing->at < at) ? stay : NULL;
}

static void check_entered(const struct lock_story *l, const struct call *c, struct findings *f)
{
	const struct stay *stay = stay_at(l, c->enters, c->granted->at);

	if (!stay)
		found(f, PROOF(c->enters->granted, c->enters->releasing, c->granted),
		      "%s: client %d.%d enters again what it has given back", l->name, c->client,
		      c->thread);
	else if (stay->mode == DBLOCK_PERMITS || stay->token != c->granted->token ||
		 stay->mode != c->granted->mode || !suffices_for(stay->mode, call_mode(c)))
		found(f, PROOF(stay->begins, c->called, c->granted),
		      "%s: client %d.%d enters again, %s, what it holds %s", l->name, c->client,
		      c->thread, event_mode_name(call_mode(c)), event_mode_name(stay->mode));
}

static bool asked_for(const struct event *called, const struct event *granted)
{
	return called->mode == granted->mode && called->weight == granted->weight &&
	       called->capacity == granted->capacity;
}

/* The same thread had the lock all the time of the call. */
static void check_not_entered(const struct lock_story *l, const struct call *c, struct findings *f)
{
	for (size_t i = 0; i < l->n_stays && l->stays[i]->begins->at < c->called->at; i++) {
		const struct stay *stay = l->stays[i];

		if (stay->call != c && stay->call->client == c->client &&
		    stay->call->thread == c->thread && stay->until > c->granted->at &&
		    stay->mode != DBLOCK_PERMITS && suffices_for(stay->mode, call_mode(c))) {
			found(f, PROOF(stay->begins, c->called, c->granted),
			      "%s: client %d.%d is granted a second time what it holds", l->name,
			      c->client, c->thread);
			return;
		}
	}
}

static void check_granted(const struct lock_story *l, const struct call *c, struct findings *f)
{
	if (c->enters) {
		check_entered(l, c, f);
		return;
	}
	if (!c->called)
		return;
	if (!asked_for(c->called, c->granted))
		found(f, PROOF(c->called, c->granted),
		      "%s: client %d.%d asked for it %s, and is "
		      "granted it %s",
		      l->name, c->client, c->thread, event_mode_name(c->called->mode),
		      event_mode_name(c->granted->mode));
	check_not_entered(l, c, f);
}

void rule_mode(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		for (size_t j = 0; j < s->locks[i].n_grants; j++)
			check_granted(&s->locks[i], s->locks[i].grants[j], f);
	}
}
