/* SPDX-License-Identifier: MIT */
/* A release: it ends the grant that it is meant for, and no other. */
#include <stdlib.h>

#include <dblock/error.h>

#include "history/rules.h"

/* Of each grant and all that were received before it, the newest; the caller frees it. */
static struct call **newest_so_far(const struct lock_story *l)
{
	struct call **newest = calloc(l->n_grants + 1, sizeof(*newest));

	for (size_t i = 0; i < l->n_grants; i++) {
		bool newer = i == 0 || l->grants[i]->granted->token > newest[i - 1]->granted->token;

		newest[i] = newer ? l->grants[i] : newest[i - 1];
	}
	return newest;
}

/* The newest grant that somebody had received before then; NULL: none. */
static const struct call *newest_before(const struct lock_story *l, struct call **newest,
					int64_t at)
{
	size_t low = 0, high = l->n_grants;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (l->grants[middle]->granted->at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? newest[low - 1] : NULL;
}

static void check_success(const struct lock_story *l, const struct call *c,
			  const struct call *newest, struct findings *f)
{
	if (newest && newest->granted->token > c->releasing->token)
		found(f, PROOF(newest->granted, c->releasing, c->released),
		      "%s: the release of token %lld said OK, when the lock had gone on to %lld",
		      l->name, (long long)c->releasing->token, (long long)newest->granted->token);
	if (c->told && c->told->at < c->releasing->at)
		found(f, PROOF(c->granted, c->told, c->releasing, c->released),
		      "%s: token %lld was told to be lost, and its release said OK", l->name,
		      (long long)c->releasing->token);
}

static void check_releases(const struct lock_story *l, struct findings *f)
{
	struct call **newest = newest_so_far(l);

	for (size_t i = 0; i < l->n_calls; i++) {
		const struct call *c = l->calls[i];

		if (c->releasing && c->released && c->released->outcome == DBLOCK_OK)
			check_success(l, c, newest_before(l, newest, c->releasing->at), f);
	}
	free(newest);
}

void rule_release(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++)
		check_releases(&s->locks[i], f);
}

/* ---- kept ------------------------------------------------------------------------------------ */

void rule_kept(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct call *c = &s->calls[i];

		if (c->releasing && c->released && c->released->outcome == DBLOCK_LOST &&
		    c->released->at < c->releasing->until)
			found(f, PROOF(c->granted, c->releasing, c->released),
			      "%s: token %lld was valid all the time, and its release said LOST",
			      c->first->name, (long long)c->releasing->token);
	}
}
