/* SPDX-License-Identifier: MIT */
/*
 * Tests of the queue share three clients, and a puppet that joins, waits and hands over by hand.
 * Each of their cases names the naive form that it is meant to catch.
 */
#ifndef TESTS_DB_QUEUE_KIT_H
#define TESTS_DB_QUEUE_KIT_H

#include "support/queue.h"

#include <dblock/group.h>

enum { LEASE_MS = 3600000 };

struct scene {
	struct dblock_client *a, *b, *c;
	struct puppet *puppet;
	struct raw *raw, *fence;
};

static inline int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	/* No heartbeat comes between the steps of a test. */
	s->a = client_new(DBLOCK_TTL_MAX_MS);
	s->b = client_new(DBLOCK_TTL_MAX_MS);
	s->c = client_new(DBLOCK_TTL_MAX_MS);
	s->puppet = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	s->raw = raw_open(NULL);
	s->fence = raw_open(NULL);
	raw_exec(s->raw, "DELETE FROM dblock_queue"); /* earlier puppets' rows */
	is_free(s->a, "x");
	*state = s;
	return 0;
}

static inline int tear_down(void **state)
{
	struct scene *s = *state;

	raw_close(s->raw);
	raw_close(s->fence);
	puppet_free(s->puppet);
	dblock_close(s->a, NULL);
	dblock_close(s->b, NULL);
	if (s->c)
		dblock_close(s->c, NULL);
	free(s);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* For a call (call.h): waits for x and y at once, and gives them back. */
static inline int acquire_both(void *client, struct dblock_error *err)
{
	const struct dblock_lock_spec wants[] = {{.name = "x"}, {.name = "y"}};
	struct dblock_lock *lock;
	int rc = dblock_acquire_all(client, wants, 2, NULL, &lock, err);

	if (rc == 0)
		give(lock);
	return rc;
}

/* ---- the puppet is next ---------------------------------------------------------------------- */

static inline void puppet_waits(struct scene *s)
{
	puppet_queues_for(s->puppet, "x", LEASE_MS, "a word");
}

/* The whole row must be the puppet's, which asked for a lease and gave a value. */
static inline void is_the_puppets(struct scene *s, int64_t token_before)
{
	struct shown x = show(s->a, "x");

	assert_true(row_of(s->raw, "nonce") == s->puppet->place);
	assert_true(x.h.token > token_before);
	assert_true(x.h.token == row_of(s->raw, "token"));
	assert_string_equal(x.host, "puppet");
	assert_string_equal(x.value, "a word");
	assert_int_equal(row_of(s->raw, "thread"), 77);
	assert_int_equal(row_of(s->raw, "served"), s->puppet->ticket);
	assert_int_equal(row_of(s->raw, "lease"), dbl_ms(LEASE_MS));
	assert_true(x.h.left_ms > LEASE_MS - PLENTY_MS && x.h.left_ms <= LEASE_MS);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_lock WHERE name = 'x'"
					 " AND session IS NULL"),
			 1);
	assert_true(puppet_gives_back(s->puppet, "x"));
}

#endif
