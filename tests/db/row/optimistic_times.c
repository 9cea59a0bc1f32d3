/* SPDX-License-Identifier: MIT */
/* Times as versions: clocks that go back, two updates in a microsecond, sessions in another time
 * zone. */
#include "support/versioned.h"

static struct dblock_client *client;
static struct dblock_tx *tx, *other;

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

/* Two times must be exactly so many microseconds apart, even if one of them lies far ahead. Naive:
 * now() alone, which would be earlier, or the same. */
static void a_time_is_later_in_any_case(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct dblock_versioned_row row =
			thing_make(tx, time_type(i),
				   time_value(i, "2037-06-05 04:03:02.999998", "2127873782999998"),
				   DBLOCK_BY_UPDATED_AT);
		int64_t version, before, seen;

		expect(OK, thing_version(tx, &row, &version, &err));
		before = version;
		assert_int_equal(version % 1000000, 999998);
		for (int n = 1; n <= 3; n++) {
			expect(OK, thing_set(tx, &row, n, &version, &err));
			assert_int_equal(version, before + n);
			expect(OK, thing_version(tx, &row, &seen, &err));
			assert_int_equal(seen, version);
		}
		expect(STALE, thing_set(tx, &row, 9, &before, &err));
		assert_int_equal(before, version);
		if (!on_backend("sqlite") || i)
			assert_string_equal(tx_text(tx, on_backend("postgresql")
								? "SELECT to_char(v, 'YYYY-MM-DD "
								  "HH24:MI:SS.US') FROM thing"
								: "SELECT v FROM thing"),
					    "2037-06-05 04:03:03.000001");
	}
}

/* The time is the database's, in its session's zone if the column has none. */
static void a_time_is_now(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct dblock_versioned_row row = thing_make(
			tx, time_type(i), time_value(i, "2020-01-02 03:04:05.000006", "6"),
			DBLOCK_BY_UPDATED_AT);
		int64_t version, last;

		expect(OK, thing_version(tx, &row, &version, &err));
		expect(OK, thing_set(tx, &row, 1, &version, &err));
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
		/* Two updates come in one microsecond: MySQL's clock can be stopped, and other
		 * databases are fast. */
		if (on_backend("mysql"))
			tx_exec(tx, "SET timestamp = 2000000000.5");
		for (int n = 0; n < 20; n++) {
			last = version;
			expect(OK, thing_set(tx, &row, n, &version, &err));
			assert_true(version > last);
			expect(OK, thing_version(tx, &row, &last, &err));
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

/* Naive: the time as a text, which is another one in another session; or the caller's values in our
 * zone. */
static void a_session_has_its_own_zone(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	if (on_backend("sqlite"))
		return;
	for (int i = 0; i < 2; i++) {
		struct dblock_versioned_row row = thing_make(
			tx, time_type(i), "'2036-01-02 03:04:05.000006'", DBLOCK_BY_UPDATED_AT);
		int64_t mine, theirs;

		set_zone(tx, "+05:30");
		set_zone(other, "-11:00");
		expect(OK, thing_version(tx, &row, &mine, &err));
		expect(OK, thing_version(other, &row, &theirs, &err));
		assert_int_equal(mine, theirs);
		expect(OK, thing_set(tx, &row, 1, &mine, &err));
		expect(STALE, thing_set(other, &row, 2, &theirs, &err));
		assert_int_equal(mine, theirs);
		expect(OK, thing_set(other, &row, 3, &theirs, &err));
		assert_int_equal(theirs, mine + 1);
		assert_string_equal(
			tx_text(tx, on_backend("mysql") ? "SELECT @@time_zone" : "SHOW TimeZone"),
			"+05:30");
	}
}

static void a_trigger_of_mysqls_is_overruled(void **state)
{
	struct dblock_error err = {0};
	struct dblock_versioned_row row;
	int64_t version, seen;

	(void)state;
	if (!on_backend("mysql"))
		return;
	row = thing_make(tx,
			 "TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE "
			 "CURRENT_TIMESTAMP(6)",
			 "'2037-01-01 00:00:00.000001'", DBLOCK_BY_UPDATED_AT);
	expect(OK, thing_version(tx, &row, &version, &err));
	expect(OK, thing_set(tx, &row, 1, &version, &err));
	expect(OK, thing_version(tx, &row, &seen, &err));
	assert_int_equal(seen, version);
	/* An update that knows nothing of versions is noticed, too. */
	tx_exec(other, "UPDATE thing SET n = n + 1");
	expect(STALE, thing_set(tx, &row, 5, &version, &err));
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
	dblock_close(client, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_is_later_in_any_case),
		cmocka_unit_test(a_time_is_now),
		cmocka_unit_test(a_session_has_its_own_zone),
		cmocka_unit_test(a_trigger_of_mysqls_is_overruled),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
