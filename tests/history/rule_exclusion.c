/* SPDX-License-Identifier: MIT */
/* One holder at a time: seen from what is protected, and from those who believe that they hold. */
#include <stdlib.h>

#include "history/rules.h"

/* ---- guard ----------------------------------------------------------------------------------- */

/* What is protected says for itself. Nobody's clock is asked: each acceptance names the one before.
 */
static void check_verdict(const struct event *e, struct findings *f)
{
	if (e->outcome == 0 && e->token < e->before)
		found(f, PROOF(e), "%s: token %lld was accepted after %lld", e->name,
		      (long long)e->token, (long long)e->before);
	if (e->outcome && e->token >= e->before)
		found(f, PROOF(e), "%s: token %lld was refused, though none was newer", e->name,
		      (long long)e->token);
	if (e->outcome && e->until > e->at)
		found(f, PROOF(e),
		      "%s: the handle with token %lld is valid, and somebody with token %lld has "
		      "been before",
		      e->name, (long long)e->token, (long long)e->before);
}

static int by_token_presented(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a,
			   *y = *(const struct event *const *)b;

	return x->token < y->token ? -1 : x->token > y->token;
}

/* From BEFORE to TOKEN is a step up. Of two steps one begins where, or after where, the other ends,
 * or else it went down in between. */
static void check_steps(const struct lock_story *l, struct findings *f)
{
	const struct event **steps = calloc(l->n_presented + 1, sizeof(*steps));
	size_t n = 0;

	for (size_t i = 0; i < l->n_presented; i++) {
		const struct event *e = l->presented[i];

		if (e->outcome == 0 && e->before < e->token)
			steps[n++] = e;
	}
	qsort(steps, n, sizeof(*steps), by_token_presented);
	for (size_t i = 1; i < n; i++) {
		if (steps[i]->before < steps[i - 1]->token)
			found(f, PROOF(steps[i - 1], steps[i]),
			      "%s: accepted went up to token %lld twice", l->name,
			      (long long)steps[i - 1]->token);
	}
	free(steps);
}

void rule_guard(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		const struct lock_story *l = &s->locks[i];

		for (size_t j = 0; j < l->n_presented; j++)
			check_verdict(l->presented[j], f);
		check_steps(l, f);
	}
}

/* ---- overlap --------------------------------------------------------------------------------- */

static void check_overlaps(const struct lock_story *l, struct findings *f)
{
	const struct call *longest = NULL;

	for (size_t i = 0; i < l->n_grants; i++) {
		const struct call *c = l->grants[i];

		if (!call_was_of_use(c))
			continue;
		if (longest && c->granted->at < call_relied_until(longest))
			found(f,
			      PROOF(longest->granted, c->granted, longest->told,
				    longest->releasing),
			      "%s: client %d is granted it %lld us before client %d has done with "
			      "it",
			      l->name, c->client,
			      (long long)(call_relied_until(longest) - c->granted->at),
			      longest->client);
		if (!longest || call_relied_until(c) > call_relied_until(longest))
			longest = c;
	}
}

void rule_overlap(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++)
		check_overlaps(&s->locks[i], f);
}
