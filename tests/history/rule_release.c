/* SPDX-License-Identifier: MIT */
/* A release ends the grant that it is meant for, and no other. */
#include <stdlib.h>

#include <dblock/error.h>

#include "history/rules.h"

/* Returns the last stay by this token before `at`; NULL: nobody has recorded one. */
static const struct stay *stay_of(const struct lock_story *l, int64_t token, int64_t at)
{
	const struct stay *stay = NULL;

	for (size_t i = 0; i < l->n_stays && l->stays[i]->begins->at < at; i++) {
		if (l->stays[i]->token == token)
			stay = l->stays[i];
	}
	return stay;
}

/* Returns a newer grant, received before `at`, that could not exist while `stay` lasts. */
static const struct stay *newer_grant(const struct lock_story *l, const struct stay *stay,
				      int64_t token, int64_t at)
{
	for (size_t i = 0; i < l->n_stays && l->stays[i]->begins->at < at; i++) {
		const struct stay *newer = l->stays[i];

		if (stay_is_grant(newer) && newer->token > token &&
		    (!stay || !stays_agree(stay, newer)))
			return newer;
	}
	return NULL;
}

/* A transaction that had proven that the lock is held released it, and was committed: so the lock
 * was not lost, whatever its client thought. */
static bool is_released_in(const struct call *c)
{
	return c->fenced && c->fenced->outcome == DBLOCK_OK &&
	       c->fenced->token == c->releasing->token && c->fenced->at <= c->releasing->at &&
	       c->committing && c->committing->at >= c->releasing->at && c->committed &&
	       c->committed->outcome == DBLOCK_OK && c->committed->at <= c->released->at;
}

/* A holder who lost the lock by force need not know it yet, and may give it back without asking the
 * database. */
static void check_success(const struct story *s, const struct lock_story *l, const struct call *c,
			  struct findings *f)
{
	int64_t token = c->releasing->token, at = c->releasing->at;
	const struct stay *stay = stay_of(l, token, at);
	const struct stay *newer = newer_grant(l, stay, token, at);

	if (newer && !(c->forced && c->forced->at < at && story_client(s, c->client)->posts))
		found(f, PROOF(newer->begins, c->releasing, c->released),
		      "%s: the release of token %lld said OK, when the lock had gone on to %lld",
		      l->name, (long long)token, (long long)newer->token);
	if (c->told && c->told->at < at && !is_released_in(c))
		found(f, PROOF(c->granted, c->told, c->releasing, c->released),
		      "%s: token %lld was told to be lost, and its release said OK", l->name,
		      (long long)token);
}

static void check_releases(const struct story *s, const struct lock_story *l, struct findings *f)
{
	for (size_t i = 0; i < l->n_calls; i++) {
		const struct call *c = l->calls[i];

		if (c->releasing && c->released && c->released->outcome == DBLOCK_OK && !c->enters)
			check_success(s, l, c, f);
	}
}

void rule_release(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++)
		check_releases(s, &s->locks[i], f);
}

/* ---- kept ------------------------------------------------------------------------------------ */

/* The holder may have been told just then, or need not have been. */
static bool is_taken(const struct call *c, const struct event *e)
{
	return c->taken && c->taken->at < e->at;
}

/* An upgrade, or a downgrade. */
static void check_change(const struct change *change, struct findings *f)
{
	if (change->ended && change->ended->outcome == DBLOCK_LOST &&
	    change->ended->at < change->began->until && !is_taken(change->call, change->ended))
		found(f, PROOF(change->call->granted, change->began, change->ended),
		      "%s: token %lld was valid all the time, and its change said LOST",
		      change->call->first->name, (long long)change->began->token);
}

void rule_kept(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_changes; i++)
		check_change(&s->changes[i], f);
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct call *c = &s->calls[i];

		if (c->releasing && c->released && c->released->outcome == DBLOCK_LOST &&
		    c->released->at < c->releasing->until && !is_taken(c, c->released))
			found(f, PROOF(c->granted, c->releasing, c->released),
			      "%s: token %lld was valid all the time, and its release said LOST",
			      c->first->name, (long long)c->releasing->token);
	}
}
