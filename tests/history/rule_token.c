/* SPDX-License-Identifier: MIT */
/* Fencing tokens: an order of all grants of a name, which nobody's clock has a part in. */
#include <stdlib.h>

#include "history/rules.h"

static int by_token(const void *a, const void *b)
{
	const struct call *x = *(const struct call *const *)a, *y = *(const struct call *const *)b;

	if (x->granted->token != y->granted->token)
		return x->granted->token < y->granted->token ? -1 : 1;
	return x->granted < y->granted ? -1 : x->granted > y->granted;
}

static void check_unique(const struct lock_story *l, struct findings *f)
{
	struct call **sorted = calloc(l->n_grants + 1, sizeof(*sorted));

	for (size_t i = 0; i < l->n_grants; i++)
		sorted[i] = l->grants[i];
	qsort(sorted, l->n_grants, sizeof(*sorted), by_token);
	for (size_t i = 1; i < l->n_grants; i++) {
		if (sorted[i]->granted->token == sorted[i - 1]->granted->token)
			found(f, PROOF(sorted[i - 1]->granted, sorted[i]->granted),
			      "%s: token %lld is granted twice", l->name,
			      (long long)sorted[i]->granted->token);
	}
	free(sorted);
}

/* A grant may have been made long before it was received, by a process that stood still meanwhile.
 * Nobody can rely on it any more, and all that can be said is that it is newer than what was there
 * when its call began. */
static bool comes_after(const struct call *c, const struct call *before)
{
	return call_was_of_use(c) || before->granted->at < c->called->at;
}

static void check_growth(const struct lock_story *l, struct findings *f)
{
	const struct call *newest = NULL;

	for (size_t i = 0; i < l->n_grants; i++) {
		const struct call *c = l->grants[i];

		if (newest && c->granted->token < newest->granted->token && c->called &&
		    comes_after(c, newest))
			found(f, PROOF(newest->granted, c->granted),
			      "%s: token %lld is granted after %lld", l->name,
			      (long long)c->granted->token, (long long)newest->granted->token);
		if (!newest || c->granted->token > newest->granted->token)
			newest = c;
	}
}

void rule_token(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		check_unique(&s->locks[i], f);
		check_growth(&s->locks[i], f);
	}
}
