/* SPDX-License-Identifier: MIT */
#include "history/story.h"

#include <stdlib.h>
#include <string.h>

#include <dblock/error.h>
#include <dblock/lock.h>

#include "history/story_own.h"

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t call_ended(const struct call *c)
{
	if (c->granted)
		return c->granted->at;
	return c->declined ? c->declined->at : NEVER;
}

int64_t call_left(const struct call *c)
{
	int64_t left = call_ended(c);

	if (c->called && c->called->until)
		left = least(left, c->called->until);
	if (c->canceling)
		left = least(left, c->canceling->at);
	return c->killed ? least(left, c->killed->at) : left;
}

int64_t call_relied_until(const struct call *c)
{
	int64_t until = c->valid_until;

	if (c->releasing)
		until = least(until, c->releasing->at);
	if (c->told)
		until = least(until, c->told->at);
	if (c->forced)
		until = least(until, c->forced->at);
	if (c->killed)
		until = least(until, c->killed->before ? c->killed->before : c->killed->at);
	return until;
}

bool call_was_of_use(const struct call *c)
{
	return c->granted->until > c->granted->at;
}

/* ---- modes ----------------------------------------------------------------------------------- */

int call_mode(const struct call *c)
{
	if (c->called)
		return c->called->mode;
	return c->granted ? c->granted->mode : DBLOCK_EXCLUSIVE;
}

bool modes_agree(int a, int b)
{
	if (a == DBLOCK_PERMITS || b == DBLOCK_PERMITS)
		return a == b;
	if (a == DBLOCK_EXCLUSIVE || b == DBLOCK_EXCLUSIVE)
		return false;
	return a == DBLOCK_SHARED || b == DBLOCK_SHARED;
}

bool stays_agree(const struct stay *a, const struct stay *b)
{
	if (!modes_agree(a->mode, b->mode))
		return false;
	if (a->mode != DBLOCK_PERMITS || a->capacity != b->capacity)
		return a->mode != DBLOCK_PERMITS;
	/* Of a capacity that is stored this is a matter of when: the rule about permits knows. */
	return a->capacity == DBLOCK_CAPACITY_STORED || a->weight + b->weight <= a->capacity;
}

bool stay_is_grant(const struct stay *stay)
{
	return stay->begins->kind == EVENT_GRANTED || stay->begins->kind == EVENT_UPGRADED;
}

static const struct call *outermost(const struct call *c)
{
	return c->enters ? c->enters : c;
}

