/* SPDX-License-Identifier: MIT */
/* What is special to MySQL and MariaDB: rows out of LAST_INSERT_ID(), the bytes of names, results
 * of any length, its own locks and limits, and the client library's habits. */
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/driver/driver_kit.h"

#define UPSERT                                                                                     \
	"INSERT INTO dblock_contract (k, i) VALUES ($1, LAST_INSERT_ID($2))"                       \
	" ON DUPLICATE KEY UPDATE i = IF(i < $2, LAST_INSERT_ID($2), i)"

/* Runs a write; wanted == 0: it gives no row, and has changed nothing. */
static void gives(struct world *w, struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n,
		  int64_t wanted)
{
	int64_t changed = run(w, stmt, args, n);
	struct dbl_value row[1];

	assert_int_equal(changed > 0, wanted != 0);
	assert_int_equal(fetch(w, stmt, row, 1), wanted != 0);
	if (wanted == 0)
		return;
	assert_int_equal(row[0].type, DBL_INT);
	assert_int_equal(row[0].i, wanted);
	assert_false(fetch(w, stmt, row, 1));
}

/* The id is of the branch that inserts, or of the one that updates, and never of an earlier
 * statement. */
static void last_insert_id_of_an_upsert(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *upsert = prepare(w, w->conn, UPSERT);
	int64_t big = INT64_C(1893456000123457); /* more than a double can hold */

	gives(w, upsert, VALUES(dbl_int(1), dbl_int(10)), 10);
	gives(w, upsert, VALUES(dbl_int(1), dbl_int(9)), 0);
	gives(w, upsert, VALUES(dbl_int(1), dbl_int(10)), 0);
	gives(w, upsert, VALUES(dbl_int(1), dbl_int(11)), 11);
	gives(w, upsert, VALUES(dbl_int(2), dbl_int(5)), 5);
	gives(w, upsert, VALUES(dbl_int(2), dbl_int(big * 4000)), big * 4000);
	gives(w, upsert, VALUES(dbl_int(2), dbl_int(big)), 0);
	gives(w, upsert, VALUES(dbl_int(3), dbl_int(INT64_MAX)), INT64_MAX);
}

static void last_insert_id_of_an_update(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *update = prepare(
		w, w->conn, "UPDATE dblock_contract SET i = LAST_INSERT_ID(i + 1) WHERE k = $1");
	struct dbl_stmt *other =
		prepare(w, w->conn, "UPDATE dblock_contract SET i = i + 1 WHERE k = $1");
	struct dbl_value row[1];

	exec(w, w->conn, "INSERT INTO dblock_contract (k, i) VALUES (1, 41), (2, 7)");
	gives(w, update, VALUES(dbl_int(1)), 42);
	gives(w, update, VALUES(dbl_int(3)), 0);
	assert_int_equal(run(w, other, VALUES(dbl_int(1))), 1);
	assert_false(fetch(w, other, row, 1));
	gives(w, update, VALUES(dbl_int(1)), 44);
	gives(w, update, VALUES(dbl_int(2)), 8);
}

/* An update that changes nothing says (`met`) whether it has found a row that is not as it should
 * be, or none. */
static void last_insert_id_of_a_row_that_stays(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *update = prepare(w, w->conn,
					  "UPDATE dblock_contract SET i = LAST_INSERT_ID(i + 1)"
					  " WHERE k = $1 AND LAST_INSERT_ID(i) > 0 AND i < $2");

	exec(w, w->conn, "INSERT INTO dblock_contract (k, i) VALUES (1, 41)");
	gives(w, update, VALUES(dbl_int(1), dbl_int(42)), 42);
	assert_false(update->met);
	gives(w, update, VALUES(dbl_int(1), dbl_int(42)), 0);
	assert_true(update->met);
	gives(w, update, VALUES(dbl_int(3), dbl_int(42)), 0);
	assert_false(update->met);
	gives(w, update, VALUES(dbl_int(1), dbl_int(43)), 43);
	assert_false(update->met);
}

/* An unfetched id is forgotten, like any row. */
static void last_insert_id_unfetched(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *upsert = prepare(w, w->conn, UPSERT);
	struct dbl_value row[2];

	assert_int_equal(run(w, upsert, VALUES(dbl_int(1), dbl_int(10))), 1);
	assert_int_equal(run(w, upsert, VALUES(dbl_int(1), dbl_int(10))), 0);
	assert_false(fetch(w, upsert, row, 1));
	run(w, upsert, VALUES(dbl_int(2), dbl_int(10)));
	must_fail(w, w->driver->next(upsert, row, 2, &w->err), DBLOCK_E_BUG);
	assert_true(fetch(w, upsert, row, 1));
}

/* Changed counts rows that now differ, not rows that were found. */
static void equal_values_are_no_change(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *update =
		prepare(w, w->conn, "UPDATE dblock_contract SET i = $1 WHERE k >= 0");

	exec(w, w->conn, "INSERT INTO dblock_contract (k, i) VALUES (1, 5), (2, 6)");
	assert_int_equal(run(w, update, VALUES(dbl_int(5))), 1);
	assert_int_equal(run(w, update, VALUES(dbl_int(5))), 0);
}

