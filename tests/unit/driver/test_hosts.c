/* SPDX-License-Identifier: MIT */
/* Of several hosts the one that works is found, whatever the others say; what they say together. */
#include "driver/hosts.h"

#include "support/kit.h"

enum { HOSTS = 3 };

static int answers[HOSTS]; /* of each host */
static int tried;
static atomic_uint good;

static int open_host(void *ctx, unsigned host, int64_t by, struct dblock_error *err)
{
	(void)ctx;
	(void)by;
	tried++;
	return answers[host] ? dbl_fail(err, answers[host], "host %u", host) : 0;
}

static int open_all(int a, int b, int c, struct dblock_error *err)
{
	const struct dbl_hosts hosts = {.n = HOSTS,
					.good = &good,
					.env = dbl_env_system(),
					.deadline = DBL_NEVER,
					.open = open_host};

	answers[0] = a;
	answers[1] = b;
	answers[2] = c;
	tried = 0;
	*err = (struct dblock_error){0};
	return dbl_hosts_open(&hosts, err);
}

/* It is tried first the next time. Naive: one that lacks the database, as it is being made anew,
 * is taken for a wrong URL, and ends the search, also the next one. */
static void each_failure_is_passed_over(void **state)
{
	const int failures[] = {DBLOCK_E_UNAVAILABLE, DBLOCK_E_NO_ANSWER, DBLOCK_E_READONLY,
				DBLOCK_E_DENIED, DBLOCK_E_INVALID};
	struct dblock_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(failures) / sizeof(*failures); i++) {
		good = 0;
		assert_int_equal(open_all(failures[i], failures[i], 0, &err), 0);
		assert_int_equal(good, 2);
		assert_int_equal(open_all(failures[i], failures[i], 0, &err), 0);
		assert_int_equal(tried, 1);
	}
}

static void what_may_pass_counts_most(void **state)
{
	struct dblock_error err;

	(void)state;
	good = 0;
	assert_int_equal(open_all(DBLOCK_E_INVALID, DBLOCK_E_INVALID, DBLOCK_E_INVALID, &err),
			 DBLOCK_E_INVALID);
	assert_int_equal(open_all(DBLOCK_E_INVALID, DBLOCK_E_READONLY, DBLOCK_E_INVALID, &err),
			 DBLOCK_E_READONLY);
	assert_int_equal(open_all(DBLOCK_E_DENIED, DBLOCK_E_UNAVAILABLE, DBLOCK_E_INVALID, &err),
			 DBLOCK_E_UNAVAILABLE);
	assert_non_null(strstr(err.message, "host 0"));
	assert_non_null(strstr(err.message, "host 1"));
	assert_non_null(strstr(err.message, "host 2"));
}

static void a_lack_of_memory_is_told_at_once(void **state)
{
	struct dblock_error err;

	(void)state;
	good = 0;
	assert_int_equal(open_all(DBLOCK_E_NOMEM, 0, 0, &err), DBLOCK_E_NOMEM);
	assert_int_equal(tried, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_failure_is_passed_over),
		cmocka_unit_test(what_may_pass_counts_most),
		cmocka_unit_test(a_lack_of_memory_is_told_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
