/* SPDX-License-Identifier: MIT */
/* A fenced transaction, and what is written in it: the database's content needs no clock, and of
 * two events of one host it is known which was first. */
#include <dblock/error.h>

#include "history/rules.h"

/* Only then the reads and writes in the transaction count, and all that was promised of it. */
static bool is_committed(const struct call *c)
{
	return c->fenced && c->fenced->outcome == DBLOCK_OK && c->committing && c->committed &&
	       c->committed->outcome == DBLOCK_OK;
}

static void check_verdict(const struct call *c, struct findings *f)
{
	if (c->fenced->outcome == DBLOCK_STALE && c->fenced->until > c->fenced->at &&
	    !(c->forced && c->forced->at < c->fenced->at))
		found(f, PROOF(c->granted, c->fenced),
		      "%s: token %lld was valid all the time, and its fence said STALE",
		      c->first->name, (long long)c->fenced->token);
}

static void check_write(const struct call *c, struct findings *f)
{
	if (c->written && c->written->before > c->written->token)
		found(f, PROOF(c->granted, c->fenced, c->written, c->committed),
		      "%s: token %lld was written over %lld", c->first->name,
		      (long long)c->written->token, (long long)c->written->before);
}

static void check_kept(const struct call *c, struct findings *f)
{
	if (c->released && c->released->outcome == DBLOCK_OK && c->released->at < c->committing->at)
		found(f, PROOF(c->fenced, c->releasing, c->released, c->committed),
		      "%s: token %lld was released when a transaction had it fenced, that was "
		      "committed later",
		      c->first->name, (long long)c->fenced->token);
}

/* A grant may have been made long before it was received, but then the fence must have seen it. */
static void check_alone(const struct lock_story *l, const struct call *c, struct findings *f)
{
	for (size_t i = 0; i < l->n_stays; i++) {
		const struct stay *stay = l->stays[i];

		if (stay->begins->at >= c->committing->at)
			return;
		if (stay_is_grant(stay) && stay->token > c->fenced->token)
			found(f, PROOF(c->fenced, stay->begins, c->committing, c->committed),
			      "%s: token %lld is granted before the transaction is committed that "
			      "has %lld fenced",
			      l->name, (long long)stay->token, (long long)c->fenced->token);
	}
}

/* A transaction after a commit finds what that has written, or something newer. */
static void check_stays(const struct lock_story *l, const struct call *c, struct findings *f)
{
	for (size_t i = 0; i < l->n_calls; i++) {
		const struct call *later = l->calls[i];

		if (later->written && later->fenced && later->fenced->at > c->committed->at &&
		    later->written->before < c->written->token)
			found(f, PROOF(c->written, c->committed, later->fenced, later->written),
			      "%s: token %lld was written and committed, and is not there", l->name,
			      (long long)c->written->token);
	}
}

void rule_fence(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		const struct lock_story *l = &s->locks[i];

		for (size_t j = 0; j < l->n_calls; j++) {
			const struct call *c = l->calls[j];

			if (!c->fenced)
				continue;
			check_verdict(c, f);
			check_write(c, f);
			if (!is_committed(c))
				continue;
			check_kept(c, f);
			check_alone(l, c, f);
			if (c->written)
				check_stays(l, c, f);
		}
	}
}
