/* SPDX-License-Identifier: MIT */
/*
 * A race of a hand-over, for tests: it runs on its own thread, and is played until both have met.
 * Each case names the naive form that it is meant to catch.
 *
 * If an open transaction has the lock's row, the hand-over reads the queue, waits for the row, and
 * is carried out on a row that belongs to a later queue. SQLite has one writer at a time, which
 * reads when it writes: races that need two writers are not played there.
 */
#ifndef TESTS_DB_QUEUE_RACES_KIT_H
#define TESTS_DB_QUEUE_RACES_KIT_H

#include "support/queue.h"

enum { TRIES = 20 };

struct scene {
	struct dblock_client *client, *other;
	struct puppet *holder, *waiter, *next;
	struct raw *raw, *fence;
};

static inline int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->client = client_new(0);
	s->other = client_new(0);
	s->holder = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	s->waiter = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	s->next = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	s->raw = raw_open(NULL);
	s->fence = raw_open(NULL);
	raw_exec(s->raw, "DELETE FROM dblock_queue"); /* earlier puppets' rows */
	is_free(s->client, "x");
	*state = s;
	return 0;
}

static inline int tear_down(void **state)
{
	struct scene *s = *state;

	raw_close(s->raw);
	raw_close(s->fence);
	puppet_free(s->holder);
	puppet_free(s->waiter);
	puppet_free(s->next);
	dblock_close(s->client, NULL);
	dblock_close(s->other, NULL);
	free(s);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* ---- a hand-over on a thread of its own ------------------------------------------------------ */

struct hand_over {
	struct puppet *puppet;
	bool usual;     /* by pass_on, */
	int64_t served; /* with this ticket */
	struct puppet_winner winner;
	struct call call;
};

static inline int run_hand_over(void *arg, struct dblock_error *err)
{
	struct hand_over *h = arg;

	(void)err;
	h->winner = h->usual ? puppet_passes_on(h->puppet, "x", h->served)
			     : puppet_hands_over(h->puppet, "x");
	return h->winner.rc;
}

static inline void hand_over_start(struct hand_over *h, struct puppet *puppet)
{
	h->puppet = puppet;
	call_start(&h->call, run_hand_over, h);
}

/* Waits until so many statements wait for the row. Returns false if the hand-over has given up by
 * then, as it does after 250 ms or 1 s: then the scene shows nothing. */
static inline bool is_waited_for(struct scene *s, const struct hand_over *h, int n)
{
	while (!h->call.done && rows_waited_for(s->raw) < n)
		;
	return !h->call.done;
}

static inline bool hand_over_end(struct hand_over *h)
{
	call_end(&h->call);
	assert_true(h->call.rc == 0 || h->call.rc == DBLOCK_E_BLOCKED);
	return h->call.rc == 0;
}

/* ---- plays ----------------------------------------------------------------------------------- */

static inline void has_it(struct scene *s, const struct puppet *p)
{
	assert_true(row_of(s->raw, "nonce") == p->place);
}

/* Goes back to the beginning. */
static inline void clear_up(struct scene *s)
{
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	raw_exec(s->raw, "UPDATE dblock_lock SET session = NULL, expires = NULL, nonce = 0,"
			 " queued = false WHERE name = 'x'");
	is_free(s->other, "x");
}

/* A play may come to nothing because the machine was slow, but not each time. */
static inline void play(struct scene *s, bool (*scene)(struct scene *))
{
	bool shown = false;

	for (int i = 0; i < TRIES && !shown; i++) {
		shown = scene(s);
		clear_up(s);
	}
	assert_true(shown);
}

#endif
