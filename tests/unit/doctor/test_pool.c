/* SPDX-License-Identifier: MIT */
/* How a pooler looks from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "doctor/pool.h"

#define FIRST(server, marked)                                                                      \
	{                                                                                          \
		false, server, marked                                                              \
	}
#define SECOND(server, marked)                                                                     \
	{                                                                                          \
		true, server, marked                                                               \
	}

#define JUDGE(...)                                                                                 \
	dbl_pool_judge((const struct dbl_pool_snapshot[]){__VA_ARGS__},                            \
		       sizeof((const struct dbl_pool_snapshot[]){__VA_ARGS__}) /                   \
			       sizeof(struct dbl_pool_snapshot))

static void connections_of_our_own(void **unused)
{
	(void)unused;
	assert_int_equal(JUDGE(FIRST(7, true), SECOND(8, false), FIRST(7, true), SECOND(8, false)),
			 DBL_POOL_NONE);
}

/* The pool is in transaction mode, while others keep it busy. */
static void a_connection_that_changes(void **unused)
{
	(void)unused;
	assert_int_equal(JUDGE(FIRST(7, true), SECOND(8, false), SECOND(9, false)),
			 DBL_POOL_CHANGES);
	assert_int_equal(JUDGE(FIRST(7, true), FIRST(8, true)), DBL_POOL_CHANGES);
}

/* The pool is in transaction mode, nobody else uses it, and it resets connections in between. */
static void two_that_are_one(void **unused)
{
	(void)unused;
	assert_int_equal(JUDGE(FIRST(7, true), SECOND(7, false)), DBL_POOL_SHARES);
	assert_int_equal(JUDGE(FIRST(7, true), SECOND(8, false), FIRST(8, true)), DBL_POOL_SHARES);
}

static void settings_that_leak(void **unused)
{
	(void)unused;
	assert_int_equal(JUDGE(FIRST(7, true), SECOND(7, true)), DBL_POOL_LEAKS);
	assert_int_equal(JUDGE(FIRST(7, true), SECOND(8, true)), DBL_POOL_LEAKS);
}

static void settings_that_vanish(void **unused)
{
	(void)unused;
	assert_int_equal(JUDGE(FIRST(7, true), SECOND(8, false), FIRST(7, false)),
			 DBL_POOL_FORGETS);
	assert_int_equal(JUDGE(FIRST(7, false), SECOND(7, true)), DBL_POOL_FORGETS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connections_of_our_own),
		cmocka_unit_test(a_connection_that_changes),
		cmocka_unit_test(two_that_are_one),
		cmocka_unit_test(settings_that_leak),
		cmocka_unit_test(settings_that_vanish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
