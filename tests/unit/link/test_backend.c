/* SPDX-License-Identifier: MIT */
/* A connection that a server does not end for long: it is asked for less and less often, and the last
 * time just before the deadline. The test has its own clock, and plays the server. */
#include "link/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MS 1000

static int64_t clock_us, ends_at, asked_at;
static int asked;

static int64_t now(void *ctx)
{
	(void)ctx;
	return clock_us;
}

static void sleep_until(void *ctx, int64_t until)
{
	(void)ctx;
	assert_true(until > clock_us);
	clock_us = until;
}

static const struct dbl_env env = {.now = now, .sleep_until = sleep_until};

int __wrap_dbl_db_run(struct dbl_db *, struct dbl_request *, struct dblock_error *);
int __wrap_dbl_db_run(struct dbl_db *db, struct dbl_request *request, struct dblock_error *err)
{
	struct dbl_value row = {.type = DBL_INT, .i = clock_us >= ends_at};

	(void)db;
	(void)err;
	if (request->op == DBL_OP_backend_state) {
		asked++;
		asked_at = clock_us;
	}
	return request->row(request->ctx, &row);
}

/* How often was it asked for until that moment, or the deadline? */
static int asks(int64_t until, int64_t deadline, int answer)
{
	struct dbl_backend backend = {.id = 7};

	clock_us = asked = 0;
	ends_at = until;
	assert_int_equal(dbl_backend_end(NULL, &backend, &env, deadline, NULL), answer);
	return asked;
}

/* Naive: two hundred times a second, by each of a hundred clients. */
static void it_is_asked_for_less_and_less_often(void **state)
{
	(void)state;
	assert_int_equal(asks(0, 10000 * MS, 1), 1);
	assert_int_equal(asks(5 * MS, 10000 * MS, 1), 2);
	assert_int_equal(clock_us, 5 * MS);
	assert_in_range(asks(1000 * MS, 10000 * MS, 1), 5, 12);
	assert_in_range(asks(9000 * MS, 10000 * MS, 1), 20, 70);
}

static void and_once_more_before_the_deadline(void **state)
{
	(void)state;
	(void)asks(INT64_MAX, 1000 * MS, 0);
	assert_int_equal(asked_at, 995 * MS);
	assert_int_equal(asks(INT64_MAX, 4 * MS, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_asked_for_less_and_less_often),
		cmocka_unit_test(and_once_more_before_the_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