bool stays_are_one(const struct stay *a, const struct stay *b)
{
	return outermost(a->call) == outermost(b->call);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* A release that was refused, as a transaction has the lock fenced, does not count. */
static void note_released(struct call *c, const struct event *e)
{
	if (e->outcome == DBLOCK_FENCED) {
		c->releasing = NULL;
		c->releases--;
		return;
	}
	c->released = e;
	c->ends++;
}

/* Of events that should happen once the last is kept, so that a rule sees what came too much; but
 * of requests to give up the first is kept: from then on the call does not want the lock. */
static void note(struct call *c, const struct event *e)
{
	if (e->until > c->valid_until && e->kind != EVENT_CALLED)
		c->valid_until = e->until;
	switch (e->kind) {
	case EVENT_CALLED:
		c->called = e;
		break;
	case EVENT_QUEUED:
		c->queued = e;
		break;
	case EVENT_CANCELING:
		if (!c->canceling)
			c->canceling = e;
		break;
	case EVENT_GRANTED:
		c->granted = e;
		c->outcomes++;
		break;
	case EVENT_DECLINED:
		c->declined = e;
		c->outcomes++;
		break;
	case EVENT_TOLD:
		c->told = e;
		c->tellings++;
		break;
	case EVENT_RELEASING:
		c->releasing = e;
		c->releases++;
		break;
	case EVENT_RELEASED:
		note_released(c, e);
		break;
	case EVENT_BREAKING:
	case EVENT_FORCING:
		c->breaking = e;
		break;
	case EVENT_BROKEN:
		c->broken = e;
		break;
	case EVENT_FENCING:
		c->fencing = e;
		break;
	case EVENT_FENCED:
		c->fenced = e;
		break;
	case EVENT_WRITTEN:
		c->written = e;
		break;
	case EVENT_COMMITTING:
		c->committing = e;
		break;
	case EVENT_COMMITTED:
		c->committed = e;
		break;
	default:
		break;
	}
}

static struct stay *begin_stay(struct story *s, struct call *c, const struct event *asked,
			       const struct event *begins)
{
	struct stay *stay = &s->stays[s->n_stays++];

	*stay = (struct stay){.call = c,
			      .asked = asked,
			      .begins = begins,
			      .mode = begins->mode,
			      .weight = begins->weight,
			      .capacity = begins->capacity,
			      .token = begins->token,
			      .until = NEVER};
	return stay;
}

/* Returns the call's present stay; NULL: it has none. */
static struct stay *last_stay(struct story *s, const struct call *c)
{
	return s->n_stays && s->stays[s->n_stays - 1].call == c ? &s->stays[s->n_stays - 1] : NULL;
}

/* The call goes on in another mode, or in that of an earlier stay. */
static void change_stay(struct story *s, struct call *c, const struct event *asked,
			const struct event *e, int mode)
{
	struct stay *before = last_stay(s, c), *stay;

	if (!before)
		return;
	before->until = e->at;
	stay = begin_stay(s, c, asked, e);
	stay->mode = mode;
	if (e->kind != EVENT_UPGRADED)
		stay->token = before->token;
}

static void begin_change(struct story *s, struct call *c, const struct event *e)
{
	s->changes[s->n_changes++] = (struct change){.call = c, .began = e};
	c->changes++;
	if (e->kind == EVENT_DOWNGRADING)
		change_stay(s, c, e, e, e->mode);
}

/* A downgrade that failed has lost the lock, or changed nothing. */
static void end_change(struct story *s, struct call *c, const struct event *e)
{
	struct change *change = s->n_changes ? &s->changes[s->n_changes - 1] : NULL;
	struct stay *stay = last_stay(s, c);

	c->changed++;
	if (!change || change->call != c || change->ended)
		return;
	change->ended = e;
	if (e->kind == EVENT_UPGRADED && e->outcome == DBLOCK_OK)
		change_stay(s, c, change->began, e, DBLOCK_EXCLUSIVE);
	else if (e->kind == EVENT_DOWNGRADED && e->outcome && e->until > e->at && stay > s->stays)
		change_stay(s, c, change->began, e, stay[-1].mode);
	else if (e->kind == EVENT_DOWNGRADED && e->outcome && stay)
		stay->until = e->at;
	else if (e->kind == EVENT_DOWNGRADED && e->token && stay)
		stay->token = e->token; /* the token of a turn's row: see docs/user/local.md */
}

static void note_stay(struct story *s, struct call *c, const struct event *e)
{
	if (e->kind == EVENT_GRANTED)
		begin_stay(s, c, c->called, e);
	else if (e->kind == EVENT_UPGRADING || e->kind == EVENT_DOWNGRADING)
		begin_change(s, c, e);
	else if (e->kind == EVENT_UPGRADED || e->kind == EVENT_DOWNGRADED)
		end_change(s, c, e);
	else if (e->kind == EVENT_FENCED && last_stay(s, c))
		last_stay(s, c)->token = e->token; /* likewise */
}

static int by_call(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a,
			   *y = *(const struct event *const *)b;

	if (x->client != y->client)
		return x->client < y->client ? -1 : 1;
	if (x->wait != y->wait)
		return x->wait < y->wait ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool is_killed(const struct client_story *client, const struct call *c)
{
	return client && client->killed && !c->breaking &&
	       (!c->released || c->released->at > client->killed->at) && !c->declined;
}

/* Each run of events with one client and wait is a call. */
static void tell_calls(struct story *s)
{
	const struct history *h = s->history;
	const struct event **sorted = story_array(h->n, sizeof(*sorted));
	struct call *c = NULL;
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++) {
		if (h->events[i].wait)
			sorted[n++] = &h->events[i];
	}
	qsort(sorted, n, sizeof(*sorted), by_call);
	s->calls = story_array(n, sizeof(*s->calls));
	s->stays = story_array(n, sizeof(*s->stays));
	s->changes = story_array(n, sizeof(*s->changes));
	for (size_t i = 0; i < n; i++) {
		const struct event *e = sorted[i];

		if (!c || c->client != e->client || c->first->wait != e->wait) {
			c = &s->calls[s->n_calls++];
			*c = (struct call){.client = e->client, .thread = e->thread, .first = e};
		}
		note(c, e);
		note_stay(s, c, e);
	}
	free(sorted);
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct client_story *client = story_client(s, s->calls[i].client);

		if (is_killed(client, &s->calls[i]))
			s->calls[i].killed = client->killed;
	}
}

/* ---- all of it ------------------------------------------------------------------------------- */

void *story_array(size_t n, size_t size)
{
	void *array = calloc(n + 1, size);

	if (!array)
		abort();
	return array;
}

void story_tell(struct story *s, const struct history *h)
{
	*s = (struct story){.history = h};
	s->end = h->n ? h->events[h->n - 1].at : 0;
	pace_read(&s->pace, h);
	story_tell_clients(s);
	tell_calls(s);
	story_tell_breaks(s);
	for (size_t i = 0; i < s->n_stays; i++)
		s->stays[i].until = least(s->stays[i].until, call_relied_until(s->stays[i].call));
	story_tell_locks(s);
}

int64_t story_after(const struct story *s, int64_t from, int64_t span)
{
	return pace_after(&s->pace, from, span);
}

void story_free(struct story *s)
{
	story_free_locks(s);
	free(s->calls);
	free(s->stays);
	free(s->changes);
	free(s->clients);
	free(s->troubles);
	pace_free(&s->pace);
}
