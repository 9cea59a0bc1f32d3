/* SPDX-License-Identifier: MIT */
#include "sim/report.h"

#include <stdio.h>
#include <string.h>

void report_add(struct report *r, const struct world *w)
{
	for (int i = 0; i < COUNT_KINDS; i++)
		r->counts[i] += w->history.counts[i];
	r->worlds++;
	r->events += w->events;
	r->lived += w->now;
	r->broken += w->broken != NULL;
}

/* An event of which fewer would be enough may be missing by chance: it is only asked of more
 * worlds. */
enum { LEAST_ASKED = 5 };

/* MySQL has no statement for it. */
static bool is_here(int kind)
{
	return kind != COUNT_entered || strncmp(database_url, "mysql:", 6) != 0;
}

static bool print_count(const struct report *r, const struct count *c)
{
	int64_t floor = is_here(c->kind) ? c->floor * (int64_t)r->worlds / 1000 : 0;
	bool enough = floor < LEAST_ASKED || r->counts[c->kind] >= floor;

	printf("  %-18s %12lld", c->name, (long long)r->counts[c->kind]);
	if (!enough)
		printf("   TOO FEW: at least %lld are asked for", (long long)floor);
	printf("\n");
	return enough;
}

bool report_print(const struct report *r, const struct count *counts, double seconds)
{
	bool enough = true;

	for (const struct count *c = counts; c->name; c++)
		enough = print_count(r, c) && enough;
	printf("%llu worlds, %llu events, %.0f s of their time in %.1f s: %.0f events/s\n",
	       (unsigned long long)r->worlds, (unsigned long long)r->events, (double)r->lived / 1e6,
	       seconds, (double)r->events / seconds);
	return enough;
}
