/* SPDX-License-Identifier: MIT */
/* Messages are delivered: in order for each key, and whatever one of them does holds up no other key. */
#include "db/outbox/relay.h"

/* ---- in order -------------------------------------------------------------------------------- */

/* More than a page of each. */
static void each_key_is_in_order(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "a", 5);
	put_some(s, "b", 7);
	put_some(s, "c", 1);
	post.options.batch = 2;
	assert_int_equal(drain(&post), DBLOCK_OK);
	assert_int_equal(post.n, 13);
	is_in_order(&post, "a", 5);
	is_in_order(&post, "b", 7);
	is_in_order(&post, "c", 1);
	assert_int_equal(waiting(s), 0);
}

/* What a message says is what was put, and what `seen` wants. */
static void a_message_has_all_that_was_put(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put(s, "say \"k\\\"", "body\n\"1\"", "{\"a\": 1}");
	assert_int_equal(drain(&post), DBLOCK_OK);
	assert_int_equal(post.n, 1);
	assert_string_equal(post.list[0].key, "say \"k\\\"");
	assert_string_equal(post.list[0].body, "body\n\"1\"");
	assert_string_equal(post.list[0].headers, "{\"a\": 1}");
	assert_int_equal(post.list[0].number, 1);
	assert_true(post.list[0].id != 0 && post.list[0].token > 0 && post.list[0].put_us > 0);
	assert_int_equal(waiting(s), 0);
}

/* Naive: by the time at which they were put, or all of a key at once: a key that has much delays all others. */
static void keys_take_turns(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);
	char other[16];

	key_beside("a", other, sizeof(other));
	put_some(s, "a", 6);
	put_some(s, other, 1);
	post.options.batch = 2;
	assert_int_equal(drain(&post), DBLOCK_OK);
	assert_int_equal(post.n, 7);
	assert_string_equal(post.list[2].key, other);
	is_in_order(&post, "a", 6);
}

/* A node's clock is ahead. Naive: they wait until that time has come. */
static void no_clock_decides_whether(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "a", 2);
	raw_exec(s->raw, "UPDATE dblock_outbox SET put_at = put_at + 3600000000");
	put_some(s, "a", 1);
	assert_int_equal(drain(&post), DBLOCK_OK);
	is_in_order(&post, "a", 3);
}

/* ---- what fails ------------------------------------------------------------------------------ */

/* Naive: the next message of the key is delivered; or none of the shard. */
static void a_key_that_fails_holds_up_no_other(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);
	char other[16];

	key_beside("bad", other, sizeof(other));
	put_some(s, "bad", 2);
	put_some(s, other, 3);
	post.fails = "bad";
	post.options.pause_ms = 60000;
	assert_int_equal(drain(&post), DBLOCK_OK);
	is_in_order(&post, other, 3);
	assert_int_equal(post.n_failed, 1);
	assert_false(post.parked);
	assert_int_equal(waiting(s), 2);
	assert_int_equal(failure_int(s, "bad", "number"), 1);
	assert_int_equal(failure_int(s, "bad", "tries"), 1);
	assert_string_equal(failure_text(s, "bad", "error"), "no such customer");
}

/* It is delivered later, and nothing is left of its failure. */
static void it_is_tried_again(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "bad", 2);
	post.fails = "bad";
	post.fails_times = 2;
	relay_start(&post);
	wait_until(post.n == 2);
	assert_int_equal(relay_stop(&post), DBLOCK_CANCELED);
	is_in_order(&post, "bad", 2);
	assert_int_equal(post.n_failed, 2);
	assert_int_equal(waiting(s), 0);
	assert_int_equal(failures(s), 0);
}

/* After so many tries, while others get through; then it is not tried again, and neither is what comes behind. */
static void a_key_is_parked(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "bad", 1);
	post.fails = "bad";
	post.options.tries = 2;
	relay_start(&post);
	wait_until(post.parked);
	put_some(s, "bad", 1);
	put_some(s, "good", 1);
	wait_until(post.n == 1);
	assert_int_equal(relay_stop(&post), DBLOCK_CANCELED);
	assert_int_equal(post.n_failed, 2);
	assert_int_equal(waiting(s), 2);
	assert_int_equal(failure_int(s, "bad", "due"), 0);
	raw_exec(s->raw, "DELETE FROM dblock_outbox_failure");
	post.fails = NULL;
	post.n = 0;
	assert_int_equal(drain(&post), DBLOCK_OK);
	is_in_order(&post, "bad", 2);
}

