/* SPDX-License-Identifier: MIT */
/* A database is made, or dropped, and the connection is lost meanwhile: before the statement arrives,
 * while the server is at it, and with the reply. The call sees what became of it. */
#include <dblock/database.h>

#include "support/call.h"
#include "support/proxy.h"
#include "support/raw.h"

#define GIVES_UP_MS 300

static struct proxy *proxy;
static char name[64], url[600], create[100], drop[100];

static bool is_there(void)
{
	struct raw *raw = raw_open(NULL);
	int64_t n = on_backend("postgresql")
			    ? raw_int(raw, "SELECT count(*) FROM pg_database WHERE datname = '%s'",
				      name)
			    : raw_int(raw,
				      "SELECT count(*) FROM information_schema.schemata WHERE "
				      "schema_name = '%s'",
				      name);

	raw_close(raw);
	return n == 1;
}

static int call(struct dblock_error *err, int64_t timeout_ms, bool make, dblock_database_cb *found)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = timeout_ms;
	return make ? dblock_migrate_create(url, &options, found, NULL, err)
		    : dblock_migrate_drop(url, &options, false, found, NULL, err);
}

static int makes(void *unused, struct dblock_error *err)
{
	(void)unused;
	return call(err, PLENTY_MS, true, NULL);
}

static int drops(void *unused, struct dblock_error *err)
{
	(void)unused;
	return call(err, PLENTY_MS, false, NULL);
}

/* The database's name is in what the server is told first by who connects to it. */
static int set_up(void **unused)
{
	static int n;
	const char *whole, *path, *query, *quote = on_backend("mysql") ? "`" : "";

	(void)unused;
	proxy = proxy_new();
	snprintf(name, sizeof(name), "lost_%d_%d", (int)getpid(), ++n);
	whole = proxy_url(proxy);
	path = strrchr(whole, '/');
	query = strchr(path, '?');
	snprintf(url, sizeof(url), "%.*s/%s%s", (int)(path - whole), whole, name,
		 query ? query : "");
	snprintf(create, sizeof(create), "CREATE DATABASE %s%s%s", quote, name, quote);
	snprintf(drop, sizeof(drop), "DROP DATABASE %s%s%s", quote, name, quote);
	return 0;
}

static void by_hand(const char *sql)
{
	struct raw *raw = raw_open(NULL);

	raw_exec(raw, "%s", sql);
	raw_close(raw);
}

static int tear_down(void **unused)
{
	(void)unused;
	proxy_free(proxy);
	if (is_there())
		by_hand(drop);
	return 0;
}

/* ---- create ---------------------------------------------------------------------------------- */

static void made_but_the_reply_is_lost(void **unused)
{
	struct dblock_error err = {0};

	(void)unused;
	proxy_set_at_text(proxy, create, PROXY_LOSE);
	expect(OK, makes(NULL, &err));
	assert_true(proxy_has_hit(proxy) && is_there());
	expect(DONE, makes(NULL, &err));
}

static void the_order_to_make_it_does_not_arrive(void **unused)
{
	struct dblock_error err = {0};

	(void)unused;
	proxy_set_at_text(proxy, create, PROXY_TEAR);
	expect(OK, makes(NULL, &err));
	assert_true(proxy_has_hit(proxy) && is_there());
}

/* Nobody can copy template1 meanwhile. */
static void it_is_being_made(void **unused)
{
	struct raw *keeper = raw_open(NULL);
	struct call caller;

	(void)unused;
	raw_exec(keeper, "BEGIN");
	raw_exec(keeper, "COMMENT ON DATABASE template1 IS 'ours for a moment'");
	proxy_set_at_text(proxy, create, PROXY_SWALLOW);
	call_start(&caller, makes, NULL);
	proxy_wait_hit(proxy);
	proxy_set_at_text(proxy, create, PROXY_PASS);
	proxy_cut(proxy);
	proxy_wait_hit(proxy);
	raw_exec(keeper, "ROLLBACK");
	call_is_ok(&caller);
	assert_true(is_there());
	raw_close(keeper);
}

