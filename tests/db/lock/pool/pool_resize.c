/* SPDX-License-Identifier: MIT */
/* A capacity that is stored, and changed while it is in use. Each case names the naive form that it is meant to
 * catch. */
#include "db/lock/pool/pool_kit.h"

static void wants(struct waiting *w, struct scene *s, struct dblock_client *client, int64_t n,
		  int64_t capacity)
{
	memset(w, 0, sizeof(*w));
	w->how = permits(n, capacity);
	waiting_join(w, client, s->raw);
}

static void who_follows_has_as_many_as_are_stored(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *two;

	resize(s->a, 3);
	two = takes(s->a, 2, STORED);
	takes_none(s->b, 2, STORED);
	give(takes(s->b, 1, STORED));
	give(takes(s->b, 1, 3));
	give(two);
	give(takes(s->b, 3, STORED));
}

/* Naive: the number that is named is what counts; or the first that asks stores his. */
static void who_names_another_number_is_told(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options how = permits(1, 8);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	resize(s->a, 6);
	expect(E_INVALID, dblock_try(s->b, "x", &how, &lock, &err));
	message_has("'x' is a semaphore of 6 permits, as is stored, not of 8");
	message_has("--capacity stored");
	expect(E_INVALID, dblock_acquire(s->b, "x", &how, &lock, &err));
	how = permits(7, STORED);
	expect(E_INVALID, dblock_acquire(s->b, "x", &how, &lock, &err));
	message_has("6 permits, as is stored: 7 are never to be had");
}

static void nothing_is_stored(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options how = permits(1, STORED);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t capacity = 77;

	for (int known = 0; known < 2; known++) {
		expect(E_INVALID, dblock_acquire(s->a, "x", &how, &lock, &err));
		message_has("dblock pool resize 'x' N");
		expect(STALE, dblock_pool_capacity(s->a, "x", &capacity, &err));
		assert_int_equal(capacity, 77);
		give(takes(s->a, 1, 4)); /* the name is known from now on */
	}
	resize(s->a, 4);
	expect(OK, dblock_pool_capacity(s->b, "x", &capacity, &err));
	assert_int_equal(capacity, 4);
}

/* Naive: who waits finds out when he looks, or with the next release. The puppets never look. */
static void more_are_granted_at_once(void **state)
{
	struct scene *s = *state;
	struct puppet *too = puppet_new(NULL, DBLOCK_TTL_MAX_MS);
	struct dblock_lock *two;

	resize(s->a, 2);
	two = takes(s->a, 2, STORED);
	puppet_wants(s->puppet, 2, STORED);
	puppet_wants(too, 1, STORED);
	resize(s->a, 3);
	assert_false(puppet_has(s, s->puppet) || puppet_has(s, too));
	resize(s->a, 5);
	assert_true(puppet_has(s, s->puppet) && puppet_has(s, too));
	assert_int_equal(held(s), 5);
	give(two);
	puppet_free(too);
}

/* Naive: what was granted with the old number is counted against that; or it is taken away. */
static void fewer_take_nothing_away(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *three, *too;

	resize(s->a, 6);
	three = takes(s->a, 3, STORED);
	too = takes(s->b, 3, 6);
	resize(s->c, 4);
	assert_true(dblock_valid(three, 0) && dblock_valid(too, 0));
	takes_none(s->c, 1, STORED);
	give(three);
	takes_none(s->c, 2, STORED);
	give(takes(s->c, 1, STORED));
	give(too);
	give(takes(s->c, 4, 4));
}

/* Naive: they wait for ever, and all behind them; or they are granted what they did not ask for. */
static void who_waits_in_vain_is_told(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *all;
	struct waiting many, other, behind;

	resize(s->a, 6);
	all = takes(s->a, 6, 6);
	wants(&many, s, s->b, 5, STORED);
	wants(&other, s, s->b, 1, 6);
	wants(&behind, s, s->c, 1, STORED);
	resize(s->a, 4);
	waiting_end(&many, E_INVALID);
	waiting_end(&other, E_INVALID);
	assert_non_null(strstr(other.call.err.message, "4 permits, as is stored, not of 6"));
	assert_false(behind.call.done);
	give(all);
	waiting_give(&behind);
}

