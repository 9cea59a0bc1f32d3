/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "history/story_own.h"

#define STILL 300000

const struct client_story *story_client(const struct story *s, int id)
{
	return id > 0 && (size_t)id < s->n_clients ? &s->clients[id] : NULL;
}

static void note_client(struct story *s, const struct event *e)
{
	struct client_story *client = &s->clients[e->client];

	client->id = e->client;
	if (e->kind == EVENT_OPENED) {
		client->opened = e;
		client->ttl = e->until - e->at;
		client->row_wait = e->lease;
		client->posts = e->weight != 0;
	} else if (e->kind == EVENT_CLOSED) {
		client->closed = e;
	} else if (e->kind == EVENT_KILLED) {
		client->killed = e;
	}
}

/* Returns the event that ends a trouble; the kind itself if it ends at once; EVENT_KINDS if the
 * event is no trouble. */
static enum event_kind ended_by(enum event_kind kind)
{
	switch (kind) {
	case EVENT_STOPPED:
		return EVENT_CONTINUED;
	case EVENT_PARTED:
		return EVENT_JOINED;
	case EVENT_DOWN:
		return EVENT_UP;
	case EVENT_CUT:
	case EVENT_STALLED:
	case EVENT_RENEWED:
	case EVENT_PULSE:
		return kind;
	default:
		return EVENT_KINDS;
	}
}

/* The machine is slow now and then. A process that stands still for long is in trouble, and so is
 * everybody if the machine does. */
static bool is_trouble(const struct event *e)
{
	return ended_by(e->kind) != EVENT_KINDS &&
	       (e->kind != EVENT_PULSE || e->at - e->before > STILL);
}

static void begin(struct story *s, const struct event *e)
{
	struct trouble t = {.client = e->client, .kind = e->kind, .from = e->at, .to = NEVER};

	if (e->kind == EVENT_STALLED || e->kind == EVENT_RENEWED || e->kind == EVENT_PULSE)
		t.from = e->before;
	if (ended_by(e->kind) == e->kind)
		t.to = e->at;
	s->troubles[s->n_troubles++] = t;
}

static void end(struct story *s, const struct event *e)
{
	for (size_t i = 0; i < s->n_troubles; i++) {
		struct trouble *t = &s->troubles[i];

		if (t->client == e->client && t->to == NEVER && ended_by(t->kind) == e->kind)
			t->to = e->at;
	}
}

void story_tell_clients(struct story *s)
{
	const struct history *h = s->history;
	size_t troubles = 0;

	for (size_t i = 0; i < h->n; i++) {
		if ((size_t)h->events[i].client >= s->n_clients)
			s->n_clients = (size_t)h->events[i].client + 1;
		troubles += is_trouble(&h->events[i]);
	}
	s->clients = story_array(s->n_clients, sizeof(*s->clients));
	s->troubles = story_array(troubles, sizeof(*s->troubles));
	for (size_t i = 0; i < h->n; i++) {
		if (h->events[i].client)
			note_client(s, &h->events[i]);
		if (is_trouble(&h->events[i]))
			begin(s, &h->events[i]);
		else if (!h->events[i].wait)
			end(s, &h->events[i]);
	}
}