/* ---- drop ------------------------------------------------------------------------------------ */

static void dropped_but_the_reply_is_lost(void **unused)
{
	struct dblock_error err = {0};

	(void)unused;
	by_hand(create);
	proxy_set_at_text(proxy, drop, PROXY_LOSE);
	expect(OK, drops(NULL, &err));
	assert_true(proxy_has_hit(proxy) && !is_there());
	expect(GONE, drops(NULL, &err));
}

/* It could be on its way yet, so it is not sent again. */
static void the_order_to_drop_it_does_not_arrive(void **unused)
{
	struct dblock_error err = {0};

	(void)unused;
	by_hand(create);
	proxy_set_at_text(proxy, drop, PROXY_TEAR);
	expect(E_UNSURE, call(&err, GIVES_UP_MS, false, NULL));
	message_has("it is there, but the server may be at it");
	message_has(name);
	message_has("next:  run 'dblock migrate drop' again");
	assert_true(proxy_has_hit(proxy) && is_there());
	expect(OK, drops(NULL, &err));
	assert_false(is_there());
}

/* Somebody else is at the database, though not connected to it. */
static struct raw *keep(void)
{
	struct raw *keeper = raw_open(NULL);

	if (on_backend("mysql")) {
		raw_exec(keeper, "CREATE TABLE %s.t (k INTEGER)", name);
		raw_exec(keeper, "BEGIN");
		raw_exec(keeper, "SELECT k FROM %s.t", name);
	} else {
		raw_exec(keeper, "BEGIN");
		raw_exec(keeper, "COMMENT ON DATABASE %s IS 'ours for a moment'", name);
	}
	return keeper;
}

/* Naive: it looks once. (MySQL gives up a statement that waits for a lock when its client has gone.) */
static void it_is_being_dropped(void **unused)
{
	struct raw *keeper;
	struct call caller;

	(void)unused;
	if (on_database("mysql"))
		skip();
	by_hand(create);
	keeper = keep();
	proxy_set_at_text(proxy, drop, PROXY_SWALLOW);
	call_start(&caller, drops, NULL);
	proxy_wait_hit(proxy);
	proxy_set_at_text(proxy, name, PROXY_PASS);
	proxy_cut(proxy);
	proxy_wait_hit(proxy);
	proxy_set_at_text(proxy, name, PROXY_PASS);
	if (on_backend("mysql"))
		proxy_wait_hit(proxy); /* it looks again */
	raw_exec(keeper, "ROLLBACK");
	call_is_ok(&caller);
	assert_false(is_there());
	raw_close(keeper);
}

/* ---- what cannot be told --------------------------------------------------------------------- */

static int hang_up(void *unused, const struct dblock_database *found)
{
	(void)unused;
	(void)found;
	proxy_refuse(proxy, true);
	return 0;
}

static void the_server_does_not_come_back(void **unused)
{
	struct dblock_error err = {0};

	(void)unused;
	by_hand(create);
	proxy_set_at_text(proxy, drop, PROXY_LOSE);
	expect(E_UNSURE, call(&err, GIVES_UP_MS, false, hang_up));
	message_has("whether it is there cannot be told");
	message_has("next:  run 'dblock migrate drop' again");
	proxy_refuse(proxy, false);
	expect(GONE, drops(NULL, &err));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(made_but_the_reply_is_lost),    TEST(the_order_to_make_it_does_not_arrive),
		TEST(dropped_but_the_reply_is_lost), TEST(the_order_to_drop_it_does_not_arrive),
		TEST(it_is_being_dropped),           TEST(the_server_does_not_come_back),
	};
	const struct CMUnitTest on_postgresql[] = {TEST(it_is_being_made)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (on_backend("postgresql"))
		failed += cmocka_run_group_tests(on_postgresql, NULL, NULL);
	return failed;
}
