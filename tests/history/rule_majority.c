/* SPDX-License-Identifier: MIT */
/* A lock on a majority of several databases is granted by a majority, and by nobody else: not by the few that
 * answer, nor by what was known before. */
#include "history/rules.h"

static bool has_majority(const struct event *e)
{
	return e->capacity - e->weight > e->capacity / 2;
}

/* From then on no majority answers, until the other event; NULL: until the end. */
static void check_silence(const struct lock_story *l, const struct event *from,
			  const struct event *to, struct findings *f)
{
	for (size_t i = 0; i < l->n_grants; i++) {
		const struct call *c = l->grants[i];

		if (c->called && !c->enters && c->called->at > from->at &&
		    (!to || c->granted->at < to->at))
			found(f, PROOF(from, c->called, c->granted, to),
			      "%s: client %d.%d is granted it, and %lld of %lld members answer "
			      "nobody",
			      l->name, c->client, c->thread, (long long)from->weight,
			      (long long)from->capacity);
	}
}

static void check_until(const struct story *s, const struct event *from, const struct event *to,
			struct findings *f)
{
	for (size_t i = 0; from && i < s->n_locks; i++)
		check_silence(&s->locks[i], from, to, f);
}

void rule_majority(const struct story *s, struct findings *f)
{
	const struct history *h = s->history;
	const struct event *from = NULL;

	for (size_t i = 0; i < h->n; i++) {
		const struct event *e = &h->events[i];

		if (e->kind != EVENT_SILENT || has_majority(e) == !from)
			continue;
		check_until(s, from, e, f);
		from = from ? NULL : e;
	}
	check_until(s, from, NULL, f);
}
