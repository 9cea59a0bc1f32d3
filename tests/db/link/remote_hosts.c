/* SPDX-License-Identifier: MIT */
/* A URL with several hosts: who is silent, refuses, or takes no writes is passed over, wherever he
 * stands in the list, by a new client and by one that is open. */
#include "db/link/hosts_kit.h"

static void the_good_one_is_found_among(const char *bad)
{
	works(must_open(url_of_three(good, bad, bad), TIMEOUT_MS));
	works(must_open(url_of_three(bad, good, bad), TIMEOUT_MS));
	works(must_open(url_of_three(bad, bad, good), TIMEOUT_MS));
}

static void silence_is_passed_over(void **state)
{
	(void)state;
	the_good_one_is_found_among(silent);
}

static void a_machine_that_is_gone_is_passed_over(void **state)
{
	(void)state;
	works(must_open(url_of_three(deaf, good, deaf), TIMEOUT_MS));
}

/* At once: none of the time that a silent one would have is spent. */
static void a_refusal_is_passed_over(void **state)
{
	int64_t begun = clock_ms();

	(void)state;
	works(must_open(url_of_three(refusing, refusing, good), PLENTY_MS));
	works(must_open(url_of_three(refusing, good, refusing), PLENTY_MS));
	works(must_open(url_of_three(good, refusing, refusing), PLENTY_MS));
	assert_true(clock_ms() - begun < PLENTY_MS / 3);
}

static void a_read_only_server_is_passed_over(void **state)
{
	(void)state;
	the_good_one_is_found_among(readonly);
}

static void all_kinds_at_once(void **state)
{
	(void)state;
	works(must_open(url_of_three(readonly, silent, good), TIMEOUT_MS));
	works(must_open(url_of_three(deaf, refusing, good), TIMEOUT_MS));
}

static void when_all_fail_each_is_named(void **state)
{
	struct dblock_client *client;
	struct dblock_error err;

	(void)state;
	expect(E_UNAVAILABLE,
	       open_at(url_of_three(refusing, readonly, silent), TIMEOUT_MS, &client, &err));
	assert_non_null(strstr(err.message, refusing));
	assert_non_null(strstr(err.message, readonly));
	assert_non_null(strstr(err.message, silent));
	assert_non_null(strstr(err.message, "name the primary"));
	expect(E_READONLY,
	       open_at(url_of_three(readonly, readonly, readonly), TIMEOUT_MS, &client, &err));
}

/* ---- clients that are open ------------------------------------------------------------------- */

/* The proxy's host, and others before it or behind it. */
static const char *url_by_proxy(const char *before, const char *behind)
{
	const char *host = strchr(proxy_url(proxy), '@') + 1;
	char hosts[300];

	snprintf(hosts, sizeof(hosts), "%s%.*s%s", before, (int)strcspn(host, "/"), host, behind);
	return url_of(hosts);
}

static void refuse(void)
{
	proxy_refuse(proxy, true);
	proxy_cut(proxy);
}

static void fall_silent(void)
{
	proxy_set(proxy, PROXY_SILENT);
	proxy_cut(proxy);
}

/* Within the call that meets it. */
static void goes_on_elsewhere(const char *behind, void (*die)(void), int64_t timeout_ms)
{
	struct dblock_client *client = must_open(url_by_proxy("", behind), timeout_ms);
	int64_t begun;

	give(take(client, "hosts"));
	die();
	begun = clock_ms();
	give(take(client, "hosts"));
	assert_true(clock_ms() - begun < timeout_ms);
	dblock_close(client, NULL);
}

static void an_open_client_meets_a_refusal(void **state)
{
	char others[200];

	(void)state;
	snprintf(others, sizeof(others), ",%s", good);
	goes_on_elsewhere(others, refuse, PLENTY_MS);
}

static void an_open_client_meets_silence(void **state)
{
	char others[200];

	(void)state;
	snprintf(others, sizeof(others), ",%s", good);
	goes_on_elsewhere(others, fall_silent, 3 * TIMEOUT_MS);
}

static void an_open_client_meets_a_read_only_server(void **state)
{
	char others[200];

	(void)state;
	snprintf(others, sizeof(others), ",%s,%s", readonly, good);
	goes_on_elsewhere(others, refuse, PLENTY_MS);
}

