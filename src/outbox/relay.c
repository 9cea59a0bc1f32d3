/* SPDX-License-Identifier: MIT */
/*
 * A relay goes round the shards that have messages, and takes a turn at each that no other relay has. It holds no more
 * than one at a time, for about a second, so any number of relays share them without knowing of each other. Where nothing
 * is to be done it sleeps, until it is woken, or for a while.
 */
#include "outbox/relay_own.h"

#include <stdio.h>

#include "lock/core/cancel.h"
#include "lock/core/name.h"
#include "lock/core/retry.h"
#include "lock/core/value.h"

/* Pauses after the database has failed; the link has tried for as long as a request may take. */
#define TROUBLE_US 1000000

/* ---- a round --------------------------------------------------------------------------------- */

static int take_shard(void *ctx, const struct dbl_value *row)
{
	*(unsigned *)ctx |= 1U << row[0].i;
	return 0;
}

static int which_have_messages(struct dbl_relay *r, unsigned *shards, struct dblock_error *err)
{
	struct dbl_value topic = dbl_text(r->spec->topic);
	struct dbl_request request = {.op = DBL_OP_outbox_shards,
				      .args = DBL_ARG(topic),
				      .row = take_shard,
				      .ctx = shards,
				      .deadline = dbl_locks_deadline(r->locks)};

	*shards = 0;
	return dbl_retry_while_locked(r->locks, &request, err);
}

/* *next: when something may be to be done again. */
static int go_round(struct dbl_relay *r, int64_t *next, struct dblock_error *err)
{
	unsigned shards;
	int rc = which_have_messages(r, &shards, err);

	r->busy = r->delivered = r->paused = false;
	for (unsigned i = 0; i < DBL_SHARDS && rc == 0; i++) {
		unsigned at = (r->first + i) % DBL_SHARDS;
		struct dbl_relay_shard *s = &r->shards[at];

		if (!(shards & 1U << at) || dbl_relay_is_paused(r) ||
		    dbl_is_canceled(r->locks, &r->wait))
			continue;
		if (s->due <= dbl_now(r->locks->env))
			rc = dbl_relay_take_turn(r, at, err);
		*next = dbl_least(*next, s->due);
	}
	r->first = (r->first + 1) % DBL_SHARDS;
	return rc;
}

/* ---- between two rounds ---------------------------------------------------------------------- */

static void look_everywhere(struct dbl_relay *r)
{
	for (unsigned i = 0; i < DBL_SHARDS; i++)
		r->shards[i].due = 0;
}

/* Who is paused has nothing to listen for. */
static void sleep_out_pause(struct dbl_relay *r)
{
	while (dbl_relay_is_paused(r) && !dbl_is_canceled(r->locks, &r->wait))
		dbl_sleep_until(
			r->locks->env,
			dbl_least(r->paused_until, dbl_now(r->locks->env) + DBL_ASK_CALLER_US));
	look_everywhere(r);
}

static void rest(struct dbl_relay *r, int64_t next)
{
	int64_t until = dbl_add(dbl_now(r->locks->env), r->spec->poll);

	if (dbl_relay_is_paused(r))
		sleep_out_pause(r);
	else if (next > dbl_now(r->locks->env) &&
		 (dbl_bell_sleep(&r->bell, dbl_least(until, next), &r->wait) || next >= until))
		look_everywhere(r);
}

/* The database has failed: whether to go on. */
static bool goes_on_after(struct dbl_relay *r, int rc, const struct dblock_error *err)
{
	if (r->spec->drain || !(dbl_link_may_pass(r->locks->link, rc) || rc == DBLOCK_E_BLOCKED))
		return false;
	if (r->spec->trouble)
		r->spec->trouble(r->spec->trouble_arg, err);
	r->paused_until = dbl_add(dbl_now(r->locks->env), dbl_jitter(r->locks->env, TROUBLE_US));
	sleep_out_pause(r);
	return true;
}

/* DBLOCK_WAITING: it goes on. */
static int go_on(struct dbl_relay *r, struct dblock_error *err)
{
	int64_t next = DBL_NEVER;
	struct dblock_error heard = {0};
	int rc;

	if (dbl_is_canceled(r->locks, &r->wait))
		return dbl_tell_canceled(r->locks, r->spec->topic, "the relay", err);
	if (!r->spec->drain && dbl_bell_attend(&r->bell))
		look_everywhere(r);
	rc = go_round(r, &next, &heard);
	if (rc && !goes_on_after(r, rc, &heard))
		return dbl_fail(err, rc, "%s", heard.message);
	if (rc)
		return DBLOCK_WAITING;
	if (r->spec->drain && r->paused)
		return dbl_fail(err, DBLOCK_E_UNAVAILABLE, "topic '%s': nothing gets through: %s",
				r->spec->topic, r->why.message);
	if (r->spec->drain && !r->delivered && !r->busy && next > dbl_now(r->locks->env))
		return 0;
	rest(r, next);
	return DBLOCK_WAITING;
}

int dbl_outbox_relay(struct dbl_locks *locks, const struct dbl_relay_spec *spec,
		     struct dblock_error *err)
{
	DBL_INSIDE(locks);
	char name[DBL_NAME_MAX + 1];
	struct dbl_relay r = {
		.locks = locks,
		.spec = spec,
		.wait = {.canceled = spec->canceled, .canceled_arg = spec->canceled_arg}};
	int rc;

	(void)snprintf(name, sizeof(name), DBL_RELAY_NAME, spec->topic);
	rc = dbl_bell_hang(&r.bell, locks, name, err);
	if (rc)
		return rc;
	while ((rc = go_on(&r, err)) == DBLOCK_WAITING)
		;
	dbl_bell_take_down(&r.bell);
	return rc;
}

/* ---- who wakes it ---------------------------------------------------------------------------- */

int dbl_outbox_ring(struct dbl_locks *locks, const char *topic, struct dblock_error *err)
{
	char name[DBL_NAME_MAX + 1];

	(void)snprintf(name, sizeof(name), DBL_RELAY_NAME, topic);
	return dbl_bell_ring(locks, name, err);
}

void dbl_outbox_ring_after(struct dblock_tx *tx, const char *topic)
{
	char name[DBL_NAME_MAX + 1];

	(void)snprintf(name, sizeof(name), DBL_RELAY_NAME, topic);
	if (tx->pool)
		(void)dbl_bell_ring_after(tx, tx->pool->locks,
					  name); /* else relays find out by looking */
}
