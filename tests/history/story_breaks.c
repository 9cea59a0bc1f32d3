/* SPDX-License-Identifier: MIT */
/*
 * Who may have lost a lock to a break. A break concerns whoever has the name while it lasts: a
 * grant that was asked for before the break ended, and not given back before it began. (If the
 * break ended early, its row in the database stays, and the holder hears of it later.)
 *
 * The holder knows before anybody else is let in, but for three cases. A break by force waits for
 * nobody. Nor does a client that breaks its own lock, whose handle becomes invalid at some moment
 * of the break that nobody writes down. And nobody can be told of a lease whose client is dead, or
 * was declared dead: that is excused from when the break began, if the client was killed, or its
 * session ended, after that or while the break lasted.
 */
#include <stdlib.h>
#include <string.h>

#include "history/story_own.h"

static int64_t ended(const struct call *breaks)
{
	return breaks->broken ? breaks->broken->at : NEVER;
}

static bool may_hit(const struct call *breaks, const struct call *c)
{
	return c->granted && strcmp(c->granted->name, breaks->breaking->name) == 0 &&
	       c->first->at < ended(breaks) &&
	       !(c->released && c->released->at < breaks->breaking->at);
}

static bool nobody_hears(const struct story *s, const struct call *breaks, const struct call *c)
{
	if (!c->called || !c->called->lease)
		return false;
	if (c->killed)
		return true;
	for (size_t i = 0; i < s->n_troubles; i++) {
		const struct trouble *t = &s->troubles[i];

		if (t->client == c->client && t->kind == EVENT_RENEWED &&
		    t->to > breaks->breaking->at)
			return true;
	}
	return false;
}

static bool waits_for_it(const struct story *s, const struct call *breaks, const struct call *c)
{
	return breaks->breaking->kind != EVENT_FORCING && breaks->client != c->client &&
	       !nobody_hears(s, breaks, c);
}

static void take_first(const struct event **first, const struct event *e)
{
	if (!*first || (*first)->at > e->at)
		*first = e;
}

static void tell_break(struct story *s, const struct call *breaks)
{
	for (size_t i = 0; i < s->n_calls; i++) {
		struct call *c = &s->calls[i];

		if (!may_hit(breaks, c))
			continue;
		take_first(&c->taken, breaks->breaking);
		if (!waits_for_it(s, breaks, c))
			take_first(&c->forced, breaks->breaking);
	}
}

/* A group is lost with the first of its names. */
static void tell_group(struct story *s, const struct call *lost)
{
	for (size_t i = 0; i < s->n_calls; i++) {
		struct call *c = &s->calls[i];

		if (c->client == lost->client && c->called &&
		    c->called->group == lost->called->group)
			take_first(&c->taken, lost->taken);
	}
}

bool waiter_may_be_broken(const struct lock_story *l, int64_t from, int64_t until)
{
	for (size_t i = 0; i < l->n_calls; i++) {
		const struct call *breaks = l->calls[i];

		if (breaks->breaking && breaks->breaking->kind == EVENT_FORCING &&
		    breaks->breaking->at < until && ended(breaks) > from &&
		    !(breaks->broken && breaks->broken->outcome > 0))
			return true;
	}
	return false;
}

void story_tell_breaks(struct story *s)
{
	for (size_t i = 0; i < s->n_calls; i++) {
		if (s->calls[i].breaking)
			tell_break(s, &s->calls[i]);
	}
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct call *c = &s->calls[i];

		if (c->taken && c->called && c->called->group)
			tell_group(s, c);
	}
}
