/* SPDX-License-Identifier: MIT */
/* Each call has exactly one outcome. */
#include "history/rules.h"

static void count(const struct call *c, int n, int right, const char *what, struct findings *f)
{
	if (n > right)
		found(f, PROOF(c->first, c->granted, c->declined, c->released),
		      "%s: a call of client %d.%d has %d %s", c->first->name, c->client, c->thread,
		      n, what);
}

void rule_outcome(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct call *c = &s->calls[i];

		count(c, c->outcomes, c->called != NULL, "outcomes that it should not have", f);
		count(c, c->releases, 1, "releases", f);
		count(c, c->ends, c->releases, "ends of its release", f);
		count(c, c->tellings, c->granted != NULL, "losses", f);
		count(c, c->changed, c->changes, "ends of its changes", f);
	}
}

/* ---- end ------------------------------------------------------------------------------------- */

/* Names the part of the call that has no end; NULL: none. */
static const char *left_open(const struct call *c)
{
	if (c->called && c->outcomes == 0)
		return "has no outcome";
	if (c->granted && !c->releasing)
		return "was not given back";
	if (c->changes > c->changed)
		return "has an upgrade or downgrade without an end";
	if (c->breaking && !c->broken)
		return "has a break without an end";
	return c->releases > c->ends ? "has a release without an end" : NULL;
}

void rule_end(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_clients; i++) {
		const struct client_story *c = &s->clients[i];

		if (c->opened && !c->killed && !c->closed)
			found(f, PROOF(c->opened), "client %d did not come to its end", c->id);
	}
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct call *c = &s->calls[i];
		const struct client_story *client = story_client(s, c->client);

		if (left_open(c) && !(client && client->killed))
			found(f, PROOF(c->first, c->granted), "%s: a call of client %d.%d %s",
			      c->first->name, c->client, c->thread, left_open(c));
	}
}
