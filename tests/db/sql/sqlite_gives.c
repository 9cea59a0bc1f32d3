/* SPDX-License-Identifier: MIT */
/* Writes return the clock that they were given, without RETURNING; acquire is one of them. */
#include <dblock/dblock.h>

#include "db/driver/driver_kit.h"
#include "sql/dialect.h"

#define WRITE                                                                                      \
	"UPDATE dblock_contract SET i = $wall WHERE k = $1 AND i < $wall + $2\n"                   \
	"-- gives $wall: as a comment\n"

static void gives_the_clock_that_was_written(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt;
	struct dbl_value row[1];
	int64_t before, given = 0;

	exec(w, w->conn, "INSERT INTO dblock_contract (k, i) VALUES (1, 0), (2, 0)");
	stmt = prepare(w, w->conn, WRITE);
	for (int64_t k = 1; k <= 2; k++) {
		before = dbl_wall(dbl_env_system());
		assert_int_equal(run(w, stmt, VALUES(dbl_int(k), dbl_int(0))), 1);
		assert_int_equal(stmt->columns, 1);
		assert_true(fetch(w, stmt, row, 1));
		assert_in_range(row[0].i, before, dbl_wall(dbl_env_system()));
		given = row[0].i;
		assert_false(fetch(w, stmt, row, 1));
		dbl_sleep_until(dbl_env_system(), in_ms(2));
	}
	assert_int_equal(one_int(w, w->conn, "SELECT max(i) FROM dblock_contract"), given);
}

static void gives_nothing_where_nothing_was_written(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt;
	struct dbl_value row[1];

	exec(w, w->conn, "INSERT INTO dblock_contract (k, i) VALUES (1, 0)");
	stmt = prepare(w, w->conn, WRITE);
	run(w, stmt, VALUES(dbl_int(1), dbl_int(0)));
	/* A result that is not fetched is forgotten. */
	assert_int_equal(run(w, stmt, VALUES(dbl_int(1), dbl_int(-3600000000))), 0);
	assert_false(fetch(w, stmt, row, 1));
	assert_int_equal(run(w, stmt, VALUES(dbl_int(3), dbl_int(0))), 0);
	assert_false(fetch(w, stmt, row, 1));
}

/* Returns the next part of an operation's text; each begins with such a line. */
static const char *next_part(const char *text)
{
	static const char *const marks[] = {"\n-- met\n", "\n-- else\n"};
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *at = strstr(text, marks[i]);

		if (at && (!first || at < first))
			first = at + 1;
	}
	return first;
}

/* A list of constants is scanned as one row. */
static int scans_nothing(struct world *w, const char *text, const char *end)
{
	struct dbl_value args[16] = {{.type = DBL_NULL}}, row[4];
	struct dbl_stmt *stmt;
	char sql[8000];
	int rows = 0;

	snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN\n%.*s", (int)(end - text), text);
	stmt = prepare(w, w->conn, sql);
	run(w, stmt, args, 16);
	for (; fetch(w, stmt, row, 4); rows++) {
		if (strncmp(row[3].text, "SCAN ", 5) == 0 &&
		    strncmp(row[3].text, "SCAN CONSTANT ROW", 17) != 0)
			fail_msg("%.*s", (int)row[3].len, row[3].text);
	}
	return rows;
}

static void acquire_scans_nothing(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	const struct dbl_dialect *dialect;
	struct dblock_client *client;
	struct world *w = *state;
	int parts = 0;

	options.auto_migrate = 1;
	must(w, dblock_open(env_text("DBLOCK_TEST_URL"), &options, &client, &w->err));
	dblock_close(client, NULL);
	must(w, dbl_dialect_find("sqlite", &dialect, &w->err));
	for (const char *at = dialect->sql[DBL_OP_acquire], *end; at; at = end, parts++) {
		end = next_part(at);
		assert_true(scans_nothing(w, at, end ? end : at + strlen(at)) > 0);
	}
	assert_int_equal(parts, 3);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE(gives_the_clock_that_was_written),
		CASE(gives_nothing_where_nothing_was_written),
		CASE(acquire_scans_nothing),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
