/* SPDX-License-Identifier: MIT */
/* What operators see of modes: list, show, who waits, the views. */
#include "db/lock/admin/modes_scene.h"

static int note_waiter(void *arg, const struct dblock_waiter *waiter)
{
	struct seen *seen = arg;

	assert_true(waiter->size == sizeof(*waiter));
	seen->w[seen->n++] = *waiter;
	return 0;
}

static struct seen *listed(struct dblock_client *client, const char *pattern, int64_t limit)
{
	static struct seen seen;
	struct dblock_list_options options = DBLOCK_LIST_OPTIONS_INIT;
	struct dblock_error err = {0};

	seen.n = 0;
	options.pattern = pattern;
	options.limit = limit;
	expect(OK, dblock_list(client, &options, note_holder, &seen, &err));
	return &seen;
}

static struct seen *in_queue(struct dblock_client *client, const char *name)
{
	static struct seen seen;
	struct dblock_waiters_options options = DBLOCK_WAITERS_OPTIONS_INIT;
	struct dblock_error err = {0};

	seen.n = 0;
	options.name = name;
	expect(OK, dblock_waiters(client, &options, note_waiter, &seen, &err));
	return &seen;
}

static void is_held_so(const struct dblock_holder *h, const struct dblock_lock *lock,
		       enum dblock_mode mode, int64_t n, int64_t capacity)
{
	assert_int_equal(h->token, dblock_token(lock));
	assert_int_equal(h->hold, DBLOCK_HOLD_SESSION);
	assert_int_equal(h->mode, mode);
	assert_int_equal(h->permits, n);
	assert_int_equal(h->capacity, capacity);
	assert_int_equal(h->pid, getpid());
}

static void each_holder_with_its_mode(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *update = take_as(s->client, "x", DBLOCK_UPDATE);
	struct dblock_lock *reader = take_as(s->other, "x", DBLOCK_SHARED);
	struct dblock_lock *three = take_with(s->client, "y", permits(3, 10));
	struct dblock_lock *one = take_with(s->other, "y", permits(1, 10));
	struct dblock_lock *alone = take(s->client, "z");
	struct seen *seen = holders(s->client, "x");

	assert_int_equal(seen->n, 2);
	is_held_so(&seen->h[0], update, DBLOCK_UPDATE, 0, 0);
	is_held_so(&seen->h[1], reader, DBLOCK_SHARED, 0, 0);
	seen = holders(s->client, "z");
	assert_int_equal(seen->n, 1);
	is_held_so(&seen->h[0], alone, DBLOCK_EXCLUSIVE, 0, 0);
	seen = listed(s->client, NULL, 0);
	assert_int_equal(seen->n, 5);
	is_held_so(&seen->h[1], reader, DBLOCK_SHARED, 0, 0);
	is_held_so(&seen->h[2], three, DBLOCK_PERMITS, 3, 10);
	is_held_so(&seen->h[3], one, DBLOCK_PERMITS, 1, 10);
	is_held_so(&seen->h[4], alone, DBLOCK_EXCLUSIVE, 0, 0);
	give(reader);
	give(three);
	give(one);
	/* When no holder is left, one row says that the lock is free, and who had it. */
	give(update);
	seen = holders(s->client, "x");
	assert_int_equal(seen->n, 1);
	assert_int_equal(seen->h[0].hold, DBLOCK_HOLD_FREE);
	assert_int_equal(seen->h[0].mode, DBLOCK_EXCLUSIVE);
	assert_int_equal(listed(s->client, NULL, 0)->n, 1);
	give(alone);
}

/* The library reads in pages of 200. */
static void more_holders_than_a_page(void **state)
{
	struct scene *s = *state;
	static struct dblock_lock *locks[210];
	struct seen *seen;

	for (int i = 0; i < 210; i++)
		locks[i] = take_with(s->client, "many", permits(1, 1000));
	take(s->client, "zz");
	seen = holders(s->client, "many");
	assert_int_equal(seen->n, 210);
	for (int i = 0; i < 210; i++)
		assert_int_equal(seen->h[i].token, dblock_token(locks[i]));
	assert_int_equal(listed(s->client, "many", 0)->n, 210);
	assert_int_equal(listed(s->client, "many", 205)->n, 205);
	assert_int_equal(listed(s->client, NULL, 0)->n, 211);
}

