/* SPDX-License-Identifier: MIT */
/* What a version is in: integers that come to their end, times that are too coarse, clocks that go
 * back, sessions in another time zone. */
#include "support/versioned.h"

static struct dblock_client *client;
static struct dblock_tx *tx, *other;

/* A table with one row, id 1, whose version is of that type and has that value. */
static struct dblock_row make_row(const char *type, const char *value,
				  enum dblock_version_kind kind)
{
	static const char *const key[] = {"id"};
	static const struct dblock_value one = {DBLOCK_INT, 1, NULL, 0};
	char sql[200];

	tx_exec(tx, "DROP TABLE IF EXISTS thing");
	snprintf(sql, sizeof(sql), "CREATE TABLE thing (id INTEGER PRIMARY KEY, n INTEGER, v %s)",
		 type);
	tx_exec(tx, sql);
	snprintf(sql, sizeof(sql), "INSERT INTO thing VALUES (1, 0, %s)", value);
	tx_exec(tx, sql);
	return (struct dblock_row){.table = "thing",
				   .key = key,
				   .key_values = &one,
				   .n_key = 1,
				   .kind = kind,
				   .version = "v"};
}

static int set_n(struct dblock_tx *on, const struct dblock_row *row, int64_t n, int64_t *version,
		 struct dblock_error *err)
{
	static const char *const columns[] = {"n"};
	struct dblock_value value = dblock_int(n);

	return dblock_row_update(on, row, version, columns, &value, 1, err);
}

static int read_version(struct dblock_tx *on, const struct dblock_row *row, int64_t *version,
			struct dblock_error *err)
{
	return dblock_row_read(on, row, NULL, 0, NULL, NULL, version, err);
}

/* Naive: MySQL, which is not strict here, sets n and lets the version where it is; SQLite makes it
 * a float, which is the same for two of them. */
static void ends_at(const char *type, const char *value, int64_t version)
{
	struct dblock_row row = make_row(type, value, DBLOCK_BY_VERSION);
	struct dblock_error err = {0};
	int64_t seen;

	expect(OK, read_version(tx, &row, &seen, &err));
	assert_int_equal(seen, version);
	expect(E_REFUSED, set_n(tx, &row, 5, &seen, &err));
	assert_int_equal(seen, version);
	seen--;
	expect(STALE, set_n(tx, &row, 5, &seen, &err));
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

/* Where a smaller type would end, a larger one goes on. */
static void others_go_on(void **state)
{
	static const char *const ends[] = {"-1", "127", "255", "32767", "2147483647", "4294967295"};
	struct dblock_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct dblock_row row = make_row("BIGINT", ends[i], DBLOCK_BY_VERSION);
		int64_t version;

		expect(OK, read_version(tx, &row, &version, &err));
		expect(OK, set_n(tx, &row, 5, &version, &err));
		assert_int_equal(version, strtoll(ends[i], NULL, 10) + 1);
		expect(OK, set_n(tx, &row, 6, &version, &err));
		assert_int_equal(tx_int(tx, "SELECT v FROM thing"), version);
	}
}

static void unfit(const char *type, const char *value, enum dblock_version_kind kind,
		  const char *why)
{
	struct dblock_row row = make_row(type, value, kind);
	struct dblock_error err = {0};
	int64_t version = 1;

	expect(E_SCHEMA, read_version(tx, &row, &version, &err));
	message_has(why);
	message_has("'v'");
	expect(E_SCHEMA, set_n(tx, &row, 5, &version, &err));
	expect(E_SCHEMA, dblock_row_delete(tx, &row, &version, &err));
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

/* ---- times ----------------------------------------------------------------------------------- */

static const char *const time_types[][3] = {
	{"postgresql", "timestamptz", "timestamp"},
	{"mysql", "TIMESTAMP(6) NOT NULL", "DATETIME(6) NOT NULL"},
	{"sqlite", "INTEGER", "TEXT"},
};

static const char *time_type(int i)
{
	for (size_t t = 0; t < 3; t++) {
		if (on_backend(time_types[t][0]))
			return time_types[t][1 + i];
	}
	return NULL;
}

static const char *time_value(int i, const char *text, const char *us)
{
	static char value[80];

	if (on_backend("sqlite") && i == 0)
		return us;
	snprintf(value, sizeof(value), "'%s'", text);
	return value;
}

/* So many microseconds apart, exactly: also where one of them lies far ahead. Naive: now() alone,
 * which would be earlier, or the same. */
static void a_time_is_later_in_any_case(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct dblock_row row =
			make_row(time_type(i),
				 time_value(i, "2037-06-05 04:03:02.999998", "2127873782999998"),
				 DBLOCK_BY_UPDATED_AT);
		int64_t version, before, seen;

		expect(OK, read_version(tx, &row, &version, &err));
		before = version;
		assert_int_equal(version % 1000000, 999998);
		for (int n = 1; n <= 3; n++) {
			expect(OK, set_n(tx, &row, n, &version, &err));
			assert_int_equal(version, before + n);
			expect(OK, read_version(tx, &row, &seen, &err));
			assert_int_equal(seen, version);
		}
		expect(STALE, set_n(tx, &row, 9, &before, &err));
		assert_int_equal(before, version);
		if (!on_backend("sqlite") || i)
			assert_string_equal(tx_text(tx, on_backend("postgresql")
								? "SELECT to_char(v, 'YYYY-MM-DD "
								  "HH24:MI:SS.US') FROM thing"
								: "SELECT v FROM thing"),
					    "2037-06-05 04:03:03.000001");
	}
}

