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

static void a_crowd_has_a_version(void **state)
{
	struct dbl_expected expected = {.until = 0};
	int64_t version;

	(void)state;
	assert_false(dbl_expects_crowd(&expected, hash_of("a"), &version));
	dbl_expect_crowd(&expected, hash_of("a"), 7 * INT64_C(65536) + 65535);
	assert_true(dbl_expects_crowd(&expected, hash_of("a"), &version));
	assert_true(version == 65535); /* those who joined do not count */
	/* Naive: what is of another name, in the same cell, becomes this one's version. */
	version = -1;
	assert_false(dbl_expects_crowd(&expected, hash_of("a") ^ (UINT64_C(1) << 63), &version));
	assert_true(version == -1);
	assert_false(dbl_expects_crowd(&expected, hash_of("b"), &version));
	dbl_expect_no_crowd(&expected, hash_of("b"));
	assert_true(dbl_expects_crowd(&expected, hash_of("a"), &version));
	dbl_expect_no_crowd(&expected, hash_of("a"));
	assert_false(dbl_expects_crowd(&expected, hash_of("a"), &version));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_handed_over_is_held),
		cmocka_unit_test(just_now_is_shorter),
		cmocka_unit_test(a_crowd_has_a_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