/* Naive: one that cannot be granted stops all behind it, though its process, which would be told, is stopped. */
static void nobody_waits_behind_one_in_vain(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *all;
	struct waiting behind;

	resize(s->a, 6);
	all = takes(s->a, 6, 6);
	puppet_wants(s->puppet, 5, STORED);
	wants(&behind, s, s->c, 1, STORED);
	resize(s->a, 4);
	give(all);
	waiting_give(&behind);
	assert_false(puppet_has(s, s->puppet));
}

/* Naive: 0 permits are an error; or who names a number is told that it is another one. */
static void a_closed_one_is_waited_for(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options brief = permits(1, STORED);
	struct dblock_error err = {0};
	struct dblock_lock *one, *none;
	struct waiting w, too;

	resize(s->a, 0);
	brief.wait_ms = 30;
	expect(TIMEOUT, dblock_acquire(s->b, "x", &brief, &none, &err));
	message_has("'x' is closed: its capacity, as is stored, is 0");
	expect(BUSY, dblock_try(s->b, "x", &brief, &none, &err));
	message_has("'x' is closed");
	resize(s->a, 2);
	one = takes(s->a, 1, 2);
	resize(s->a, 0);
	takes_none(s->b, 1, STORED);
	wants(&w, s, s->b, 1, STORED);
	wants(&too, s, s->c, 1, 2);
	give(one);
	resize(s->a, 0); /* it advances the queue */
	assert_int_equal(held(s), 0);
	assert_int_equal(in_queue(s->raw), 2);
	resize(s->a, 2);
	waiting_give(&w);
	waiting_give(&too);
}

/* Naive: 8 are held by those who have never heard of it, and 6 more are granted. */
static void the_first_number_meets_who_holds(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *five = takes(s->a, 5, 8);

	resize(s->b, 6);
	takes_none(s->b, 2, STORED);
	give(takes(s->b, 1, STORED));
	assert_true(dblock_valid(five, 0));
	give(five);
}

static void a_lock_has_no_capacity(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock = take(s->a, "x");

	expect(E_INVALID, dblock_pool_resize(s->b, "x", 4, &err));
	message_has("'x' is in use as a lock without permits");
	give(lock);
	shared.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(s->a, "x", &shared, &lock, &err));
	expect(E_INVALID, dblock_pool_resize(s->b, "x", 4, &err));
	give(lock);
	resize(s->b, 4);
}

/* Naive: the reaper forgets the name, and with it what is stored. */
static void the_reaper_keeps_it(void **state)
{
	struct scene *s = *state;
	struct dblock_reap_options now = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_error err = {0};
	int64_t capacity;

	resize(s->a, 5);
	give(take(s->a, "z"));
	now.purge_after_ms = 1;
	until_true(dblock_reap(s->a, &now, NULL, &err) == 0 &&
		   raw_int(s->raw, "SELECT count(*) FROM dblock_lock WHERE name = 'z'") == 0);
	expect(OK, dblock_pool_capacity(s->a, "x", &capacity, &err));
	assert_int_equal(capacity, 5);
}

static void of_several_names(void **state)
{
	struct scene *s = *state;
	const struct dblock_lock_spec both[] = {
		{.name = "x", .mode = DBLOCK_PERMITS, .permits = 2, .capacity = STORED},
		{.name = "y"}};
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	resize(s->a, 2);
	expect(OK, dblock_try_all(s->b, both, 2, NULL, &lock, &err));
	takes_none(s->a, 1, STORED);
	give(lock);
	resize(s->a, 1);
	expect(E_INVALID, dblock_acquire_all(s->b, both, 2, NULL, &lock, &err));
	message_has("2 are never to be had");
}

/* Naive: what is listed says the number that the holder named, or none. */
static void lists_say_what_is_stored(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *named = takes(s->a, 1, 3), *follows;

	resize(s->a, 7);
	assert_int_equal(show(s->b, "x").h.capacity, 7);
	follows = takes(s->b, 1, STORED);
	give(named);
	assert_int_equal(show(s->b, "x").h.capacity, 7);
	give(follows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(who_follows_has_as_many_as_are_stored),
		CASE(who_names_another_number_is_told),
		CASE(nothing_is_stored),
		CASE(more_are_granted_at_once),
		CASE(fewer_take_nothing_away),
		CASE(who_waits_in_vain_is_told),
		CASE(nobody_waits_behind_one_in_vain),
		CASE(a_closed_one_is_waited_for),
		CASE(the_first_number_meets_who_holds),
		CASE(a_lock_has_no_capacity),
		CASE(the_reaper_keeps_it),
		CASE(of_several_names),
		CASE(lists_say_what_is_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
