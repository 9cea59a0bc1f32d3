/* SPDX-License-Identifier: MIT */
/* What must neither end a relay, nor park a key, nor keep another one waiting. */
#include "api/stats.h"
#include "db/outbox/relay.h"

/* ---- a consumer that fails ------------------------------------------------------------------- */

/* As of a message that was cut in the middle of a character. Naive: the database refuses it, which ends the relay, and
 * each that comes after it. */
static void what_is_no_text_is_noted_as_far_as_it_is(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "bad", 1);
	post.fails = "bad";
	post.says = "no such caf\xc3";
	post.options.pause_ms = 60000;
	assert_int_equal(drain(&post), DBLOCK_OK);
	assert_int_equal(post.n_failed, 1);
	assert_string_equal(failure_text(s, "bad", "error"), "no such caf");
}

/* The consumer is down, and each relay, of several or that is started again, sees but the beginning of it. Naive: each
 * counts the first ones, and the key is parked. */
static void many_relays_park_nothing_while_nothing_gets_through(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "a", 1);
	post.fails = "";
	post.options.tries = 4;
	post.options.pause_max_ms = 1;
	while (post.n_failed < 12) {
		int rc = drain(&post);

		assert_true(rc == DBLOCK_OK || rc == DBLOCK_E_UNAVAILABLE);
		assert_false(post.parked);
		sleep_ms(2);
	}
	post.fails = NULL;
	assert_int_equal(drain(&post), DBLOCK_OK);
	is_in_order(&post, "a", 1);
}

/* Others get through, so the message is bad. */
static void a_try_counts_once_others_got_through(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "bad", 1);
	post.fails = "bad";
	post.options.tries = 5;
	relay_start(&post);
	for (int i = 1; !post.parked; i++) {
		put_some(s, "good", 1);
		wait_until(post.n == i);
	}
	assert_int_equal(relay_stop(&post), DBLOCK_CANCELED);
	assert_int_equal(failure_int(s, "bad", "tries"), 5);
}

/* They come before one that does not fail. Naive: after the third nothing is delivered. */
static void keys_that_fail_hold_up_no_other_however_many(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);
	char key[16];

	for (int i = 10; i < 22; i++) {
		snprintf(key, sizeof(key), "bad %d", i);
		put_some(s, key, 1);
	}
	put_some(s, "z", 1);
	raw_exec(s->raw, "UPDATE dblock_outbox SET shard = 1"); /* all are in one */
	post.fails_all_but = "z";
	post.options.pause_ms = 60000;
	assert_int_equal(drain(&post), DBLOCK_OK);
	assert_int_equal(post.n_failed, 12);
	is_in_order(&post, "z", 1);
}

static void come_back(struct post *post)
{
	if (++post->n_calls > 2)
		post->fails = NULL;
}

/* It was not there, which is no matter of this message. Naive: that one waits until the relay looks by itself. */
static void who_was_not_there_is_tried_after_a_pause(void **state)
{
	struct scene *s = *state;
	static struct post post;

	post = (struct post)POST(s);
	put_some(s, "a", 1);
	post.fails = "a";
	post.fails_with = DBLOCK_E_UNAVAILABLE;
	post.during = come_back;
	post.options.poll_ms = 600000;
	relay_start(&post);
	wait_until(post.n == 1);
	assert_int_equal(relay_stop(&post), DBLOCK_CANCELED);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static void feed(struct post *post)
{
	put_some(post->scene, "busy", 1);
	post->stop = post->n >= 40;
}

/* Those of a node whose clock is ahead, beside a key that always has some. Naive: those of the other come first, until
 * that time has come. */
static void no_clock_decides_whether_where_there_is_much(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);
	char late[16];

	key_beside("busy", late, sizeof(late));
	put_some(s, late, 2);
	raw_exec(s->raw, "UPDATE dblock_outbox SET put_at = put_at + 3600000000");
	put_some(s, "busy", 1);
	post.during = feed;
	assert_int_equal(drain(&post), DBLOCK_CANCELED);
	is_in_order(&post, late, 2);
}

/* The database's clock was a day ahead when it failed. Naive: it is tried again in a day. */
static void no_clock_decides_when_one_is_tried_again(void **state)
{
	struct scene *s = *state;
	struct post post = POST(s);

	put_some(s, "bad", 1);
	post.fails = "bad";
	post.options.pause_ms = post.options.pause_max_ms = 60000;
	assert_int_equal(drain(&post), DBLOCK_OK);
	post.fails = NULL;
	assert_int_equal(drain(&post), DBLOCK_OK);
	assert_int_equal(post.n, 0);
	raw_exec(s->raw, "UPDATE dblock_outbox_failure SET due = due + 86400000000");
	assert_int_equal(drain(&post), DBLOCK_OK);
	is_in_order(&post, "bad", 1);
}

/* ---- turns --------------------------------------------------------------------------------- */

struct pace {
	struct post post; /* the first, so that it is the relay's argument */
	int64_t last, least;
};

static void note_gap(struct post *post)
{
	struct pace *pace = (struct pace *)post;
	int64_t now = clock_ms();

	if (pace->last && (!pace->least || now - pace->last < pace->least))
		pace->least = now - pace->last;
	pace->last = now;
	post->stop = pace->least && pace->least < 1900;
}

/* Naive: the turn ends while the relay sleeps for the next one, which counts as delivered: half of what was asked. */
static void one_a_second_is_one_a_second(void **state)
{
	struct scene *s = *state;
	struct pace pace = {.post = POST(s)};

	put_some(s, "a", 30);
	pace.post.during = note_gap;
	pace.post.options.rate = 1;
	assert_int_equal(drain(&pace.post), DBLOCK_CANCELED);
	assert_true(pace.least >= 900);
}

/* It takes longer than a turn to read a page. Naive: the turn is over then, and so is the next one. */
static void a_slow_database_does_not_take_the_turn(void **state)
{
	struct scene *s = *state;
	static struct post post;
	int64_t turns;

	if (!on_backend("postgresql")) /* a table that only a page reads can be locked there */
		return;
	post = (struct post)POST(s);
	put_some(s, "a", 1);
	post.options.drain = true;
	raw_exec(s->raw, "BEGIN");
	raw_exec(s->raw, "LOCK TABLE dblock_outbox_failure");
	turns = stats_of(s->client).acquired;
	relay_start(&post);
	sleep_ms(3000);
	raw_exec(s->raw, "COMMIT");
	assert_int_equal(call_end(&post.call), DBLOCK_OK);
	is_in_order(&post, "a", 1);
	assert_int_equal(stats_of(s->client).acquired - turns, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RELAY_CASE(what_is_no_text_is_noted_as_far_as_it_is),
		RELAY_CASE(many_relays_park_nothing_while_nothing_gets_through),
		RELAY_CASE(a_try_counts_once_others_got_through),
		RELAY_CASE(keys_that_fail_hold_up_no_other_however_many),
		RELAY_CASE(who_was_not_there_is_tried_after_a_pause),
		RELAY_CASE(no_clock_decides_whether_where_there_is_much),
		RELAY_CASE(no_clock_decides_when_one_is_tried_again),
		RELAY_CASE(one_a_second_is_one_a_second),
		RELAY_CASE(a_slow_database_does_not_take_the_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
