/* SPDX-License-Identifier: MIT */
/* Defaults of the server, the database or the role do not change what a lock means. */
#include "support/puppet.h"
#include "support/raw.h"

/* Checks a setting in the puppet's connection, as a text: only the connection itself can tell. */
static void setting_is(struct puppet *puppet, struct raw *raw, const char *sql, const char *want)
{
	char insert[512];
	struct dblock_error err = {0};

	raw_exec(raw, "DROP TABLE IF EXISTS said");
	raw_exec(raw, "CREATE TABLE said (what varchar(400))");
	snprintf(insert, sizeof(insert), "INSERT INTO %ssaid SELECT %s",
		 on_backend("postgresql") ? "public." : "", sql);
	expect(OK, dbl_db_exec(puppet->db, insert, dbl_now(dbl_env_system()) + dbl_ms(PLENTY_MS),
			       &err));
	/* The text can be read here, so it was committed, whatever autocommit is. */
	assert_string_equal(raw_text(raw, "SELECT what FROM said"), want);
	raw_exec(raw, "DROP TABLE said");
}

static void postgresql_settings(struct puppet *puppet, struct raw *raw)
{
	static const char *const settings[][2] = {
		{"default_transaction_isolation", "read committed"},
		{"transaction_isolation", "read committed"},
		{"default_transaction_read_only", "off"},
		{"statement_timeout", "0"},
		{"idle_in_transaction_session_timeout", "0"},
		{"search_path", "pg_catalog"},
		{"client_encoding", "UTF8"},
		{"standard_conforming_strings", "on"},
		{"synchronous_commit", "on"},
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		char sql[128];

		snprintf(sql, sizeof(sql), "pg_catalog.current_setting('%s')", settings[i][0]);
		setting_is(puppet, raw, sql, settings[i][1]);
	}
}

