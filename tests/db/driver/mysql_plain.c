/* SPDX-License-Identifier: MIT */
/* A statement that the server carries out but does not prepare goes to it as text, with numbers in
 * place of $n. MariaDB prepares nearly all of them; the caller must not see a difference. */
#include "db/driver/driver_kit.h"

static struct dbl_stmt *ready(struct world *w, const char *sql)
{
	struct dbl_stmt *stmt = prepare(w, w->conn, sql);

	stmt->passing = true;
	return stmt;
}

static void verbs_of_transactions(void **state)
{
	struct world *w = *state;

	run(w, ready(w, "BEGIN"), NOTHING);
	assert_true(w->conn->in_tx);
	exec(w, w->conn, "INSERT INTO dblock_contract (k, i) VALUES (1, 0)");
	run(w, ready(w, "SAVEPOINT a"), NOTHING);
	exec(w, w->conn, "INSERT INTO dblock_contract (k, i) VALUES (2, 0)");
	run(w, ready(w, "ROLLBACK TO SAVEPOINT a"), NOTHING);
	run(w, ready(w, "RELEASE SAVEPOINT a"), NOTHING);
	run(w, ready(w, "COMMIT"), NOTHING);
	assert_false(w->conn->in_tx);
	assert_int_equal(one_int(w, w->other, "SELECT max(k) FROM dblock_contract"), 1);
}

/* Returns how often this connection has had the server prepare something, or refuse to. */
static int64_t asked_to_prepare(struct world *w, struct dbl_stmt *status)
{
	struct dbl_value row[2], end[2];
	char number[24];

	run(w, status, NOTHING);
	assert_true(fetch(w, status, row, 2));
	snprintf(number, sizeof(number), "%.*s", (int)row[1].len, row[1].text);
	assert_false(fetch(w, status, end, 2));
	return strtoll(number, NULL, 10);
}

/* The driver does not ask the server whether it prepares these. */
static void a_savepoint_is_one_round_trip(void **state)
{
	static const char *const texts[] = {"SAVEPOINT a",
					    " -- back\n/* to */ rollback to savepoint a",
					    "Release\tSAVEPOINT a", "ROLLBACK"};
	struct world *w = *state;
	struct dbl_stmt *status = ready(w, "SHOW SESSION STATUS LIKE 'Com_stmt_prepare'");
	int64_t before;

	exec(w, w->conn, "BEGIN");
	before = asked_to_prepare(w, status);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		run(w, ready(w, texts[i]), NOTHING);
	assert_false(w->conn->in_tx);
	assert_int_equal(asked_to_prepare(w, status), before);
	run(w, ready(w, "DO 1 -- savepoint"), NOTHING);
	assert_int_equal(asked_to_prepare(w, status), before + 1);
}

/* One statement runs twice, each time with its own number. */
static void a_number_in_it(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *kill_it = ready(w, "KILL $1 -- '?' is none, nor is $2");

	for (int i = 0; i < 2; i++) {
		struct dbl_conn *third = connect_db(w);

		run(w, kill_it, VALUES(dbl_int(one_int(w, third, "SELECT CONNECTION_ID()"))));
		while (try_exec(w, third, "DO 1") == 0)
			;
		assert_true(third->broken);
		w->driver->close(third);
	}
	assert_int_equal(one_int(w, w->conn, "SELECT 4"), 4);
}

/* Naive: it is the text of a string, or of another statement. */
static void a_text_in_it(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *kill_it = ready(w, "KILL QUERY $1");
	struct dbl_value text = dbl_text("0 OR 1");
	int64_t changed;
	int rc = w->driver->run(kill_it, VALUES(text), &changed, &w->err);

	/* A server that prepares it finds no such connection, or no number. */
	assert_true(rc < 0);
	assert_false(w->conn->broken);
	assert_int_equal(one_int(w, w->conn, "SELECT 4"), 4);
}

static void what_is_wrong_in_it(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt = ready(w, "ROLLBACK TO SAVEPOINT nowhere");
	int64_t changed;

	must_fail(w, w->driver->run(stmt, NOTHING, &changed, &w->err), DBLOCK_E_BUG);
	assert_int_equal(w->err.native, 1305);
	assert_int_equal(one_int(w, w->conn, "SELECT 4"), 4);
}

/* The driver tells how many rows it has changed, and reads the next answer in the same connection.
 */
static void its_answer(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *lock = ready(w, "LOCK TABLES dblock_contract WRITE");
	struct dbl_stmt *unlock = ready(w, "UNLOCK TABLES");

	assert_int_equal(run(w, lock, NOTHING), 0);
	exec(w, w->conn, "INSERT INTO dblock_contract (k, i) VALUES (1, 0)");
	assert_int_equal(run(w, unlock, NOTHING), 0);
	assert_int_equal(lock->columns, 0);
	assert_int_equal(one_int(w, w->other, "SELECT count(*) FROM dblock_contract"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(verbs_of_transactions), CASE(a_savepoint_is_one_round_trip),
		CASE(a_number_in_it),        CASE(a_text_in_it),
		CASE(what_is_wrong_in_it),   CASE(its_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
