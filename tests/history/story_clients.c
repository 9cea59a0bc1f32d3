/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "history/story_own.h"

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
	} else if (e->kind == EVENT_CLOSED) {
		client->closed = e;
	} else if (e->kind == EVENT_KILLED) {
		client->killed = e;
	}
}

static void begin(struct story *s, int client, int64_t from, int64_t to)
{
	s->troubles[s->n_troubles++] = (struct trouble){.client = client, .from = from, .to = to};
}

/* The trouble of this client that has not ended. */
static void end(struct story *s, int client, int64_t to)
{
	for (size_t i = s->n_troubles; i > 0; i--) {
		struct trouble *t = &s->troubles[i - 1];

		if (t->client == client && t->to == NEVER) {
			t->to = to;
			return;
		}
	}
}

static void note_trouble(struct story *s, const struct event *e)
{
	if (e->kind == EVENT_STOPPED || e->kind == EVENT_DOWN)
		begin(s, e->client, e->at, NEVER);
	else if (e->kind == EVENT_CONTINUED || e->kind == EVENT_UP)
		end(s, e->client, e->at);
	else if (e->kind == EVENT_CUT)
		begin(s, e->client, e->at, e->at);
	else if (e->kind == EVENT_STALLED)
		begin(s, e->client, e->before, e->at);
}

static bool is_trouble(const struct event *e)
{
	return e->kind == EVENT_STOPPED || e->kind == EVENT_DOWN || e->kind == EVENT_CUT ||
	       e->kind == EVENT_STALLED;
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
		note_trouble(s, &h->events[i]);
	}
}
