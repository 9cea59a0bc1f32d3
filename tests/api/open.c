/* SPDX-License-Identifier: MIT */
/* Opening: URLs and options that are wrong, and worlds that are apart. */
#include <dblock/alive.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "support/kit.h"

/* The options are those of client_new(), for a test to spoil. */
static struct dblock_client_options usual(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	return options;
}

static void refused(const char *url, const struct dblock_client_options *options, const char *said)
{
	struct dblock_error err = {0};
	struct dblock_client *none;

	expect(E_INVALID, dblock_open(url, options, &none, &err));
	assert_null(none);
	message_has(said);
}

static void urls(void **state)
{
	(void)state;
	refused("", NULL, "scheme");
	refused("nonsense", NULL, "scheme");
	refused("redis://localhost/0", NULL, "'redis:'");
	refused("redis://localhost/0", NULL, "sqlite:");
	refused("sqlite:", NULL, "path");
	refused("sqlite:a.db?mode=memory", NULL, "'mode'");
	refused("sqlite://host/a.db", NULL, "host");
	refused("sqlite::memory:", NULL, "memory");
	refused("sqlite:a%zz.db", NULL, "%");
	refused("mysql://u@h/d?nonsense=1", NULL, "'nonsense'");
	refused("postgresql://h/d?nonsense=1", NULL, "nonsense");
}

/* Whatever is wrong with it. */
static void no_message_tells_a_password(void **state)
{
	static const char *const given[] = {
		"redis://u:hunter2@h/d",
		"postgresql://u:hunter2@h:port/d",
		"postgresql://u:hunter2@h/d?nonsense=1",
		"postgresql://u:hunter2@127.0.0.1:1/d?connect_timeout=1",
		"postgresql://u@127.0.0.1:1/d?password=hunter2",
		"postgresql://u:hunter2%zz@h/d",
		"mysql://u:hunter2@127.0.0.1:1/d",
		"mysql://u:hunter2@h:port/d",
		"mysql://u:hunter2@h/d?nonsense=1",
		"mysql://u:hunter2/x@h/d",
		"mysql://u:hunter2?x=hunter2@h/d",
		"postgresql://u:hunter2/x@h/d",
		"postgresql://u:hunter2?x=hunter2@h/d",
		"sqlite://u:hunter2@h/d",
	};
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	(void)state;
	options.timeout_ms = 1000;
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		struct dblock_error err = {0};
		struct dblock_client *none;

		assert_true(dblock_open(given[i], &options, &none, &err) < 0);
		assert_null(none);
		assert_string_not_equal(err.message, "");
		if (strstr(err.message, "hunter2"))
			fail_msg("%s\ntells: %s", given[i], err.message);
	}
}

static void times(void **state)
{
	static const int64_t bad[] = {
		-1, INT64_MIN, 1, DBLOCK_TTL_MIN_MS - 1, DBLOCK_TTL_MAX_MS + 1, INT64_MAX};
	struct dblock_client_options options = usual();
	char said[64];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		options.ttl_ms = bad[i];
		snprintf(said, sizeof(said), "ttl_ms is %lld", (long long)bad[i]);
		refused(test_url(), &options, said);
	}
	options = usual();
	options.timeout_ms = -1;
	refused(test_url(), &options, "timeout_ms is -1");
	options.timeout_ms = INT64_MAX;
	refused(test_url(), &options, "timeout_ms");
	options = usual();
	options.ttl_ms = DBLOCK_TTL_MAX_MS;
	dblock_close(client_with(&options), NULL);
}

static void names_of_tables(void **state)
{
	static const char *const bad[] = {
		"",     "1x",  "a-b",         "a b", "x;--",
		"a\"b", "a`b", "caf\xc3\xa9", "p.q", "123456789012345678901234567890123"};
	struct dblock_client_options options = usual();

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		options.prefix = bad[i];
		refused(test_url(), &options, "prefix");
		refused(test_url(), &options, bad[i]);
	}
	options.prefix = NULL;
	options.schema = "x;--";
	refused(test_url(), &options, "schema");
	options.schema = NULL;
	options.app = "an app whose name is much, much longer than anybody would want to read";
	refused(test_url(), &options, "app");
	options.app = "caf\xe9";
	refused(test_url(), &options, "app");
	options.app = "two\nlines";
	refused(test_url(), &options, "app");
}