/* The database's clock, in its session's zone where the column has none. */
static void a_time_is_now(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct dblock_row row =
			make_row(time_type(i), time_value(i, "2020-01-02 03:04:05.000006", "6"),
				 DBLOCK_BY_UPDATED_AT);
		int64_t version, last;

		expect(OK, read_version(tx, &row, &version, &err));
		expect(OK, set_n(tx, &row, 1, &version, &err));
		if (on_backend("postgresql"))
			assert_int_equal(tx_int(tx,
						"SELECT clock_timestamp() - v BETWEEN "
						"interval '0' AND interval '1 hour' FROM thing"),
					 1);
		else if (on_backend("mysql"))
			assert_int_equal(tx_int(tx, "SELECT TIMESTAMPDIFF(SECOND, v, NOW(6)) "
						    "BETWEEN 0 AND 3600 FROM thing"),
					 1);
		else
			assert_in_range(tx_int(tx, "SELECT strftime('%s')") - version / 1000000, 0,
					3600);
		/* Two in one microsecond: MySQL's clock can be stopped, and others are fast. */
		if (on_backend("mysql"))
			tx_exec(tx, "SET timestamp = 2000000000.5");
		for (int n = 0; n < 20; n++) {
			last = version;
			expect(OK, set_n(tx, &row, n, &version, &err));
			assert_true(version > last);
			expect(OK, read_version(tx, &row, &last, &err));
			assert_int_equal(last, version);
		}
		if (on_backend("mysql"))
			tx_exec(tx, "SET timestamp = DEFAULT");
	}
}

static void set_zone(struct dblock_tx *on, const char *zone)
{
	char sql[80];

	snprintf(sql, sizeof(sql),
		 on_backend("mysql") ? "SET SESSION time_zone = '%s'" : "SET TimeZone = '%s'",
		 zone);
	tx_exec(on, sql);
}

/* Naive: the time as a text, which is another one in another session; the caller's values in a zone
 * of ours. */
static void a_session_has_its_own_zone(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	if (on_backend("sqlite"))
		return;
	for (int i = 0; i < 2; i++) {
		struct dblock_row row = make_row(time_type(i), "'2036-01-02 03:04:05.000006'",
						 DBLOCK_BY_UPDATED_AT);
		int64_t mine, theirs;

		set_zone(tx, "+05:30");
		set_zone(other, "-11:00");
		expect(OK, read_version(tx, &row, &mine, &err));
		expect(OK, read_version(other, &row, &theirs, &err));
		assert_int_equal(mine, theirs);
		expect(OK, set_n(tx, &row, 1, &mine, &err));
		expect(STALE, set_n(other, &row, 2, &theirs, &err));
		assert_int_equal(mine, theirs);
		expect(OK, set_n(other, &row, 3, &theirs, &err));
		assert_int_equal(theirs, mine + 1);
		assert_string_equal(
			tx_text(tx, on_backend("mysql") ? "SELECT @@time_zone" : "SHOW TimeZone"),
			"+05:30");
	}
}

static void a_trigger_of_mysqls_is_overruled(void **state)
{
	struct dblock_error err = {0};
	struct dblock_row row;
	int64_t version, seen;

	(void)state;
	if (!on_backend("mysql"))
		return;
	row = make_row("TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE "
		       "CURRENT_TIMESTAMP(6)",
		       "'2037-01-01 00:00:00.000001'", DBLOCK_BY_UPDATED_AT);
	expect(OK, read_version(tx, &row, &version, &err));
	expect(OK, set_n(tx, &row, 1, &version, &err));
	expect(OK, read_version(tx, &row, &seen, &err));
	assert_int_equal(seen, version);
	/* And who knows nothing of versions is noticed, too. */
	tx_exec(other, "UPDATE thing SET n = n + 1");
	expect(STALE, set_n(tx, &row, 5, &version, &err));
}

static int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	tx = tx_open(client);
	other = tx_open(client);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_tx_close(tx);
	dblock_tx_close(other);
	dblock_close(client);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_largest_version_is_refused),
		cmocka_unit_test(others_go_on),
		cmocka_unit_test(what_is_no_version_is_told),
		cmocka_unit_test(a_time_is_later_in_any_case),
		cmocka_unit_test(a_time_is_now),
		cmocka_unit_test(a_session_has_its_own_zone),
		cmocka_unit_test(a_trigger_of_mysqls_is_overruled),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
