/* SPDX-License-Identifier: MIT */
/* The contract of a driver (src/driver/driver.h) for a caller who runs other people's statements.
 */
#include "db/driver/driver_kit.h"

/* A caller who runs other people's statements has to know what they have done to the transaction.
 */
static void it_is_known_whether_a_transaction_is_open(void **state)
{
	struct world *w = *state;
	struct dbl_stmt *select = prepare(w, w->conn, "SELECT k FROM dblock_contract");

	exec(w, w->conn, "SELECT 1");
	assert_false(w->conn->in_tx);
	exec(w, w->conn, w->backend->begin_write);
	assert_true(w->conn->in_tx);
	exec(w, w->conn, "INSERT INTO dblock_contract (k) VALUES (1)");
	assert_true(w->conn->in_tx);
	run(w, select, NOTHING);
	assert_true(w->conn->in_tx);
	assert_true(try_exec(w, w->conn, "SELECT nonsense FROM dblock_contract") < 0);
	exec(w, w->conn, "ROLLBACK");
	assert_false(w->conn->in_tx);
	run(w, select, NOTHING);
	assert_false(w->conn->in_tx);
	exec(w, w->conn, w->backend->begin_write);
	exec(w, w->conn, "COMMIT");
	assert_false(w->conn->in_tx);
	if (strcmp(w->backend->name, "mysql") == 0) {
		exec(w, w->conn, "SET autocommit = 0");
		assert_true(w->conn->in_tx);
	}
}

static void an_error_has_a_place(void **state)
{
	struct world *w = *state;
	bool tells = strcmp(w->backend->name, "mysql") != 0;

	exec(w, w->conn, "SELECT 1");
	assert_int_equal(w->conn->error_at, 0);
	/* The position is in characters, not in bytes. */
	assert_true(try_exec(w, w->conn, "SELECT '\u00e4\u20ac', nonsense FROM dblock_contract") <
		    0);
	assert_int_equal(w->conn->error_at, tells ? 14 : 0);
	exec(w, w->conn, "SELECT 1");
	assert_int_equal(w->conn->error_at, 0);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE(it_is_known_whether_a_transaction_is_open),
		CASE(an_error_has_a_place),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