static void mysql_settings(struct puppet *puppet, struct raw *raw)
{
	static const char *const mysql[][2] = {
		{"@@SESSION.transaction_isolation", "READ-COMMITTED"},
		{"@@SESSION.max_execution_time", "0"},
	};
	static const char *const mariadb[][2] = {
		{"@@SESSION.tx_isolation", "READ-COMMITTED"},
		{"@@SESSION.max_statement_time", "0"},
		{"@@SESSION.idle_transaction_timeout", "10"},
	};
	static const char *const settings[][2] = {
		{"@@SESSION.time_zone", "+00:00"},
		{"@@SESSION.autocommit", "1"},
		{"@@SESSION.completion_type", "NO_CHAIN"},
		{"@@SESSION.sql_mode", "STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION"},
		{"@@SESSION.character_set_client", "utf8mb4"},
		{"@@SESSION.character_set_connection", "utf8mb4"},
		{"@@SESSION.character_set_results", "utf8mb4"},
		{"@@SESSION.sql_auto_is_null", "0"},
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		setting_is(puppet, raw, settings[i][0], settings[i][1]);
	for (size_t i = 0; i < sizeof(mysql) / sizeof(mysql[0]) && on_database("mysql"); i++)
		setting_is(puppet, raw, mysql[i][0], mysql[i][1]);
	for (size_t i = 0; i < sizeof(mariadb) / sizeof(mariadb[0]) && on_database("mariadb"); i++)
		setting_is(puppet, raw, mariadb[i][0], mariadb[i][1]);
}

static void our_connections_have_our_settings(void **state)
{
	struct raw *raw = raw_open(NULL);
	struct puppet *puppet;

	(void)state;
	dblock_close(client_new(0), NULL);
	puppet = puppet_new(NULL, 600000);
	if (on_backend("postgresql"))
		postgresql_settings(puppet, raw);
	else if (on_backend("mysql"))
		mysql_settings(puppet, raw);
	else
		setting_is(puppet, raw, "trusted_schema FROM pragma_trusted_schema", "0");
	puppet_free(puppet);
	raw_close(raw);
}

/* Under such defaults a lock is taken, refused, waited for, given back and reaped. */
static void everything_works(void)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_reap_options all = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_lock *lock = take(a, "x");
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	busy(b, "x");
	give(lock);
	options.lease_ms = 600000;
	options.value = "it's \\ \"quoted\"";
	expect(OK, dblock_acquire(b, "x", &options, &lock, &err));
	assert_string_equal(show(a, "x").value, options.value);
	assert_true(show(a, "x").h.left_ms > 600000 - PLENTY_MS);
	expect(OK, break_by_force(a, "x", 0, 0, &err));
	expect(LOST, dblock_release(lock, &err));
	all.purge_after_ms = -1;
	expect(OK, dblock_reap(a, &all, &reaped, &err));
	assert_int_equal(reaped.names_purged, 1);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void a_hostile_database(void **state)
{
	static const char *const settings[] = {
		"default_transaction_read_only = on",
		"default_transaction_isolation = 'serializable'",
		"statement_timeout = '5s'",
		"lock_timeout = '1ms'",
		"search_path = 'nowhere'",
		"timezone = 'Pacific/Apia'",
		"datestyle = 'SQL, DMY'",
		"standard_conforming_strings = off",
		"client_min_messages = 'error'",
		"synchronous_commit = off",
		"transform_null_equals = on",
	};
	struct raw *raw = raw_open(NULL);
	const char *name;

	(void)state;
	everything_works();
	if (on_backend("postgresql")) {
		char quoted[128];

		name = raw_text(raw, "SELECT quote_ident(current_database())");
		snprintf(quoted, sizeof(quoted), "%s", name);
		for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
			raw_exec(raw, "ALTER DATABASE %s SET %s", quoted, settings[i]);
		if (!server_before(14))
			raw_exec(raw, "ALTER DATABASE %s SET idle_session_timeout = '5s'", quoted);
		everything_works();
		/* This connection is older than the settings. */
		raw_exec(raw, "ALTER DATABASE %s RESET ALL", quoted);
	}
	raw_close(raw);
}

/* Two clients whose search_path differs use the same lock; a table of our name elsewhere on the
 * path does not matter. */
static void a_search_path_in_the_url(void **state)
{
	struct dblock_client *plain = client_new(0), *other;
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	char url[1024];

	(void)state;
	if (on_backend("postgresql")) {
		raw_exec(raw, "CREATE SCHEMA foo");
		raw_exec(raw, "CREATE TABLE foo.dblock_lock (name text, token bigint)");
		raw_exec(raw, "CREATE TABLE foo.dblock_session (id text)");
	}
	snprintf(url, sizeof(url), "%s%s", test_url(),
		 on_backend("postgresql") ? "&options=-csearch_path%3Dfoo" : "");
	expect(OK, dblock_open(url, NULL, &other, &err));
	lock = take(other, "x");
	busy(plain, "x");
	give(lock);
	is_free(plain, "x");
	dblock_close(other, NULL);
	dblock_close(plain, NULL);
	raw_close(raw);
}

/* Tables in another schema (MySQL: database) are a separate world. */
static void a_schema_of_its_own(void **state)
{
	struct dblock_client *plain = client_new(0), *other, *same;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *here, *there;
	char schema[64];

	(void)state;
	snprintf(schema, sizeof(schema), "Apart_%ld", (long)getpid());
	options.schema = on_backend("sqlite") ? NULL : schema;
	options.prefix = on_backend("sqlite") ? schema : NULL; /* SQLite has only the prefix */
	options.auto_migrate = 1;
	if (on_backend("postgresql"))
		raw_exec(raw, "CREATE SCHEMA \"%s\"", schema);
	if (on_backend("mysql"))
		raw_exec(raw, "CREATE DATABASE %s", schema);
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
	if (on_backend("mysql"))
		raw_exec(raw, "DROP DATABASE %s", schema);
	raw_close(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_connections_have_our_settings),
		cmocka_unit_test(a_hostile_database),
		cmocka_unit_test(a_search_path_in_the_url),
		cmocka_unit_test(a_schema_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
