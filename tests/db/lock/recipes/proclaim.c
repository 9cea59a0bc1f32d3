/* SPDX-License-Identifier: MIT */
/* A leader, or any holder, can change its value, as long as it holds the lock. */
#include "db/lock/recipes/leader.h"
#include "db/lock/recipes/once.h"
#include "support/spy.h"

static void the_leader_changes_its_value(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = elect(a, "x", "one");
	struct dblock_error err = {0};
	char longest[DBLOCK_VALUE_MAX + 2];

	(void)state;
	expect(OK, dblock_proclaim(lock, "two", &err));
	assert_string_equal(leader_of(b, "x").value, "two");
	assert_int_equal(leader_of(b, "x").token, dblock_token(lock));
	/* Naive, on MySQL: no row has changed, so the lock must be lost. */
	expect(OK, dblock_proclaim(lock, "two", &err));
	expect(OK, dblock_proclaim(lock, NULL, &err));
	assert_string_equal(leader_of(b, "x").value, "");
	memset(longest, 'v', sizeof(longest));
	longest[DBLOCK_VALUE_MAX + 1] = '\0';
	expect(E_INVALID, dblock_proclaim(lock, longest, &err));
	longest[DBLOCK_VALUE_MAX] = '\0';
	expect(OK, dblock_proclaim(lock, longest, &err));
	assert_string_equal(leader_of(b, "x").value, longest);
	expect(E_INVALID, dblock_proclaim(lock, "\xff", &err));
	expect(E_INVALID, dblock_proclaim(NULL, "x", &err));
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void any_lock_has_a_value(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_leader nobody = DBLOCK_LEADER_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock, *other;

	(void)state;
	options.lease_ms = 600000;
	expect(OK, dblock_try(a, "lease", &options, &lock, &err));
	expect(OK, dblock_proclaim(lock, "leased", &err));
	assert_string_equal(show(a, "lease").value, "leased");
	assert_string_equal(leader_of(a, "lease").value, "leased");
	give(lock);
	/* A row of the queue carries a shared lock; it makes nobody a leader. */
	options.lease_ms = 0;
	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(a, "shared", &options, &lock, &err));
	expect(OK, dblock_try(b, "shared", &options, &other, &err));
	expect(OK, dblock_proclaim(lock, "mine", &err));
	expect(OK, dblock_proclaim(other, "theirs", &err));
	expect(OK, dblock_proclaim(other, "theirs", &err));
	assert_string_equal(show(a, "shared").value, "theirs"); /* the later one of both */
	give(other);
	assert_string_equal(show(a, "shared").value, "mine");
	expect(STALE, dblock_leader_of(a, "shared", &nobody, &err));
	expect(OK, break_by_force(b, "shared", 0, 0, &err));
	expect(LOST, dblock_proclaim(lock, "again", &err));
	expect(LOST, dblock_release(lock, &err));
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

struct news {
	_Atomic int losses;
};

static void count_losses(void *arg, struct dblock_lock *lock)
{
	(void)lock;
	++((struct news *)arg)->losses;
}

/* Another client breaks the lock by force, and the holder cannot know it yet. Naive: an update by
 * name alone changes the next holder's value. */
static void who_was_broken_says_nothing_more(void **state)
{
	struct dblock_elect_options options = DBLOCK_ELECT_OPTIONS_INIT;
	struct dblock_client *a = client_far(), *b = client_new(0);
	struct dblock_lock *lock, *theirs;
	struct dblock_error err = {0};
	struct news news = {0};

	(void)state;
	options.lost = count_losses;
	options.lost_arg = &news;
	expect(OK, dblock_elect(a, "x", &options, &lock, &err));
	expect(OK, break_by_force(b, "x", 0, 0, &err));
	theirs = elect(b, "x", "theirs");
	assert_true(dblock_valid(lock, 0));
	expect(LOST, dblock_proclaim(lock, "mine", &err));
	assert_string_equal(leader_of(a, "x").value, "theirs");
	assert_false(dblock_valid(lock, 0));
	for (int64_t until = clock_ms() + PLENTY_MS; news.losses == 0; sleep_ms(1))
		assert_true(clock_ms() < until);
	expect(LOST, dblock_proclaim(lock, "mine", &err));
	expect(LOST, dblock_release(lock, &err));
	assert_int_equal(news.losses, 1);
	give(theirs);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* The holder is declared dead, and not replaced yet. */
static void who_is_dead_says_nothing_more(void **state)
{
	struct dblock_client *a = client_new(24 * 3600 * 1000), *b = client_new(0);
	struct dblock_lock *lock = elect(a, "x", "alive");
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};

	(void)state;
	declare_holder_dead(raw, "x");
	expect(LOST, dblock_proclaim(lock, "dead", &err));
	nobody_leads(b, "x");
	assert_string_equal(show(b, "x").value, "alive");
	expect(LOST, dblock_release(lock, &err));
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void replies_are_lost(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0), *b = client_new(0);
	struct dblock_lock *lock = elect(a, "x", "0");
	struct dblock_error err = {0};
	int n = 0;

	(void)state;
	do {
		char value[16];

		snprintf(value, sizeof(value), "%d", ++n);
		spy_hit_nth(spy, (n + 1) / 2, n % 2 ? SPY_LOST_BEFORE : SPY_LOST_AFTER);
		expect(OK, dblock_proclaim(lock, value, &err));
		assert_string_equal(leader_of(b, "x").value, value);
	} while (n < 8);
	give(lock);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_leader_changes_its_value),
		cmocka_unit_test(any_lock_has_a_value),
		cmocka_unit_test(who_was_broken_says_nothing_more),
		cmocka_unit_test(who_is_dead_says_nothing_more),
		cmocka_unit_test(replies_are_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
