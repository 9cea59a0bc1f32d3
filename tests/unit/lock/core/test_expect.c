/* SPDX-License-Identifier: MIT */
#include "lock/core/expect.h"

#include <string.h>

#include "lock/core/name.h"
#include "support/kit.h"

static uint64_t hash_of(const char *name)
{
	return dbl_name_hash(name, strlen(name));
}

static void what_was_handed_over_is_held(void **state)
{
	struct dbl_expected expected = {.until = 0};
	const int64_t now = 50000000;

	(void)state;
	assert_false(dbl_expects_held(&expected, hash_of("a"), now));
	dbl_expect_held(&expected, hash_of("a"), now);
	assert_true(dbl_expects_held(&expected, hash_of("a"), now + 10000));
	assert_false(dbl_expects_held(&expected, hash_of("b"), now + 10000));
	assert_false(dbl_expects_held(&expected, hash_of("a"), now + 30000));
}

/* Naive: those who stood there a while ago are taken to stand there still. */
static void just_now_is_shorter(void **state)
{
	struct dbl_expected expected = {.until = 0};
	const int64_t now = 50000000;

	(void)state;
	dbl_expect_held(&expected, hash_of("a"), now);
	assert_true(dbl_handed_just_now(&expected, hash_of("a"), now + 100));
	assert_false(dbl_handed_just_now(&expected, hash_of("a"), now + 2000));
	assert_false(dbl_handed_just_now(&expected, hash_of("b"), now + 100));
}

static void a_crowd_is_of_a_name(void **state)
{
	struct dbl_expected expected = {.until = 0};

	(void)state;
	assert_false(dbl_expects_crowd(&expected, hash_of("a")));
	dbl_expect_crowd(&expected, hash_of("a"), true);
	assert_true(dbl_expects_crowd(&expected, hash_of("a")));
	/* Another name has the same cell. */
	assert_false(dbl_expects_crowd(&expected, hash_of("a") ^ (UINT64_C(1) << 63)));
	assert_false(dbl_expects_crowd(&expected, hash_of("b")));
	dbl_expect_crowd(&expected, hash_of("b"), false);
	assert_true(dbl_expects_crowd(&expected, hash_of("a")));
	dbl_expect_crowd(&expected, hash_of("a"), false);
	assert_false(dbl_expects_crowd(&expected, hash_of("a")));
}

static void others_are_there_until_they_are_not(void **state)
{
	struct dbl_expected expected = {.until = 0};

	(void)state;
	assert_false(dbl_expects_others(&expected, hash_of("a")));
	dbl_expect_others(&expected, hash_of("a"), true);
	assert_true(dbl_expects_others(&expected, hash_of("a")));
	assert_false(dbl_expects_others(&expected, hash_of("a") ^ (UINT64_C(1) << 63)));
	assert_false(dbl_expects_others(&expected, hash_of("b")));
	dbl_expect_others(&expected, hash_of("b"), false);
	assert_true(dbl_expects_others(&expected, hash_of("a")));
	dbl_expect_others(&expected, hash_of("a"), false);
	assert_false(dbl_expects_others(&expected, hash_of("a")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_handed_over_is_held),
		cmocka_unit_test(just_now_is_shorter),
		cmocka_unit_test(a_crowd_is_of_a_name),
		cmocka_unit_test(others_are_there_until_they_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
