/* SPDX-License-Identifier: MIT */
/* Who is not the server's administrator gets its init_connect, which here ends autocommit: transactions begin where they
 * are said to all the same, and what is read outside of one locks nothing. */
#include "db/global/left.h"

static char user[40];

static struct dblock_client *client_of_user(const char *prefix)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	const char *url = test_url(), *at = strchr(url, '@');
	struct dblock_error err = {0};
	struct dblock_client *client;
	char theirs[400];

	assert_non_null(at);
	snprintf(theirs, sizeof(theirs), "mysql://%s%s", user, at);
	options.prefix = prefix;
	options.timeout_ms = PLENTY_MS;
	expect(OK, dblock_open(theirs, &options, &client, &err));
	return client;
}

static int begin_as_user(void **state)
{
	struct two *t;

	snprintf(user, sizeof(user), "u_%d", (int)getpid());
	set_up(state);
	t = *state;
	raw_exec(t->raw, "CREATE USER %s@localhost", user);
	raw_exec(t->raw, "GRANT ALL ON *.* TO %s@localhost", user);
	raw_exec(t->raw, "REVOKE SUPER ON *.* FROM %s@localhost", user);
	/* Whose right it is to be spared init_connect; the name differs. */
	(void)raw_try_exec(t->raw, "REVOKE CONNECTION ADMIN ON *.* FROM %s@localhost", user);
	(void)raw_try_exec(t->raw, "REVOKE CONNECTION_ADMIN ON *.* FROM %s@localhost", user);
	t->home = client_of_user("h_");
	t->other = client_of_user(NULL);
	return 0;
}

static int end_as_user(void **state)
{
	struct two *t = *state;

	two_end(t);
	dblock_close(t->home, NULL);
	dblock_close(t->other, NULL);
	raw_exec(t->raw, "DROP USER %s@localhost", user);
	return tear_down(state);
}

static int none(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	(void)arg;
	return dblock_tx_query(tx, "INSERT INTO orders (id) VALUES (2)", NULL, 0, NULL, NULL, NULL,
			       err);
}

static void a_transaction_is_begun(void **state)
{
	const struct two *t = *state;
	struct dblock_error err = {0};
	struct dblock_tx *tx = tx_open(t->home);

	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_NONE);
	dblock_tx_close(tx);
	expect(OK, dblock_tx_run(t->home, NULL, none, NULL, &err));
	assert_int_equal(two_count(t, "orders"), 1);
}

static void and_one_over_two_databases(void **state)
{
	struct two *t = *state;
	struct dblock_error err = {0};

	begin(t);
	expect(OK, dblock_global_commit(t->global, &err));
	two_is_over(t, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_transaction_is_begun, begin_as_user, end_as_user),
		cmocka_unit_test_setup_teardown(and_one_over_two_databases, begin_as_user,
						end_as_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
