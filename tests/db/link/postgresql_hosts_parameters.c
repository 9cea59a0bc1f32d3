/* SPDX-License-Identifier: MIT */
/* What libpq's parameters say of several hosts. */
#include "db/link/hosts_kit.h"

enum { DAY_MS = 86400000 }; /* the longest */

/* Its share of the time would be longer than the test. */
static void a_time_of_its_own_for_each_host(void **state)
{
	int64_t begun = clock_ms();
	char url[500];

	(void)state;
	snprintf(url, sizeof(url), "%s%s,%s%s?connect_timeout=1", login, silent, good, database);
	works(must_open(url, DAY_MS));
	assert_true(clock_ms() - begun < PLENTY_MS);
}

/* One port for all hosts, and a list of ports. */
static void hosts_as_parameters(void **state)
{
	const char *port = strchr(good, ':') + 1;
	char url[500];

	(void)state;
	snprintf(url, sizeof(url), "%s%s?host=/nowhere,127.0.0.1&port=%s", login, database, port);
	works(must_open(url, TIMEOUT_MS));
	snprintf(url, sizeof(url), "%s%s?hostaddr=127.0.0.1,127.0.0.1&port=%s,%s", login, database,
		 strchr(silent, ':') + 1, port);
	works(must_open(url, TIMEOUT_MS));
}

/* Who asks for a standby, or takes any server, is given that. */
static void the_kind_of_server_can_be_chosen(void **state)
{
	static const char *const attrs[] = {"any", "standby", "prefer-standby"};
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;
	char url[500];

	(void)state;
	options.timeout_ms = PLENTY_MS;
	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		snprintf(url, sizeof(url), "%s%s,%s%s?target_session_attrs=%s", login, readonly,
			 good, database, attrs[i]);
		expect(E_READONLY, dblock_open(url, &options, &client, &err));
		assert_non_null(strstr(err.message, "read-only transaction"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_of_its_own_for_each_host),
		cmocka_unit_test(hosts_as_parameters),
		cmocka_unit_test(the_kind_of_server_can_be_chosen),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