static void succeeds_at_last(struct dblock_client *client)
{
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc;

	/* BUSY: by a try of our own that was granted too late to be heard of in time. */
	do
		rc = dblock_try(client, "at last", NULL, &lock, &err);
	while (rc != DBLOCK_OK && clock_ms() < until);
	expect(OK, rc);
	give_in_time_or_not(lock);
}

/* There is never time for more than the silent one: but he is tried once only. */
static void time_for_one_only(void **state)
{
	struct dblock_client *client;
	struct dblock_error err;
	char others[200];
	int tries = 0;

	(void)state;
	snprintf(others, sizeof(others), ",%s,%s", silent, good);
	/* So little time that it may not be enough on a machine that has other work. */
	while (open_at(url_by_proxy("", others), SLOWLY_MS(400), &client, &err))
		assert_true(++tries < 100);
	refuse();
	succeeds_at_last(client);
	dblock_close(client, NULL);
}

/* The other server goes on from its history, as a replica of it would. */
static void follows(struct raw *primary)
{
	struct raw *replica = raw_open(NULL);

	raw_exec(replica,
		 "INSERT INTO dblock_history (n, id, facts, since) VALUES (-1, '%s', '', 0)",
		 raw_text(primary, "SELECT id FROM dblock_history ORDER BY n DESC LIMIT 1"));
	raw_close(replica);
}

/* Its connection lives on, and refuses what is written. (That of a PostgreSQL that becomes a standby
 * ends.) The other one is there only when it has been promoted. */
static void a_primary_is_demoted(void **state)
{
	struct dblock_client *client;
	struct raw *raw;
	char before[200];

	(void)state;
	if (!on_backend("mysql"))
		skip();
	raw = raw_open_url(server_url(), NULL);
	if (!on_database("mysql"))
		raw_exec(raw, "REVOKE SUPER, READ ONLY ADMIN ON *.* FROM CURRENT_USER()");
	raw_exec(raw, "SET GLOBAL read_only = 0");
	snprintf(before, sizeof(before), "%s,", readonly);
	proxy_refuse(proxy, true);
	client = must_open(url_by_proxy(before, ""), PLENTY_MS);
	give(take(client, "hosts"));
	follows(raw);
	raw_exec(raw, "SET GLOBAL %sread_only = 1", on_database("mysql") ? "super_" : "");
	proxy_refuse(proxy, false);
	succeeds_at_last(client);
	dblock_close(client, NULL);
	raw_close(raw);
}

static int mend(void **state)
{
	(void)state;
	proxy_refuse(proxy, false);
	proxy_set(proxy, PROXY_PASS);
	return 0;
}

/* ---- one host -------------------------------------------------------------------------------- */

static void one_that_is_read_only_is_refused_by_name(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;

	(void)state;
	expect(E_READONLY, open_at(url_of(readonly), PLENTY_MS, &client, &err));
	/* An older server does not say that it is a standby, but at the first statement. */
	if (!server_before(14)) {
		assert_non_null(strstr(err.message, readonly));
		assert_non_null(strstr(err.message, "name the primary"));
	}
	/* Who only looks may. */
	options.observe = 1;
	options.timeout_ms = PLENTY_MS;
	expect(OK, dblock_open(url_of(readonly), &options, &client, &err));
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence_is_passed_over),
		cmocka_unit_test(a_machine_that_is_gone_is_passed_over),
		cmocka_unit_test(a_refusal_is_passed_over),
		cmocka_unit_test(a_read_only_server_is_passed_over),
		cmocka_unit_test(all_kinds_at_once),
		cmocka_unit_test(when_all_fail_each_is_named),
		cmocka_unit_test_teardown(an_open_client_meets_a_refusal, mend),
		cmocka_unit_test_teardown(an_open_client_meets_silence, mend),
		cmocka_unit_test_teardown(an_open_client_meets_a_read_only_server, mend),
		cmocka_unit_test_teardown(time_for_one_only, mend),
		cmocka_unit_test(one_that_is_read_only_is_refused_by_name),
		cmocka_unit_test_teardown(a_primary_is_demoted, mend),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
