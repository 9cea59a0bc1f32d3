/* SPDX-License-Identifier: MIT */
/* A pooler in between is found out by the number of the server's process, or told by the URL. */
#include "db/sql/pooled_kit.h"

static struct {
	struct dbl_env env;
	struct dbl_driver driver;
	const struct dbl_driver *real;
} lying;

/* PgBouncer's numbers are random, and some of them negative. */
static int lying_open(struct dbl_conn **conn, const struct dbl_url *url, const struct dbl_env *env,
		      int64_t deadline, struct dblock_error *err)
{
	int rc = lying.real->open(conn, url, env, deadline, err);

	if (rc == 0)
		(*conn)->backend = -247787634;
	return rc;
}

static const struct dbl_driver *lie(void *ctx, const struct dbl_driver *real)
{
	(void)ctx;
	lying.real = real;
	lying.driver = *real;
	lying.driver.open = lying_open;
	return &lying.driver;
}

static bool is_pooled(const struct dbl_env *env)
{
	struct puppet *puppet = puppet_new(env, 600000);
	bool is = dbl_db_pooled(puppet->db);

	assert_int_equal(*puppet->target.pooled, is);
	puppet_free(puppet);
	return is;
}

static void it_is_found_out_or_told(void **state)
{
	const struct dbl_env *direct = dbl_env_system();

	(void)state;
	lying.env = *direct;
	lying.env.intercept = lie;
	tell(NULL);
	assert_false(is_pooled(direct));
	assert_true(is_pooled(&lying.env));
	tell("transaction");
	assert_true(is_pooled(direct));
	assert_true(is_pooled(&lying.env));
	tell("session");
	assert_false(is_pooled(direct));
	assert_false(is_pooled(&lying.env));
}

static void other_modes_are_refused(void **state)
{
	struct dblock_client *client;
	struct dblock_error err = {0};

	(void)state;
	tell("statement");
	expect(E_INVALID, dblock_open(test_url(), NULL, &client, &err));
	assert_non_null(strstr(err.message, "pool=transaction or pool=session"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_is_found_out_or_told, set_up),
		cmocka_unit_test_setup(other_modes_are_refused, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
