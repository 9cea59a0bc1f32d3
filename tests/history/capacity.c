/* SPDX-License-Identifier: MIT */
#include "history/capacity.h"

#include <stdlib.h>
#include <string.h>

#include "history/story_own.h"

/* Its end, if it was written down, and all went well. */
static int64_t ended(const struct history *h, size_t at)
{
	const struct event *began = &h->events[at];

	for (size_t i = at + 1; i < h->n; i++) {
		const struct event *e = &h->events[i];

		if (e->kind == EVENT_RESIZED && e->client == began->client &&
		    e->thread == began->thread && strcmp(e->name, began->name) == 0)
			return e->outcome ? NEVER : e->at;
	}
	return NEVER;
}

void capacities_read(struct capacities *c, const struct story *s, const char *name)
{
	const struct history *h = s->history;

	*c = (struct capacities){.all = story_array(h->n, sizeof(*c->all))};
	for (size_t i = 0; i < h->n; i++) {
		const struct event *e = &h->events[i];

		if (e->kind == EVENT_RESIZING && strcmp(e->name, name) == 0)
			c->all[c->n++] = (struct resize){e->capacity, e->at, ended(h, i)};
	}
}

void capacities_free(struct capacities *c)
{
	free(c->all);
}

/* Another one was stored behind it, and before then. */
static bool is_past(const struct capacities *c, const struct resize *r, int64_t at)
{
	for (size_t i = 0; i < c->n; i++) {
		if (r->to != NEVER && c->all[i].from > r->to && c->all[i].to < at)
			return true;
	}
	return false;
}

int64_t capacities_most(const struct capacities *c, int64_t from, int64_t to)
{
	int64_t most = 0;
	bool known = false;

	for (size_t i = 0; i < c->n; i++) {
		const struct resize *r = &c->all[i];

		known = known || r->to < from;
		if (r->from <= to && r->capacity > most && !is_past(c, r, from))
			most = r->capacity;
	}
	return known ? most : INT64_MAX;
}