/* Names live in VARBINARY: whatever the server's character set, the bytes are ours. */
static void names_keep_their_bytes(void **state)
{
	static const char *const names[] = {"\xc3\xa9",    "e\xcc\x81", "\xf0\x9f\x94\x92 lock",
					    "A",           "a",         "a ",
					    "\\'\"`%_;--", "\xff\x01"};
	struct world *w = *state;
	struct dbl_stmt *insert, *select;

	exec(w, w->conn, "DROP TABLE IF EXISTS dblock_names");
	exec(w, w->conn,
	     "CREATE TABLE dblock_names (name VARBINARY(255) PRIMARY KEY, n BIGINT NOT NULL)");
	insert = prepare(w, w->conn, "INSERT INTO dblock_names VALUES ($1, $2)");
	select = prepare(w, w->conn,
			 "SELECT n, name, LENGTH(name), HEX($1) FROM dblock_names WHERE name = $1");
	for (int64_t i = 0; i < (int64_t)(sizeof(names) / sizeof(names[0])); i++)
		assert_int_equal(run(w, insert, VALUES(dbl_text(names[i]), dbl_int(i))), 1);
	for (int64_t i = 0; i < (int64_t)(sizeof(names) / sizeof(names[0])); i++) {
		struct dbl_value row[4];

		run(w, select, VALUES(dbl_text(names[i])));
		assert_true(fetch(w, select, row, 4));
		assert_int_equal(row[0].i, i);
		assert_int_equal(row[1].len, strlen(names[i]));
		assert_memory_equal(row[1].text, names[i], row[1].len);
		assert_int_equal(row[2].i, strlen(names[i]));
		assert_int_equal(row[3].len, 2 * strlen(names[i]));
		assert_false(fetch(w, select, row, 4));
	}
	exec(w, w->conn, "DROP TABLE dblock_names");
}

static void assert_repeated(struct dbl_value got, char c, int64_t len)
{
	assert_int_equal(got.type, DBL_TEXT);
	assert_int_equal(got.len, len);
	for (int64_t i = 0; i < len; i++)
		assert_int_equal(got.text[i], c);
}

/* Two columns that grow and shrink from row to row. */
static void texts_of_any_length(void **state)
{
	static const int64_t lens[] = {1, 127, 128, 129, 3, 4096, 0, 300000, 2, 300001};
	struct world *w = *state;
	size_t n = sizeof(lens) / sizeof(lens[0]);
	struct dbl_stmt *select = prepare(w, w->conn,
					  "SELECT k, REPEAT('x', k), i, REPEAT('y', i)"
					  " FROM dblock_contract ORDER BY s");
	struct dbl_stmt *insert =
		prepare(w, w->conn, "INSERT INTO dblock_contract (k, i, s) VALUES ($1, $2, $3)");
	struct dbl_value row[4];
	char at[2] = "";

	for (size_t i = 0; i < n; i++) {
		at[0] = (char)('a' + i);
		run(w, insert, VALUES(dbl_int(lens[i]), dbl_int(lens[n - 1 - i]), dbl_text(at)));
	}
	for (int again = 0; again < 2; again++) {
		run(w, select, NOTHING);
		for (size_t i = 0; i < n; i++) {
			assert_true(fetch(w, select, row, 4));
			assert_repeated(row[1], 'x', lens[i]);
			assert_repeated(row[3], 'y', lens[n - 1 - i]);
		}
		assert_false(fetch(w, select, row, 4));
	}
}

static void integers_beyond_64_signed_bits(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt =
		prepare(w, w->conn, "SELECT CAST(18446744073709551615 AS UNSIGNED)");
	struct dbl_value row[1];

	run(w, stmt, NOTHING);
	must_fail(w, w->driver->next(stmt, row, 1, &w->err), DBLOCK_E_BUG);
	assert_int_equal(one_int(w, w->conn, "SELECT CAST(9223372036854775807 AS UNSIGNED)"),
			 INT64_MAX);
}

/* Error 1205 takes back one statement: what the transaction did before stands. */
static void a_lock_that_is_not_free_in_time(void **state)
{
	struct world *w = *state;

	exec(w, w->conn, "INSERT INTO dblock_contract (k, i) VALUES (1, 0), (2, 0)");
	exec(w, w->conn, "SET SESSION innodb_lock_wait_timeout = 1");
	exec(w, w->other, "BEGIN");
	exec(w, w->other, "UPDATE dblock_contract SET i = 9 WHERE k = 1");
	exec(w, w->conn, "BEGIN");
	exec(w, w->conn, "UPDATE dblock_contract SET i = 5 WHERE k = 2");
	must_fail(w, try_exec(w, w->conn, "UPDATE dblock_contract SET i = 5 WHERE k = 1"),
		  DBLOCK_E_BLOCKED);
	must_fail(w, try_exec(w, w->conn, "SELECT i FROM dblock_contract FOR UPDATE NOWAIT"),
		  DBLOCK_E_BLOCKED);
	exec(w, w->conn, "COMMIT");
	exec(w, w->other, "ROLLBACK");
	assert_int_equal(one_int(w, w->other, "SELECT i FROM dblock_contract WHERE k = 2"), 5);
}

