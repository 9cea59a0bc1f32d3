/* SPDX-License-Identifier: MIT */
/*
 * One message is delivered. What was is deleted afterwards, several at once: whoever dies in between has them delivered
 * again. What was not holds up its key.
 */
#include "outbox/relay_own.h"

#include "base/utf8.h"
#include "driver/value.h"
#include "lock/core/cancel.h"
#include "lock/core/retry.h"

/* So many failures in a row: it is not the messages. */
enum { IN_A_ROW = 3 };

/* What was delivered is deleted no later than so long afterwards, and at the end of a page. */
#define FLUSH_US 200000

/* ---- what was delivered ---------------------------------------------------------------------- */

static int run(struct dbl_relay_turn *t, enum dbl_op op, struct dbl_args args,
	       struct dblock_error *err)
{
	struct dbl_locks *locks = t->relay->locks;
	struct dbl_request request = {
		.op = op, .args = args, .deadline = dbl_locks_deadline(locks)};

	return dbl_run_durable(locks, &request, err);
}

int dbl_relay_flush(struct dbl_relay_turn *t, struct dblock_error *err)
{
	struct dbl_value args[3] = {dbl_text(t->relay->spec->topic), dbl_int(t->number)};
	int rc;

	if (t->done.len == 0 && !t->done.failed)
		return 0;
	dbl_str_add(&t->done, "]");
	args[2] = dbl_text(t->done.text);
	rc = t->done.failed ? dbl_fail(err, DBLOCK_E_NOMEM, "out of memory")
			    : run(t, DBL_OP_outbox_done, DBL_ARGS(args), err);
	dbl_str_free(&t->done);
	t->done = (struct dbl_str){.len = 0};
	return rc;
}

static int note_delivered(struct dbl_relay_turn *t, const struct dbl_page_row *m,
			  struct dblock_error *err)
{
	struct dbl_value args[] = {dbl_text(t->relay->spec->topic), dbl_text(m->key),
				   dbl_int(m->number)};
	int64_t now = dbl_now(t->relay->locks->env);
	int rc;

	if (t->done.len == 0)
		t->done_since = now;
	dbl_str_add(&t->done, t->done.len ? ",[" : "[[");
	dbl_str_add_quoted(&t->done, m->key, strlen(m->key), true);
	dbl_str_add(&t->done, ",");
	dbl_str_addi(&t->done, m->number);
	dbl_str_add(&t->done, ",");
	dbl_str_addi(&t->done, m->id);
	dbl_str_add(&t->done, "]");
	if (!m->tries && now - t->done_since < FLUSH_US)
		return 0;
	rc = dbl_relay_flush(t, err);
	return rc || !m->tries ? rc : run(t, DBL_OP_outbox_recovered, DBL_ARGS(args), err);
}

/* ---- what was not ---------------------------------------------------------------------------- */

static int64_t pause_after(const struct dbl_relay_spec *spec, int64_t tries)
{
	int64_t pause = spec->pause;

	for (; tries > 1 && pause < spec->pause_max; tries--)
		pause *= 2;
	return dbl_least(pause, spec->pause_max);
}

/* The consumer is down, it seems: what is delivered would fail, and no message is to blame. One is tried after each
 * pause, so it is not longer than the first between two tries. */
static void pause_all(struct dbl_relay *r, const struct dblock_error *why)
{
	const struct dbl_env *env = r->locks->env;

	r->paused_until = dbl_add(dbl_now(env), dbl_jitter(env, r->spec->pause));
	r->paused = true;
	r->why = *why;
}

/* Is the consumer down, rather than many a message bad? While it is not said, each key fails but once. */
static bool nothing_gets_through(const struct dbl_relay *r)
{
	return r->n_failed >= IN_A_ROW &&
	       dbl_now(r->locks->env) >= dbl_add(r->failing_since, r->spec->pause);
}

/* Who refuses a message is there. */
static void count_in_a_row(struct dbl_relay *r, int rc)
{
	r->n_failed = rc == DBLOCK_E_REFUSED ? 0 : r->n_failed + 1;
	if (r->n_failed == 1)
		r->failing_since = dbl_now(r->locks->env);
}

/* Has something got through since it failed the last time? (That was no later than its pause before it is due.) */
static bool has_delivered_since(const struct dbl_relay_turn *t, const struct dbl_page_row *m)
{
	return t->relay->has_delivered &&
	       t->relay->delivered_at >
		       m->due - t->clock_ahead - pause_after(t->relay->spec, m->tries);
}

