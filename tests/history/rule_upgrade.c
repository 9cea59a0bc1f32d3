/* SPDX-License-Identifier: MIT */
/*
 * Upgrades, and DEADLOCK. When an upgrade came into the line nobody writes down; after AT_LEAST it
 * must have been there, if its client had no trouble.
 */
#include <dblock/error.h>
#include <dblock/lock.h>

#include "history/rules.h"

#define AT_LEAST 1500000

static int64_t ended(const struct change *change)
{
	const struct call *c = change->call;

	if (change->ended)
		return change->ended->at;
	return c->killed ? c->killed->at : NEVER;
}

static bool had_trouble(const struct story *s, const struct change *change, int64_t until)
{
	for (size_t i = 0; i < s->n_troubles; i++) {
		const struct trouble *t = &s->troubles[i];

		if ((t->client == 0 || t->client == change->call->client) &&
		    t->from <= until && t->to >= change->began->at)
			return true;
	}
	return false;
}

/* ---- upgrade --------------------------------------------------------------------------------- */

/* It was granted, to who asked when the upgrade must have been in line, and held on. */
static bool is_passed_by(const struct story *s, const struct change *change, const struct call *c)
{
	return c->called && c->called->at > change->began->at + AT_LEAST && call_was_of_use(c) &&
	       c->granted->at < ended(change) && !c->enters &&
	       change->began->until > c->granted->at && !had_trouble(s, change, c->granted->at);
}

static void check_passed(const struct story *s, const struct lock_story *l,
			 const struct change *change, struct findings *f)
{
	for (size_t i = 0; i < l->n_grants; i++) {
		const struct call *c = l->grants[i];

		if (is_passed_by(s, change, c) &&
		    !(change->ended && change->ended->outcome == DBLOCK_OK &&
		      change->ended->token < c->granted->token))
			found(f, PROOF(change->began, c->called, c->granted, change->ended),
			      "%s: client %d.%d is granted, and client %d.%d waits to have it "
			      "alone",
			      l->name, c->client, c->thread, change->call->client,
			      change->call->thread);
	}
}

void rule_upgrade(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++) {
		const struct lock_story *l = &s->locks[i];

		for (size_t j = 0; j < l->n_changes; j++) {
			if (l->changes[j]->began->kind == EVENT_UPGRADING)
				check_passed(s, l, l->changes[j], f);
		}
	}
}

/* ---- victim ---------------------------------------------------------------------------------- */

/* When a row of it may have been in the line for the last time: one that was not answered, or not
 * granted, may be left there by trouble. */
static int64_t may_last_until(const struct story *s, const struct change *change)
{
	int64_t ttl = story_client(s, change->call->client)->ttl;

	if (!change->ended)
		return NEVER;
	return change->ended->at + (change->ended->outcome != DBLOCK_OK &&
				    had_trouble(s, change, change->ended->at) ? 2 * ttl : 0);
}

static bool has_rival(const struct story *s, const struct lock_story *l,
		      const struct change *change)
{
	for (size_t i = 0; i < l->n_changes; i++) {
		const struct change *other = l->changes[i];

		if (other->call != change->call && other->began->kind == EVENT_UPGRADING &&
		    other->began->at <= change->ended->at &&
		    may_last_until(s, other) >= change->began->at)
			return true;
	}
	return false;
}

static void check_victims(const struct story *s, const struct lock_story *l, struct findings *f)
{
	for (size_t i = 0; i < l->n_changes; i++) {
		const struct change *change = l->changes[i];

		if (change->ended && change->ended->outcome == DBLOCK_DEADLOCK &&
		    !has_rival(s, l, change))
			found(f, PROOF(change->began, change->ended),
			      "%s: an upgrade of client %d.%d said DEADLOCK, and no other was "
			      "under way",
			      l->name, change->call->client, change->call->thread);
	}
}

/* Its thread has another name meanwhile, for which somebody may wait who has this one. */
static bool holds_another(const struct story *s, const struct call *c)
{
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct call *other = &s->calls[i];

		if (other->client == c->client && other->thread == c->thread && other->granted &&
		    other != c && other->granted->at < c->declined->at &&
		    !(other->released && other->released->at < c->declined->at))
			return true;
	}
	return false;
}

void rule_victim(const struct story *s, struct findings *f)
{
	for (size_t i = 0; i < s->n_locks; i++)
		check_victims(s, &s->locks[i], f);
	for (size_t i = 0; i < s->n_calls; i++) {
		const struct call *c = &s->calls[i];

		if (c->declined && c->declined->outcome == DBLOCK_DEADLOCK && !holds_another(s, c))
			found(f, PROOF(c->called, c->declined),
			      "%s: client %d.%d holds nothing else, and its call said DEADLOCK",
			      c->first->name, c->client, c->thread);
	}
}