/* A procedure answers with several results; none of them is left over for the next statement. */
static void a_call_with_many_results(void **state)
{
	struct world *w = *state;

	exec(w, w->conn, "DROP PROCEDURE IF EXISTS dblock_many");
	exec(w, w->conn, "CREATE PROCEDURE dblock_many() BEGIN SELECT 1; SELECT 2, 3; DO 1; END");
	exec(w, w->conn, "CALL dblock_many()");
	assert_int_equal(one_int(w, w->conn, "SELECT 4"), 4);
	exec(w, w->conn, "DROP PROCEDURE dblock_many");
}

/* The guard looks at calls, not at the time between them. */
static void a_deadline_is_over_with_its_call(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt = prepare(w, w->conn, "SELECT 1");
	int64_t changed;

	w->conn->deadline = in_ms(3000);
	must(w, w->driver->run(stmt, NOTHING, &changed, &w->err));
	dbl_sleep_until(dbl_env_system(), w->conn->deadline + 50000);
	must_fail(w, w->driver->run(stmt, NOTHING, &changed, &w->err), DBLOCK_E_NO_ANSWER);
	assert_false(w->conn->broken);
	assert_int_equal(one_int(w, w->conn, "SELECT 7"), 7);
}

static void the_deadline_ends_exec(void **state)
{
	struct world *w = *state;
	int64_t end;

	w->conn->deadline = in_ms(SHORTLY_MS);
	end = w->conn->deadline;
	must_fail(w, w->driver->exec(w->conn, "DO SLEEP(3600)", &w->err), DBLOCK_E_UNSURE);
	assert_true(in_ms(0) >= end);
	assert_true(w->conn->broken);
	must_fail(w, try_exec(w, w->conn, "DO 1"), DBLOCK_E_UNAVAILABLE);
}

/* A child that closes its inherited copy must not end the parent's connection. */
static void a_child_closes_only_its_own_side(void **state)
{
	struct world *w = *state;
	int64_t id = one_int(w, w->conn, "SELECT CONNECTION_ID()");
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		w->driver->close(w->conn);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(one_int(w, w->conn, "SELECT CONNECTION_ID()"), id);
}

/* When the connection ends, the server forgets its statements too. */
static void close_ends_the_session(void **state)
{
	struct world *w = *state;
	struct dbl_conn *third = connect_db(w);
	char sql[200];

	for (int i = 0; i < 50; i++)
		prepare(w, third, "SELECT k FROM dblock_contract WHERE k = $1");
	snprintf(sql, sizeof(sql), "SELECT count(*) FROM " PROCESSES " WHERE id = %lld",
		 (long long)one_int(w, third, "SELECT CONNECTION_ID()"));
	assert_int_equal(one_int(w, w->other, sql), 1);
	w->driver->close(third);
	for (int64_t end = in_ms(PLENTY_MS); one_int(w, w->other, sql) != 0;)
		assert_true(in_ms(0) < end);
}

/* This stands in the client library's place, so that the machine can seem to stand still here. */
static unsigned stall_us;
char mysql_stmt_close(void *stmt);
char mysql_stmt_close(void *stmt)
{
	char (*theirs)(void *);

	*(void **)&theirs = dlsym(RTLD_NEXT, "mysql_stmt_close");
	usleep(stall_us);
	return theirs(stmt);
}

/* Naive: a tenth of a second as the limit for a message that the server does not answer. Then a
 * forgotten statement would end a transaction. */
static void a_machine_that_stands_still(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt = prepare(w, w->conn, "SELECT 1");

	w->conn->deadline = in_ms(PLENTY_MS);
	stall_us = SHORTLY_MS * 1000;
	w->driver->forget(stmt);
	stall_us = 0;
	assert_false(w->conn->broken);
	assert_int_equal(one_int(w, w->conn, "SELECT 4"), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(last_insert_id_of_an_upsert),
		CASE(last_insert_id_of_an_update),
		CASE(last_insert_id_of_a_row_that_stays),
		CASE(last_insert_id_unfetched),
		CASE(equal_values_are_no_change),
		CASE(names_keep_their_bytes),
		CASE(texts_of_any_length),
		CASE(integers_beyond_64_signed_bits),
		CASE(a_lock_that_is_not_free_in_time),
		CASE(a_call_with_many_results),
		CASE(a_deadline_is_over_with_its_call),
		CASE(the_deadline_ends_exec),
		CASE(a_child_closes_only_its_own_side),
		CASE(close_ends_the_session),
		CASE(a_machine_that_stands_still),
	};

	if (strcmp(env_text("DBLOCK_TEST_BACKEND"), "mysql") != 0) {
		puts("mysql_driver: only for mysql");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
