/* SPDX-License-Identifier: MIT */
/* The contract of a driver (src/driver/driver.h) where all goes well: values, rows, counts. */
#include "db/driver/driver_kit.h"

#define INSERT "INSERT INTO dblock_contract (k, i, s) VALUES ($1, $2, $3)"
#define SELECT "SELECT i, s FROM dblock_contract WHERE k = $1"

static void assert_value(struct dbl_value got, struct dbl_value wanted)
{
	assert_int_equal(got.type, wanted.type);
	if (wanted.type == DBL_INT)
		assert_int_equal(got.i, wanted.i);
	if (wanted.type != DBL_TEXT)
		return;
	assert_int_equal(got.len, wanted.len);
	assert_memory_equal(got.text, wanted.text, wanted.len);
}

/* Write (i, s) and read it back, in statements that are used again and again. */
static void round_trip(struct world *w, struct dbl_stmt *insert, struct dbl_stmt *select,
		       struct dbl_value i, struct dbl_value s)
{
	static int64_t k;
	struct dbl_value row[2];

	k++;
	assert_int_equal(run(w, insert, VALUES(dbl_int(k), i, s)), 1);
	run(w, select, VALUES(dbl_int(k)));
	assert_true(fetch(w, select, row, 2));
	assert_value(row[0], i);
	assert_value(row[1], s);
	assert_false(fetch(w, select, row, 2));
}