/* The consumer is down. Naive: each key is parked in turn. */
static void while_nothing_gets_through_no_try_counts(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "a", 1);
	put_some(s, "b", 1);
	post.fails = "";
	post.options.tries = 4;
	relay_start(&post);
	wait_until(post.n_failed >= 12);
	assert_false(post.parked);
	post.fails = NULL;
	wait_until(post.n == 2);
	assert_int_equal(relay_stop(&post), DBLOCK_CANCELED);
	assert_int_equal(waiting(s) + failures(s), 0);
}

static void who_is_not_there_has_refused_nothing(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "a", 1);
	post.fails = "a";
	post.fails_with = DBLOCK_E_UNAVAILABLE;
	assert_int_equal(drain(&post), DBLOCK_E_UNAVAILABLE);
	assert_non_null(strstr(post.err.message, "no such customer"));
	assert_int_equal(post.n_failed, 0);
	assert_int_equal(failures(s), 0);
	assert_int_equal(waiting(s), 1);
}

static void what_is_refused_is_parked_at_once(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "a", 1);
	post.fails = "a";
	post.fails_with = DBLOCK_E_REFUSED;
	assert_int_equal(drain(&post), DBLOCK_OK);
	assert_int_equal(post.n_failed, 1);
	assert_true(post.parked);
	assert_int_equal(failure_int(s, "a", "due"), 0);
}

static void deliver_elsewhere(struct post *post)
{
	raw_exec(post->scene->raw, "DELETE FROM dblock_outbox");
}

/* A relay that was stopped for a while says that it failed, what another one has delivered. Naive: the key is parked. */
static void what_was_delivered_has_not_failed(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "a", 1);
	post.fails = "a";
	post.fails_with = DBLOCK_E_REFUSED;
	post.during = deliver_elsewhere;
	assert_int_equal(drain(&post), DBLOCK_OK);
	assert_int_equal(failures(s), 0);
	put_some(s, "a", 1);
	post.fails = NULL;
	post.during = NULL;
	assert_int_equal(drain(&post), DBLOCK_OK);
	assert_int_equal(post.n, 1);
	assert_int_equal(post.list[0].number, 2);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static void what_is_wrong_is_refused(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);
	struct dblock_error err = {0};

	expect(E_INVALID, dblock_outbox_relay(NULL, "t", deliver, &post, NULL, &err));
	expect(E_INVALID, dblock_outbox_relay(s->client, "", deliver, &post, NULL, &err));
	expect(E_INVALID, dblock_outbox_relay(s->client, "t", NULL, &post, NULL, &err));
	post.options.poll_ms = 999;
	assert_int_equal(drain(&post), DBLOCK_E_INVALID);
	assert_non_null(strstr(post.err.message, "poll_ms"));
	post.options.poll_ms = 0;
	post.options.batch = 1001;
	assert_int_equal(drain(&post), DBLOCK_E_INVALID);
	post.options.batch = 0;
	post.options.tries = -1;
	assert_int_equal(drain(&post), DBLOCK_E_INVALID);
	assert_non_null(strstr(post.err.message, "tries is -1"));
	expect(E_INVALID, dblock_outbox_ring(s->client, NULL, &err));
	expect(OK, dblock_outbox_ring(s->client, "nobody is there", &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RELAY_CASE(each_key_is_in_order),
		RELAY_CASE(a_message_has_all_that_was_put),
		RELAY_CASE(keys_take_turns),
		RELAY_CASE(no_clock_decides_whether),
		RELAY_CASE(a_key_that_fails_holds_up_no_other),
		RELAY_CASE(it_is_tried_again),
		RELAY_CASE(a_key_is_parked),
		RELAY_CASE(while_nothing_gets_through_no_try_counts),
		RELAY_CASE(who_is_not_there_has_refused_nothing),
		RELAY_CASE(what_is_refused_is_parked_at_once),
		RELAY_CASE(what_was_delivered_has_not_failed),
		RELAY_CASE(what_is_wrong_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
