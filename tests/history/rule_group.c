/* SPDX-License-Identifier: MIT */
/* Several names at once: a call gets all of them, or none. All that comes by one return has one
 * time. */
#include "history/rules.h"

static bool is_of_group(const struct call *a, const struct call *b)
{
	return a->client == b->client && a->called && b->called &&
	       a->called->group == b->called->group;
}

/* Calls of one group are neighbours: calls are in order of client and wait. */
static void check_group(const struct call *first, size_t n, struct findings *f)
{
	const struct call *granted = NULL, *other = NULL;

	for (size_t i = 0; i < n; i++) {
		if (first[i].granted && !granted)
			granted = &first[i];
	}
	for (size_t i = 0; granted && i < n; i++) {
		if (!first[i].granted || first[i].granted->at != granted->granted->at)
			other = &first[i];
	}
	/* A client that was killed while it wrote the grants down has not written all. */
	if (other && !(first->killed && !other->declined && !other->granted))
		found(f, PROOF(first->called, granted->granted, other->granted, other->declined),
		      "client %d.%d is granted %s, and not %s with it", first->client,
		      first->thread, granted->first->name, other->first->name);
}

void rule_group(const struct story *s, struct findings *f)
{
	for (size_t i = 0, n; i < s->n_calls; i += n) {
		const struct call *first = &s->calls[i];

		n = 1;
		if (!first->called || !first->called->group)
			continue;
		while (i + n < s->n_calls && is_of_group(first, first + n))
			n++;
		check_group(first, n, f);
	}
}
