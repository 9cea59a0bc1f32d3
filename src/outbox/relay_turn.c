/* SPDX-License-Identifier: MIT */
/*
 * A shard is one relay's for about a second, under its lock. The relay goes through its keys in their order, from where
 * it was the last time, a page at a time; behind the last one the next pass begins. So keys take turns, whatever one of
 * them has; and of a key that fails no more is read than what is in the page.
 */
#include "outbox/relay_own.h"

#include <stdio.h>
#include <string.h>

#include "lock/core/cancel.h"
#include "lock/handle/state.h"
#include "lock/lock.h"

#define TURN_US 1000000

/* How long a shard is left to another relay that has it. */
#define BUSY_US 200000

static int64_t now_of(const struct dbl_relay_turn *t)
{
	return dbl_now(t->relay->locks->env);
}

/* ---- a key ----------------------------------------------------------------------------------- */

/* Not if it is due later than any pause is long: the clock was set back. */
static bool is_early(const struct dbl_relay_turn *t, const struct dbl_page *page,
		     const struct dbl_page_row *m)
{
	int64_t most = t->relay->spec->pause_max;

	return m->due > page->now && m->due - page->now <= most + most / 4;
}

static bool is_to_wait(struct dbl_relay_turn *t, const struct dbl_page *page,
		       const struct dbl_page_row *m)
{
	struct dbl_relay_shard *s = t->shard;
	bool failing = m->tries > 0 && (m->parked || is_early(t, page, m));
	bool newer = m->put_at > s->began;

	if (failing && !m->parked)
		s->next = dbl_least(s->next, m->due - t->clock_ahead);
	s->newer = s->newer || (newer && !failing);
	return failing || newer;
}

/* Sleeps until the next message may be delivered. */
static void keep_to_rate(struct dbl_relay_turn *t)
{
	const struct dbl_relay *r = t->relay;
	const struct dbl_env *env = r->locks->env;
	int64_t now;

	while ((now = dbl_now(env)) < r->next_at && !dbl_is_canceled(r->locks, &r->wait))
		dbl_sleep_until(env, dbl_least(r->next_at, now + DBL_ASK_CALLER_US));
}

/* Nothing is delivered once the lock is lost: another relay may be at it. */
static bool may_go_on(struct dbl_relay_turn *t)
{
	if (!t->over)
		keep_to_rate(t);
	t->over = t->over || now_of(t) >= t->until ||
		  dbl_is_canceled(t->relay->locks, &t->relay->wait) || dbl_grant_left(t->lock) == 0;
	if (!t->over)
		t->relay->next_at = dbl_add(now_of(t), t->relay->spec->every);
	return !t->over;
}

/* ---- a page ---------------------------------------------------------------------------------- */

static void go_behind(struct dbl_relay_shard *s, const char *key, int64_t number)
{
	(void)snprintf(s->key, sizeof(s->key), "%s", key);
	s->number = number;
}

static bool is_of(const struct dbl_page_row *m, const char *key)
{
	return key && strcmp(m->key, key) == 0;
}

/* Stops where the turn is over; the next one goes on there. */
static int deliver_page(struct dbl_relay_turn *t, const struct dbl_page *page,
			struct dblock_error *err)
{
	const char *passed_over = NULL; /* this key */
	int rc = 0;

	for (const struct dbl_page_row *m = page->first; m && rc == 0; m = m->next) {
		enum dbl_relay_outcome outcome = DBL_RELAY_KEY_FAILED;

		if (is_of(m, passed_over))
			continue;
		if (!is_to_wait(t, page, m)) {
			if (!may_go_on(t))
				return 0;
			rc = dbl_relay_deliver(t, m, &outcome, err);
		}
		t->over = t->over || outcome == DBL_RELAY_NOTHING_GOES;
		t->shard->delivered |= outcome == DBL_RELAY_DELIVERED;
		passed_over = outcome == DBL_RELAY_DELIVERED ? NULL : m->key;
		go_behind(t->shard, m->key, passed_over ? INT64_MAX : m->number);
	}
	return rc;
}

/* The others are next, whatever this key has yet. */
static void leave_key_that_fills(struct dbl_relay_turn *t, const struct dbl_page *page)
{
	if (!page->is_last && page->first && is_of(page->first, t->shard->key))
		t->shard->number = INT64_MAX;
}

static void begin_pass(struct dbl_relay_shard *s, int64_t now)
{
	s->began = s->any_age ? INT64_MAX : now;
	s->delivered = s->newer = s->any_age = false;
	s->next = DBL_NEVER;
}

/* If nothing was delivered in it, it need not be gone through again at once. */
static void end_pass(struct dbl_relay_turn *t)
{
	struct dbl_relay_shard *s = t->shard;

	s->any_age = s->newer;
	s->due =
		s->delivered || s->newer ? 0 : dbl_least(s->next, now_of(t) + t->relay->spec->poll);
	go_behind(s, "", 0);
	s->began = 0;
	t->over = true;
}

static int do_page(struct dbl_relay_turn *t, struct dblock_error *err)
{
	struct dbl_relay_shard *s = t->shard;
	struct dbl_page_of of = {.topic = t->relay->spec->topic,
				 .key = s->key,
				 .shard = t->number,
				 .number = s->number,
				 .limit = t->relay->spec->batch};
	struct dbl_page page;
	int rc = dbl_page_read(t->relay->locks, &of, &page, err), also;

	if (!t->until) /* however long it took: else a slow database would have turns, and deliver nothing */
		t->until = dbl_add(now_of(t), TURN_US);
	t->clock_ahead = page.now - now_of(t);
	if (rc == 0 && s->began == 0)
		begin_pass(s, page.now);
	if (rc == 0)
		rc = deliver_page(t, &page, err);
	leave_key_that_fills(t, &page);
	also = dbl_relay_flush(t, rc ? NULL : err);
	if (rc == 0 && also == 0 && page.is_last && !t->over)
		end_pass(t);
	dbl_page_free(&page);
	return rc ? rc : also;
}

/* ---- the turn -------------------------------------------------------------------------------- */

int dbl_relay_take_turn(struct dbl_relay *r, unsigned shard, struct dblock_error *err)
{
	struct dbl_relay_turn t = {.relay = r, .shard = &r->shards[shard], .number = shard};
	char name[DBL_NAME_MAX + 1];
	struct dbl_acquire_spec spec = {.name = name, .tries = true};
	int rc;

	(void)snprintf(name, sizeof(name), DBL_SHARD_NAME, shard, r->spec->topic);
	rc = dbl_lock_try(r->locks, &spec, &t.lock, err);
	if (rc == DBLOCK_BUSY) {
		r->busy = true;
		t.shard->due = dbl_add(now_of(&t), dbl_jitter(r->locks->env, BUSY_US));
		return 0;
	}
	if (rc)
		return rc;
	while (rc == 0 && !t.over)
		rc = do_page(&t, err);
	r->delivered = r->delivered || t.shard->delivered;
	if (rc) { /* what was delivered may still be there, and is to come first */
		go_behind(t.shard, "", 0);
		t.shard->began = 0;
	}
	(void)dbl_lock_release(t.lock, NULL);
	return rc;
}
