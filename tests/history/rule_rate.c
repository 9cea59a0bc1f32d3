/* SPDX-License-Identifier: MIT */
/* A rate is kept to: what was taken in a window, by those whose turn certainly came in it, is no more than its burst, and
 * what came free meanwhile. */
#include "history/rules.h"

/* The database counts by a clock that may be steered, by up to so many parts in a million. */
enum { STEERED_PPM = 1000 };

static bool is_taken(const struct event *e)
{
	return e->kind == EVENT_TAKEN;
}

/* Their turns came between `before`, at the earliest, and when they were told of. The events are in that order. */
static void check_from(const struct history *h, const struct event *first, struct findings *f)
{
	int64_t n = 0;

	for (const struct event *e = h->events; e < h->events + h->n; e++) {
		int64_t window = e->at - first->before;

		if (!is_taken(e) || e->before < first->before)
			continue;
		n += e->weight;
		if ((n - e->capacity) * e->lease <= window + window * STEERED_PPM / 1000000 + 1)
			continue;
		found(f, PROOF(first, e), "%lld of a rate were taken in %lld us", (long long)n,
		      (long long)window);
		return;
	}
}

void rule_rate(const struct story *s, struct findings *f)
{
	const struct history *h = s->history;

	for (size_t i = 0; i < h->n; i++)
		if (is_taken(&h->events[i]))
			check_from(h, &h->events[i], f);
}
