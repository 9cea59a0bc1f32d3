/* SPDX-License-Identifier: MIT */
/* Fencing tokens are an order of all grants of a name, without a clock. An upgrade is a grant as
 * well. */
#include <stdlib.h>

#include <dblock/lock.h>

#include "history/rules.h"

static int by_token(const void *a, const void *b)
{
	const struct stay *x = *(const struct stay *const *)a, *y = *(const struct stay *const *)b;

	if (x->token != y->token)
		return x->token < y->token ? -1 : 1;
	return x->begins < y->begins ? -1 : x->begins > y->begins;
}

/* The grants of one lock, in the order in which they were received; re-entries are none. */
struct grants {
	struct stay **all, **newest; /* newest: by token, of those up to here */
	size_t n;
};

static void grants_read(struct grants *g, const struct lock_story *l)
{
	*g = (struct grants){.all = calloc(l->n_stays + 1, sizeof(*g->all)),
			     .newest = calloc(l->n_stays + 1, sizeof(*g->newest))};
	for (size_t i = 0; i < l->n_stays; i++) {
		struct stay *stay = l->stays[i];

		if (!stay_is_grant(stay) ||
		    (stay->begins->kind == EVENT_GRANTED && stay->call->enters))
			continue;
		g->newest[g->n] = g->n && g->newest[g->n - 1]->token > stay->token
					  ? g->newest[g->n - 1]
					  : stay;
		g->all[g->n++] = stay;
	}
}

static void grants_free(struct grants *g)
{
	free(g->all);
	free(g->newest);
}

static void check_unique(const struct lock_story *l, const struct grants *g, struct findings *f)
{
	struct stay **sorted = calloc(g->n + 1, sizeof(*sorted));

	for (size_t i = 0; i < g->n; i++)
		sorted[i] = g->all[i];
	qsort(sorted, g->n, sizeof(*sorted), by_token);
	for (size_t i = 1; i < g->n; i++) {
		if (sorted[i]->token == sorted[i - 1]->token)
			found(f, PROOF(sorted[i - 1]->begins, sorted[i]->begins),
			      "%s: token %lld is granted twice", l->name,
			      (long long)sorted[i]->token);
	}
	free(sorted);
}

static void tell(const struct lock_story *l, const struct stay *newer, const struct stay *stay,
		 struct findings *f)
{
	found(f, PROOF(newer->begins, stay->begins), "%s: token %lld is granted after %lld",
	      l->name, (long long)stay->token, (long long)newer->token);
}

/* The grant's token is larger than all that had been received when it was asked for. */
static void check_growth(const struct lock_story *l, const struct grants *g,
			 const struct stay *stay, struct findings *f)
{
	size_t low = 0, high = g->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (g->all[middle]->begins->at < stay->asked->at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0 && g->newest[low - 1]->token > stay->token)
		tell(l, g->newest[low - 1], stay, f);
}

/* A grant that keeps others out has a larger token than all of theirs before it. But a grant may
 * have been made long before it was received, by a process that stood still meanwhile: nobody can
 * rely on it any more. The same holds for a grant that was taken away by force before. */
static void check_rivals(const struct lock_story *l, const struct grants *g, struct findings *f)
{
	const struct stay *newest[DBLOCK_PERMITS + 1] = {NULL};

	for (size_t i = 0; i < g->n; i++) {
		const struct stay *stay = g->all[i];

		for (int mode = 0; mode <= DBLOCK_PERMITS; mode++) {
			const struct stay *rival = newest[mode];

			if (rival && rival->token > stay->token && !stays_agree(rival, stay) &&
			    stay->until > stay->begins->at)
				tell(l, rival, stay, f);
		}
		if (!newest[stay->mode] || newest[stay->mode]->token < stay->token)
			newest[stay->mode] = stay;
	}
}

void rule_token(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		struct grants g;

		grants_read(&g, &s->locks[i]);
		check_unique(&s->locks[i], &g, f);
		for (size_t j = 0; j < g.n; j++) {
			if (g.all[j]->asked)
				check_growth(&s->locks[i], &g, g.all[j], f);
		}
		check_rivals(&s->locks[i], &g, f);
		grants_free(&g);
	}
}
