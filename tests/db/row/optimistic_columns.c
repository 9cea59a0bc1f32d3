/* SPDX-License-Identifier: MIT */
/* Columns for a version: integers that reach their end, types that cannot be one, triggers. */
#include "support/versioned.h"

static struct dblock_client *client;
static struct dblock_tx *tx;

/* Naive: MySQL, which is not strict here, sets n and leaves the version as it is; SQLite makes it a
 * float, which is the same for two versions. */
static void ends_at(const char *type, const char *value, int64_t version)
{
	struct dblock_versioned_row row = thing_make(tx, type, value, DBLOCK_BY_VERSION);
	struct dblock_error err = {0};
	int64_t seen;

	expect(OK, thing_version(tx, &row, &seen, &err));
	assert_int_equal(seen, version);
	expect(E_REFUSED, thing_set(tx, &row, 5, &seen, &err));
	assert_int_equal(seen, version);
	seen--;
	expect(STALE, thing_set(tx, &row, 5, &seen, &err));
	assert_int_equal(tx_int(tx, "SELECT n FROM thing"), 0);
}

static void a_largest_version_is_refused(void **state)
{
	(void)state;
	ends_at("BIGINT", "9223372036854775807", INT64_MAX);
	if (on_backend("sqlite"))
		return;
	ends_at("SMALLINT", "32767", INT16_MAX);
	ends_at("INTEGER", "2147483647", INT32_MAX);
	if (!on_backend("mysql"))
		return;
	ends_at("TINYINT UNSIGNED", "255", 255);
	ends_at("MEDIUMINT", "8388607", 8388607);
	ends_at("INTEGER UNSIGNED", "4294967295", UINT32_MAX);
}

/* A larger type goes on where a smaller one ends. */
static void others_go_on(void **state)
{
	static const char *const ends[] = {"-1", "127", "255", "32767", "2147483647", "4294967295"};
	struct dblock_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct dblock_versioned_row row =
			thing_make(tx, "BIGINT", ends[i], DBLOCK_BY_VERSION);
		int64_t version;

		expect(OK, thing_version(tx, &row, &version, &err));
		expect(OK, thing_set(tx, &row, 5, &version, &err));
		assert_int_equal(version, strtoll(ends[i], NULL, 10) + 1);
		expect(OK, thing_set(tx, &row, 6, &version, &err));
		assert_int_equal(tx_int(tx, "SELECT v FROM thing"), version);
	}
}

static void unfit(const char *type, const char *value, enum dblock_version_kind kind,
		  const char *why)
{
	struct dblock_versioned_row row = thing_make(tx, type, value, kind);
	struct dblock_error err = {0};
	int64_t version = 1;

	expect(E_SCHEMA, thing_version(tx, &row, &version, &err));
	message_has(why);
	message_has("'v'");
	expect(E_SCHEMA, thing_set(tx, &row, 5, &version, &err));
	expect(E_SCHEMA, dblock_versioned_delete(tx, &row, &version, &err));
	assert_int_equal(tx_int(tx, "SELECT n FROM thing"), 0);
}

static void what_is_no_version_is_told(void **state)
{
	enum dblock_version_kind number = DBLOCK_BY_VERSION, time = DBLOCK_BY_UPDATED_AT;

	(void)state;
	unfit("BIGINT", "NULL", number, "NULL");
	unfit("VARCHAR(20)", "'five'", number, "not an integer");
	if (on_backend("postgresql")) {
		unfit("timestamptz(0)", "now()", time, "timestamp(0) with time zone");
		unfit("timestamp(3)", "now()", time, "no microseconds");
		unfit("date", "now()", time, "of type date");
		unfit("bigint", "1", time, "of type bigint");
		unfit("timestamptz", "NULL", time, "NULL");
	} else if (on_backend("mysql")) {
		unfit("DATETIME", "NOW()", time, "of type datetime");
		unfit("TIMESTAMP NULL", "NOW()", time, "no microseconds");
		unfit("DATETIME(3)", "NOW()", time, "datetime(3)");
		unfit("BIGINT", "1", time, "of type bigint");
		unfit("DATETIME(6) NULL", "NULL", time, "NULL");
	} else {
		unfit("TEXT", "datetime('now')", time, "NULL, or");
		unfit("TEXT", "strftime('%Y-%m-%d %H:%M:%f', 'now')", time, "microseconds");
		unfit("REAL", "julianday('now')", time, "microseconds");
		unfit("TEXT", "'2020-01-01 00:00:00.000000Z'", time, "microseconds");
		unfit("INTEGER", "NULL", time, "NULL");
	}
}

/* Naive: the call returns the version that it wanted, and not the one that the trigger wrote. */
static void triggers_have_their_say(void **state)
{
	struct dblock_versioned_row row = thing_make(tx, "BIGINT", "7", DBLOCK_BY_VERSION);
	struct dblock_error err = {0};
	int64_t version = 7;

	(void)state;
	if (on_backend("mysql"))
		return;
	if (on_backend("postgresql")) {
		tx_exec(tx,
			"CREATE FUNCTION two_more() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
			"IF NEW.n = 13 THEN RETURN NULL; END IF; "
			"NEW.v := NEW.v + 1; RETURN NEW; END $$");
		tx_exec(tx, "CREATE TRIGGER two_more BEFORE UPDATE ON thing FOR EACH ROW EXECUTE "
			    "FUNCTION two_more()");
	} else {
		tx_exec(tx,
			"CREATE TRIGGER never BEFORE UPDATE ON thing WHEN NEW.n = 13 BEGIN SELECT "
			"RAISE(IGNORE); END");
	}
	expect(OK, thing_set(tx, &row, 1, &version, &err));
	assert_int_equal(version, on_backend("postgresql") ? 9 : 8);
	/* The call is not stale: the version would never change. */
	expect(E_REFUSED, thing_set(tx, &row, 13, &version, &err));
	message_has("a trigger");
	expect(OK, thing_set(tx, &row, 2, &version, &err));
	assert_int_equal(tx_int(tx, "SELECT v FROM thing"), version);
}

static int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	tx = tx_open(client);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_tx_close(tx);
	dblock_close(client, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_largest_version_is_refused),
		cmocka_unit_test(others_go_on),
		cmocka_unit_test(what_is_no_version_is_told),
		cmocka_unit_test(triggers_have_their_say),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