static void who_waits_with_its_mode(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->client, "x");
	struct seen *seen;

	put_in_queue(s, "x", 71, DBLOCK_SHARED);
	put_in_queue(s, "x", 72, DBLOCK_PERMITS);
	put_in_queue(s, "x", 73, DBLOCK_UPDATE);
	put_in_queue(s, "x", 74, DBLOCK_EXCLUSIVE);
	seen = in_queue(s->client, "x");
	assert_int_equal(seen->n, 4);
	assert_int_equal(seen->w[0].mode, DBLOCK_SHARED);
	assert_int_equal(seen->w[0].permits, 0);
	assert_int_equal(seen->w[0].capacity, 0);
	assert_int_equal(seen->w[1].mode, DBLOCK_PERMITS);
	assert_int_equal(seen->w[1].permits, 2);
	assert_int_equal(seen->w[1].capacity, 5);
	assert_int_equal(seen->w[2].mode, DBLOCK_UPDATE);
	assert_int_equal(seen->w[3].mode, DBLOCK_EXCLUSIVE);
	assert_int_equal(seen->w[3].place, 4);
	assert_int_equal(holders(s->client, "x")->h[0].waiting, 4);
	raw_exec(s->raw, "DELETE FROM dblock_queue");
	give(lock);
}

/* Naive: a view shows only the locks' own rows; or rows of the dead; or counts the rows that hold
 * among those that wait. */
static void the_views(void **state)
{
	struct scene *s = *state;
	struct dblock_client *dead = client_new(0);
	struct dblock_lock *lock = take_as(s->client, "x", DBLOCK_SHARED), *theirs;
	struct dblock_acquire_options options = permits(2, 3);

	options.lease_ms = 600000;
	theirs = take_with(s->client, "y", options);
	take_as(dead, "x", DBLOCK_SHARED);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_held WHERE name = 'x'"), 2);
	raw_exec(s->raw, "UPDATE dblock_session SET dead = true WHERE id = '%s'",
		 show(s->client, "x").session);
	put_in_queue(s, "x", 71, DBLOCK_UPDATE);
	put_in_queue(s, "y", 72, DBLOCK_PERMITS);
	assert_string_equal(raw_text(s->raw, "SELECT mode FROM dblock_held WHERE name = 'x'"),
			    "shared");
	assert_int_equal(raw_int(s->raw, "SELECT token FROM dblock_held WHERE name = 'x'"),
			 dblock_token(lock));
	assert_string_equal(raw_text(s->raw, "SELECT held_by FROM dblock_held WHERE name = 'x'"),
			    "session");
	assert_string_equal(raw_text(s->raw, "SELECT held_by FROM dblock_held WHERE name = 'y'"),
			    "lease");
	assert_string_equal(raw_text(s->raw, "SELECT mode FROM dblock_held WHERE name = 'y'"),
			    "permits");
	assert_int_equal(raw_int(s->raw, "SELECT weight * 100 + capacity FROM dblock_held "
					 "WHERE name = 'y'"),
			 203);
	assert_string_equal(raw_text(s->raw, "SELECT mode FROM dblock_held WHERE name = 'alive'"),
			    "exclusive");
	for (int i = 0; i < 6; i++)
		print_message(
			"%s\n",
			raw_text(s->raw,
				 "SELECT name FROM dblock_held ORDER BY name LIMIT 1 OFFSET %d",
				 i));
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_held"), 3);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_waits WHERE place = 1"), 2);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_waits"), 2);
	assert_string_equal(raw_text(s->raw, "SELECT mode FROM dblock_waits WHERE name = 'x'"),
			    "update");
	assert_int_equal(raw_int(s->raw, "SELECT weight * 100 + capacity FROM dblock_waits "
					 "WHERE name = 'y'"),
			 205);
	give(theirs);
	give(lock);
	dblock_close(dead, NULL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(each_holder_with_its_mode),
		CASE(more_holders_than_a_page),
		CASE(who_waits_with_its_mode),
		CASE(the_views),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
