/* SPDX-License-Identifier: MIT */
#include "history/story.h"

#include <stdlib.h>
#include <string.h>

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
	return until;
}

bool call_was_of_use(const struct call *c)
{
	return c->granted->until > c->granted->at;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The last time of what should be once, so that a rule sees whatever came too much. */
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
		c->released = e;
		c->ends++;
		break;
	default:
		break;
	}
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
	return client && client->killed && (!c->released || c->released->at > client->killed->at) &&
	       !c->declined;
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
	for (size_t i = 0; i < n; i++) {
		const struct event *e = sorted[i];

		if (!c || c->client != e->client || c->first->wait != e->wait) {
			c = &s->calls[s->n_calls++];
			*c = (struct call){.client = e->client, .thread = e->thread, .first = e};
		}
		note(c, e);
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
	story_tell_clients(s);
	tell_calls(s);
	story_tell_locks(s);
}

void story_free(struct story *s)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		free(s->locks[i].calls);
		free(s->locks[i].grants);
		free(s->locks[i].presented);
	}
	free(s->locks);
	free(s->calls);
	free(s->clients);
	free(s->troubles);
}
