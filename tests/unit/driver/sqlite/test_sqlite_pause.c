/* SPDX-License-Identifier: MIT */
/* The pauses of a client that finds the file locked, and tries again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver/sqlite/own.h"

enum { MS = 1000 };

struct world {
	int64_t now;
	unsigned char chance;
};

static int64_t now(void *ctx)
{
	return ((struct world *)ctx)->now;
}

static int chance(void *ctx, void *bytes, size_t len)
{
	memset(bytes, ++((struct world *)ctx)->chance, len);
	return 0;
}

static void sleep_until(void *ctx, int64_t until)
{
	((struct world *)ctx)->now = until;
}

/* A commit is over soon, so the first pauses are short; a long transaction is not asked for all the
 * time. */
static void short_at_first(void **state)
{
	struct world world = {.now = 1};
	const struct dbl_env env = {
		.ctx = &world, .now = now, .random = chance, .sleep_until = sleep_until};
	struct dbl_lite conn = {.base = {.env = &env, .deadline = INT64_MAX}};
	int64_t before = 1;

	(void)state;
	for (int tries = 0; tries < 1000; tries++) {
		int64_t us;

		assert_true(dbl_lite_pause(&conn, tries));
		us = world.now - before;
		assert_in_range(us, 50, tries == 0 ? 100 : tries < 50 ? 2 * MS : 10 * MS);
		if (tries > 200)
			assert_true(us >= 4 * MS);
		before = world.now;
	}
}

static void never_past_the_deadline(void **state)
{
	struct world world = {.now = 1};
	const struct dbl_env env = {
		.ctx = &world, .now = now, .random = chance, .sleep_until = sleep_until};
	struct dbl_lite conn = {.base = {.env = &env, .deadline = 10 * MS}};
	int tries = 0;

	(void)state;
	while (dbl_lite_pause(&conn, tries++))
		assert_true(world.now <= 10 * MS);
	assert_int_equal(world.now, 10 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_at_first),
		cmocka_unit_test(never_past_the_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