/* A try counts if the message is to blame, as others get through. The first ones count in any case, but fewer than it
 * takes to say that the consumer is down: all relays together count no more than these while it is. */
static bool counts(const struct dbl_relay_turn *t, const struct dbl_page_row *m)
{
	return m->tries < IN_A_ROW - 1 || has_delivered_since(t, m);
}

static int write_failed(struct dbl_relay_turn *t, const struct dblock_message *m, int64_t pause,
			bool parked, const char *why, struct dblock_error *err)
{
	char said[sizeof(err->message)];
	struct dbl_value args[] = {dbl_text(m->topic),
				   dbl_int(t->number),
				   dbl_text(m->key),
				   dbl_int(m->number),
				   dbl_int(m->id),
				   dbl_int(m->tries),
				   parked ? dbl_null() : dbl_int(pause),
				   {0}};

	/* It is the caller's, who may have cut it within a character: no database would take that. */
	dbl_utf8_cut(said, sizeof(said), why);
	args[7] = dbl_text(said);
	return run(t, DBL_OP_outbox_failed, DBL_ARGS(args), err);
}

/* It is parked, or when to try again; as long as the message is there. */
static int note_failed(struct dbl_relay_turn *t, const struct dbl_page_row *m,
		       struct dblock_message *told, const struct dblock_error *why,
		       struct dblock_error *err)
{
	const struct dbl_relay_spec *spec = t->relay->spec;
	bool count = counts(t, m);
	bool parked;
	int64_t pause;
	int rc;

	told->tries += count;
	parked = why->code == DBLOCK_E_REFUSED || (count && told->tries >= spec->tries);
	pause = dbl_jitter(t->relay->locks->env, pause_after(spec, told->tries));
	rc = write_failed(t, told, pause, parked, why->message, err);
	if (rc == 0 && spec->failed)
		spec->failed(spec->failed_arg, told, why, parked ? -1 : pause / 1000);
	if (!parked)
		t->shard->next =
			dbl_least(t->shard->next, dbl_add(dbl_now(t->relay->locks->env), pause));
	return rc;
}

/* ---- the delivery ---------------------------------------------------------------------------- */

static struct dblock_message message_of(const struct dbl_relay_turn *t,
					const struct dbl_page_row *m)
{
	return (struct dblock_message){.size = sizeof(struct dblock_message),
				       .topic = t->relay->spec->topic,
				       .key = m->key,
				       .number = m->number,
				       .id = m->id,
				       .headers = m->headers,
				       .body = m->body,
				       .put_us = m->put_at,
				       .tries = m->tries,
				       .token = atomic_load(&t->lock->grant.token)};
}

static int call(struct dbl_relay_turn *t, const struct dblock_message *told,
		struct dblock_error *why)
{
	const struct dbl_relay_spec *spec = t->relay->spec;
	int rc = spec->deliver(spec->arg, told, why);

	if (rc && why->code != rc)
		(void)dbl_fail(why, rc, "the delivery returned %d", rc);
	return rc;
}

int dbl_relay_deliver(struct dbl_relay_turn *t, const struct dbl_page_row *m,
		      enum dbl_relay_outcome *outcome, struct dblock_error *err)
{
	struct dblock_message told = message_of(t, m);
	struct dbl_relay *r = t->relay;
	struct dblock_error why = {0};
	int rc = call(t, &told, &why);

	if (rc == 0) {
		*outcome = DBL_RELAY_DELIVERED;
		r->n_failed = 0;
		r->has_delivered = true;
		r->delivered_at = dbl_now(r->locks->env);
		return note_delivered(t, m, err);
	}
	if (rc == DBLOCK_E_UNAVAILABLE) {
		*outcome = DBL_RELAY_NOTHING_GOES;
		pause_all(r, &why);
		t->shard->next = dbl_least(t->shard->next, r->paused_until);
		return 0;
	}
	*outcome = DBL_RELAY_KEY_FAILED;
	count_in_a_row(r, rc);
	rc = note_failed(t, m, &told, &why, err);
	if (!nothing_gets_through(r))
		return rc;
	*outcome = DBL_RELAY_NOTHING_GOES;
	pause_all(r, &why);
	return rc;
}
