/* SPDX-License-Identifier: MIT */
#include "history/pace.h"

#include <stdlib.h>

static bool is_slow(const struct event *e)
{
	return e->kind == EVENT_PULSE && e->at - e->before > PACE_OF_A_PULSE;
}

void pace_read(struct pace *p, const struct history *h)
{
	int64_t lost = 0;
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += is_slow(&h->events[i]);
	*p = (struct pace){.slow = calloc(n + 1, sizeof(*p->slow)),
			   .slowness = h->slowness > 1 ? h->slowness : 1};
	if (!p->slow)
		abort();
	for (size_t i = 0; i < h->n; i++) {
		const struct event *e = &h->events[i];

		if (!is_slow(e))
			continue;
		lost += e->at - e->before - PACE_OF_A_PULSE;
		p->slow[p->n++] = (struct slow){e->before, e->at, lost};
	}
}

void pace_free(struct pace *p)
{
	free(p->slow);
}

/* Returns the time that did not count until then; a slow piece of work loses its share evenly. */
static int64_t lost_until(const struct pace *p, int64_t at)
{
	size_t low = 0, high = p->n;
	const struct slow *s;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p->slow[middle].to > at)
			high = middle;
		else
			low = middle + 1;
	}
	s = &p->slow[low];
	if (low == p->n || s->from >= at)
		return low > 0 ? s[-1].lost : 0;
	return s->lost - (s->to - s->from - PACE_OF_A_PULSE) * (s->to - at) / (s->to - s->from);
}

/* The time that counts never goes back, so a binary search finds it. */
int64_t pace_after(const struct pace *p, int64_t from, int64_t span)
{
	int64_t before = lost_until(p, from), all = p->n ? p->slow[p->n - 1].lost : 0;
	int64_t low, high;

	if (span < INT64_MAX / p->slowness)
		span *= p->slowness;
	if (from > INT64_MAX - span - all)
		return INT64_MAX;
	low = from + span;
	high = low + all - before;
	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (middle - from - (lost_until(p, middle) - before) >= span)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