static void values_round_trip(void **state)
{
	static const char *const texts[] = {
		"",
		" ",
		"'",
		"\"",
		"\\",
		"\\n%_",
		"a\nb\tc",
		"$1",
		"?",
		"{}",
		"\xc3\xa9t\xc3\xa9",
		"\xf0\x9f\x94\x92",
		"NULL",
		"\\000",
		"--",
	};
	static const int64_t numbers[] = {0, 1, -1, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
	struct world *w = *state;
	struct dbl_stmt *insert = prepare(w, w->conn, INSERT);
	struct dbl_stmt *select = prepare(w, w->conn, SELECT);
	char kib[1025] = "";

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		round_trip(w, insert, select, dbl_null(), dbl_text(texts[i]));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		round_trip(w, insert, select, dbl_int(numbers[i]), dbl_null());
	memset(kib, 'x', sizeof(kib) - 1);
	round_trip(w, insert, select, dbl_int(1), dbl_text(kib));
	/* Only its length says where a text ends. */
	round_trip(w, insert, select, dbl_int(2),
		   (struct dbl_value){.type = DBL_TEXT, .text = "lock and more", .len = 4});
}

static void other_types_become_integer_or_text(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *stmt = prepare(w, w->conn, "SELECT 1 = 1, 1 = 2, 1.5, NULL, 7");
	struct dbl_value row[5];

	run(w, stmt, NOTHING);
	assert_true(fetch(w, stmt, row, 5));
	assert_value(row[0], dbl_int(1));
	assert_value(row[1], dbl_int(0));
	assert_value(row[2], dbl_text("1.5"));
	assert_value(row[3], dbl_null());
	assert_value(row[4], dbl_int(7));
}

static void placeholders_go_by_number(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *insert =
		prepare(w, w->conn, "INSERT INTO dblock_contract (s, i, k) VALUES ($3, $2, $1)");
	struct dbl_stmt *select = prepare(w, w->conn, SELECT);
	struct dbl_value row[2];

	run(w, insert, VALUES(dbl_int(1), dbl_int(22), dbl_text("three")));
	run(w, select, VALUES(dbl_int(1)));
	assert_true(fetch(w, select, row, 2));
	assert_value(row[0], dbl_int(22));
	assert_value(row[1], dbl_text("three"));
}

static void placeholders_may_repeat(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *insert = prepare(w, w->conn,
					  "INSERT INTO dblock_contract (k, i, s) /* $7 */\n"
					  "VALUES ($2, $1, 'costs $9'), ($1, $2, 'it''s $8')"
					  " -- not $3");
	struct dbl_stmt *select = prepare(w, w->conn, SELECT);
	struct dbl_value row[2];

	assert_int_equal(run(w, insert, VALUES(dbl_int(10), dbl_int(20))), 2);
	run(w, select, VALUES(dbl_int(20)));
	assert_true(fetch(w, select, row, 2));
	assert_value(row[0], dbl_int(10));
	assert_value(row[1], dbl_text("costs $9"));
	run(w, select, VALUES(dbl_int(10)));
	assert_true(fetch(w, select, row, 2));
	assert_value(row[0], dbl_int(20));
	assert_value(row[1], dbl_text("it's $8"));
}

static void placeholders_of_two_digits(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *insert = prepare(w, w->conn,
					  "INSERT INTO dblock_contract (k, i, s) VALUES"
					  " ($12, $11, $10), ($1, $2, $3), ($4, $5, $6),"
					  " ($7, $8, $9)");
	struct dbl_stmt *select = prepare(w, w->conn, SELECT);
	struct dbl_value row[2];

	run(w, insert,
	    VALUES(dbl_int(1), dbl_int(2), dbl_text("3"), dbl_int(4), dbl_int(5), dbl_text("6"),
		   dbl_int(7), dbl_int(8), dbl_text("9"), dbl_text("10"), dbl_int(11),
		   dbl_int(12)));
	run(w, select, VALUES(dbl_int(12)));
	assert_true(fetch(w, select, row, 2));
	assert_value(row[0], dbl_int(11));
	assert_value(row[1], dbl_text("10"));
}

static void fill(struct world *w, int64_t rows)
{
	struct dbl_stmt *insert = prepare(w, w->conn, INSERT);

	for (int64_t k = 1; k <= rows; k++)
		assert_int_equal(run(w, insert, VALUES(dbl_int(k), dbl_int(0), dbl_text("x"))), 1);
}

static void changed_counts_rows(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *update =
		prepare(w, w->conn, "UPDATE dblock_contract SET i = i + 1 WHERE k <= $1");
	struct dbl_stmt *delete = prepare(w, w->conn, "DELETE FROM dblock_contract WHERE k > $1");
	struct dbl_stmt *select = prepare(w, w->conn, "SELECT k FROM dblock_contract");

	fill(w, 3);
	assert_int_equal(run(w, update, VALUES(dbl_int(2))), 2);
	assert_int_equal(run(w, select, NOTHING), 0);
	assert_int_equal(run(w, update, VALUES(dbl_int(0))), 0);
	assert_int_equal(run(w, delete, VALUES(dbl_int(3))), 0);
	assert_int_equal(run(w, delete, VALUES(dbl_int(0))), 3);
}

static void rows_come_in_order(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *select =
		prepare(w, w->conn, "SELECT k, s FROM dblock_contract WHERE k > $1 ORDER BY k");
	struct dbl_value row[2];

	fill(w, 200);
	run(w, select, VALUES(dbl_int(50)));
	for (int64_t k = 51; k <= 200; k++) {
		assert_true(fetch(w, select, row, 2));
		assert_value(row[0], dbl_int(k));
		assert_value(row[1], dbl_text("x"));
	}
	assert_false(fetch(w, select, row, 2));
}

static void unfetched_rows_are_forgotten(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *select =
		prepare(w, w->conn, "SELECT k FROM dblock_contract WHERE k >= $1 ORDER BY k");
	struct dbl_value row[1];

	fill(w, 3);
	run(w, select, VALUES(dbl_int(1)));
	assert_true(fetch(w, select, row, 1));
	run(w, select, VALUES(dbl_int(3)));
	assert_true(fetch(w, select, row, 1));
	assert_value(row[0], dbl_int(3));
	assert_false(fetch(w, select, row, 1));
}

/* An unfetched, or half fetched, result does not hinder other statements. */
static void other_statements_run_beside_unfetched_rows(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *select = prepare(w, w->conn, "SELECT k FROM dblock_contract");
	struct dbl_value row[1];

	fill(w, 3);
	run(w, select, NOTHING);
	assert_true(fetch(w, select, row, 1));
	exec(w, w->other, "UPDATE dblock_contract SET i = 1");
	exec(w, w->conn, "UPDATE dblock_contract SET i = i + 1");
	assert_int_equal(one_int(w, w->other, "SELECT sum(i) + 0 = 6 FROM dblock_contract"), 1);
	exec(w, w->conn, "DELETE FROM dblock_contract");
}

static void a_write_can_give_a_row(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *write = prepare(w, w->conn, w->backend->row_from_write);
	struct dbl_value row[1];

	for (int64_t k = 41; k <= 43; k++) {
		assert_int_equal(run(w, write, VALUES(dbl_int(k))), 1);
		assert_true(fetch(w, write, row, 1));
		assert_value(row[0], dbl_int(k));
		assert_false(fetch(w, write, row, 1));
	}
}

/* The write is done even if nobody fetches its row. */
static void a_write_is_done_when_run_returns(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *write = prepare(w, w->conn, w->backend->row_from_write);

	run(w, write, VALUES(dbl_int(5)));
	assert_int_equal(one_int(w, w->other, "SELECT k FROM dblock_contract"), 5);
	exec(w, w->other, "DELETE FROM dblock_contract WHERE k = 5");
}

static void exec_throws_rows_away(void **state)
{
	struct world *w = *state;

	fill(w, 3);
	exec(w, w->conn, "SELECT k FROM dblock_contract;");
	exec(w, w->conn, "SELECT k FROM dblock_contract -- and a comment");
	assert_int_equal(one_int(w, w->conn, "SELECT count(*) FROM dblock_contract"), 3);
}

static void transactions_end_either_way(void **state)
{
	struct world *w = *state;

	fill(w, 1);
	exec(w, w->conn, w->backend->begin_write);
	exec(w, w->conn, "DELETE FROM dblock_contract");
	assert_int_equal(one_int(w, w->conn, "SELECT count(*) FROM dblock_contract"), 0);
	assert_int_equal(one_int(w, w->other, "SELECT count(*) FROM dblock_contract"), 1);
	exec(w, w->conn, "ROLLBACK");
	assert_int_equal(one_int(w, w->conn, "SELECT count(*) FROM dblock_contract"), 1);
	exec(w, w->conn, w->backend->begin_write);
	exec(w, w->conn, "DELETE FROM dblock_contract");
	exec(w, w->conn, "COMMIT");
	assert_int_equal(one_int(w, w->other, "SELECT count(*) FROM dblock_contract"), 0);
}

/* The sanitizer sees whether it leaks. */
static void close_frees_open_statements(void **state)
{
	struct world *w = *state;
	struct dbl_conn *conn = connect_db(w);

	fill(w, 3);
	for (int i = 0; i < 5; i++) {
		struct dbl_stmt *stmt = prepare(w, conn, "SELECT k, s FROM dblock_contract");
		struct dbl_value row[2];

		if (i > 0)
			run(w, stmt, NOTHING);
		if (i > 1)
			assert_true(fetch(w, stmt, row, 2));
	}
	exec(w, conn, w->backend->begin_write);
	exec(w, conn, "DELETE FROM dblock_contract");
	w->driver->close(conn);
	assert_int_equal(one_int(w, w->conn, "SELECT count(*) FROM dblock_contract"), 3);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE(values_round_trip),
		CASE(other_types_become_integer_or_text),
		CASE(placeholders_go_by_number),
		CASE(placeholders_may_repeat),
		CASE(placeholders_of_two_digits),
		CASE(changed_counts_rows),
		CASE(rows_come_in_order),
		CASE(unfetched_rows_are_forgotten),
		CASE(other_statements_run_beside_unfetched_rows),
		CASE(a_write_can_give_a_row),
		CASE(a_write_is_done_when_run_returns),
		CASE(exec_throws_rows_away),
		CASE(transactions_end_either_way),
		CASE(close_frees_open_statements),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