static void the_app_is_shown(void **state)
{
	struct dblock_client_options options = usual();
	struct dblock_client *client;
	struct dblock_lock *lock;

	(void)state;
	options.app = "nightly 'report' \xf0\x9f\x94\x92";
	client = client_with(&options);
	lock = take(client, "x");
	assert_string_equal(show(client, "x").app, options.app);
	give(lock);
	dblock_close(client, NULL);
	client = client_new(0);
	lock = take(client, "x");
	assert_string_equal(show(client, "x").app, program_invocation_short_name);
	give(lock);
	dblock_close(client, NULL);
}

/* Two prefixes are two worlds. */
static void prefixes(void **state)
{
	struct dblock_client_options options = usual();
	struct dblock_client *plain = client_new(0), *other, *same;
	struct dblock_lock *here, *there;

	(void)state;
	options.prefix = "Team2_";
	other = client_with(&options);
	same = client_with(&options);
	here = take(plain, "x");
	there = take(other, "x");
	busy(same, "x");
	give(here);
	busy(same, "x");
	is_free(plain, "x");
	give(there);
	is_free(same, "x");
	dblock_close(plain, NULL);
	dblock_close(other, NULL);
	dblock_close(same, NULL);
}

static void a_schema_where_there_is_none(void **state)
{
	struct dblock_client_options options = usual();
	struct dblock_client *none;
	struct dblock_error err = {0};
	int rc;

	(void)state;
	options.schema = "no_such_place";
	rc = dblock_open(test_url(), &options, &none, &err);
	assert_true(rc < 0);
	assert_null(none);
	if (on_backend("sqlite"))
		assert_int_equal(rc, DBLOCK_E_INVALID);
	message_has("no_such_place");
}

/* What libpq or its server does not take is the URL's fault: not ours, and no server is away. */
static void parameters_of_libpq(void **state)
{
	static const char *const bad[][2] = {
		{"port=abc", "abc"},
		{"port=1&port=abc", "abc"},
		{"sslmode=abc", "sslmode"},
		{"target_session_attrs=abc", "target_session_attrs"},
		{"options=-c%20foo%3Dx", "foo"},
		{"options=-c%20work_mem%3Dmuch", "work_mem"},
	};
	char url[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]) && on_backend("postgresql"); i++) {
		snprintf(url, sizeof(url), "%s%c%s", test_url(),
			 strchr(test_url(), '?') ? '&' : '?', bad[i][0]);
		refused(url, NULL, bad[i][1]);
	}
}

/* Whoever looks it up, libpq or we. No server is asked: such a name is none. */
static void a_host_that_there_is_not(void **state)
{
	struct dblock_error err = {0};
	struct dblock_client *none;

	(void)state;
	expect(E_UNAVAILABLE, dblock_open("postgresql://u@a..b/d", NULL, &none, &err));
	message_has("\"a..b\"");
	message_has("; check the URL's host");
	expect(E_UNAVAILABLE, dblock_open("mysql://u@a..b/d", NULL, &none, &err));
	message_has("host, port or socket");
}

/* Naive: all tables are made. */
static void who_only_looks_makes_no_tables(void **state)
{
	struct dblock_client_options options = usual();
	struct dblock_error err = {0};
	struct dblock_client *none;

	(void)state;
	options.observe = true;
	refused(test_url(), &options, "observe and auto_migrate");
	options.auto_migrate = false;
	options.prefix = "nobodys_";
	expect(E_SCHEMA, dblock_open(test_url(), &options, &none, &err));
	message_has("dblock schema up");
}

/* Naive: the client opens, and is not taken for dead before its ttl is over. */
static void a_mark_that_is_none(void **state)
{
	struct dblock_client_options options = usual();
	struct dblock_client *one;

	(void)state;
	options.alive_fd = 999;
	refused(test_url(), &options, "alive_fd is 999");
	options.alive_fd = open(".", O_RDONLY);
	refused(test_url(), &options, "dblock_alive_new()");
	close(options.alive_fd);
	options.alive_fd = dblock_alive_new();
	one = client_with(&options);
	refused(test_url(), &options, "no other client");
	dblock_close(one, NULL);
	close(options.alive_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_only_looks_makes_no_tables),
		cmocka_unit_test(a_mark_that_is_none),
		cmocka_unit_test(urls),
		cmocka_unit_test(no_message_tells_a_password),
		cmocka_unit_test(times),
		cmocka_unit_test(names_of_tables),
		cmocka_unit_test(the_app_is_shown),
		cmocka_unit_test(prefixes),
		cmocka_unit_test(a_schema_where_there_is_none),
		cmocka_unit_test(parameters_of_libpq),
		cmocka_unit_test(a_host_that_there_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
