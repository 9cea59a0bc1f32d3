/* SPDX-License-Identifier: MIT */
/* A row lock locks its row and nothing else: others can still lock and insert other rows, and the
 * server's own counts agree. A lock that would lock more is refused. */
#include "db/row/rows.h"

static struct dblock_client *client;

static void sql(const char *text)
{
	struct dblock_tx *tx = tx_open(client);

	tx_exec(tx, text);
	dblock_tx_close(tx);
}

static struct dblock_tx *tx_begin_at(enum dblock_isolation isolation)
{
	struct dblock_tx_options how = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};

	how.isolation = isolation;
	expect(OK, dblock_tx_begin(tx, &how, &err));
	return tx;
}

/* InnoDB counts entries of indexes. The view is made anew ten times a second. */
static void rows_locked_are(struct dblock_tx *tx, int64_t wanted)
{
	int64_t end = clock_ms() + PLENTY_MS / 10, n;

	do {
		n = tx_int(tx, "SELECT trx_rows_locked FROM information_schema.innodb_trx WHERE "
			       "trx_mysql_thread_id = CONNECTION_ID()");
	} while (n != wanted && clock_ms() < end);
	assert_int_equal(n, wanted);
}

/* ---- order ----------------------------------------------------------------------------------- */

static _Atomic int outcome;

static void *lock_three(void *arg)
{
	static const int ids[] = {3, 2, 1};
	struct dblock_rows_options how = rows_how(DBLOCK_FOR_UPDATE, PLENTY_MS);
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};

	(void)arg;
	outcome = lock_some(tx, ids, 3, &how, &err);
	dblock_tx_close(tx);
	return NULL;
}

/* A call that waits for row 2 has row 1 already, and not yet row 3. Naive: the order given; or, on
 * MySQL, one statement for all, which has row 3 or none. */
static void rows_are_locked_in_the_order_of_their_keys(void **state)
{
	struct dblock_tx *holder = tx_begin(client);
	struct crew crew = {.n = 0};
	struct dblock_error err = {0};
	int64_t end = clock_ms() + PLENTY_MS;

	(void)state;
	expect(OK, lock_one(holder, 2, NULL, &err));
	crew_add(&crew, lock_three, NULL);
	while (lock_at_once(client, "account", "id", dblock_int(1), DBLOCK_FOR_UPDATE) == DBLOCK_OK)
		assert_true(clock_ms() < end);
	account_is(OK, client, 3);
	tx_rollback(holder);
	crew_join(&crew);
	assert_int_equal(outcome, DBLOCK_OK);
}

/* ---- nothing else ---------------------------------------------------------------------------- */

static void others_can_insert(const char *text)
{
	struct dblock_tx *tx = tx_begin(client);

	if (on_backend("mysql"))
		tx_exec(tx, "SET SESSION innodb_lock_wait_timeout = 10");
	assert_int_equal(tx_exec(tx, text), 1);
	tx_rollback(tx);
}

/* Naive: WHERE id IN (2, 7) locks the eight rows, and the gaps between. */
static void a_lock_is_on_its_row_alone(void **state)
{
	static const int ids[] = {7, 2};

	(void)state;
	for (int i = DBLOCK_READ_COMMITTED; i <= DBLOCK_SERIALIZABLE; i++) {
		struct dblock_tx *tx = tx_begin_at((enum dblock_isolation)i);
		struct dblock_error err = {0};

		expect(OK, lock_some(tx, ids, 2, NULL, &err));
		assert_int_equal(rows_free(client, "account"), 6);
		others_can_insert("INSERT INTO account VALUES (-1, 'new', 0)");
		others_can_insert("INSERT INTO account VALUES (9, 'new', 0)");
		if (on_backend("mysql"))
			rows_locked_are(tx, 2);
		tx_rollback(tx);
	}
}

/* The values are of other types than the column. Naive: they are bound as they are. Then an integer
 * beside a text column is compared row by row, a text of another character set likewise, and 'abc'
 * finds the row 0. */
static void values_are_found_by_the_index(void **state)
{
	static const struct {
		const char *column;
		struct dblock_value value;
		int outcome;
		int free; /* unlocked rows, of 4, while it is locked */
	} cases[] = {
		{"id", {DBLOCK_INT, 3, NULL, 0}, DBLOCK_OK, 3},
		{"id", {DBLOCK_TEXT, 0, "3", 1}, DBLOCK_OK, 3},
		{"name", {DBLOCK_TEXT, 0, "x", 1}, DBLOCK_OK, 3},
		{"name", {DBLOCK_INT, 300, NULL, 0}, DBLOCK_OK, 3},
		{"name", {DBLOCK_TEXT, 0, "\xc3\xa4", 2}, DBLOCK_OK, 3},
		{"name", {DBLOCK_TEXT, 0, "\xe4\xb8\xad", 3}, DBLOCK_GONE, 4},
		{"day", {DBLOCK_TEXT, 0, "2024-02-03", 10}, DBLOCK_OK, 3},
		{"amount", {DBLOCK_TEXT, 0, "1.50", 4}, DBLOCK_OK, 3},
		{"amount", {DBLOCK_TEXT, 0, "1.501", 5}, DBLOCK_GONE, 4},
		{"amount", {DBLOCK_INT, 3, NULL, 0}, DBLOCK_OK, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dblock_tx *tx = tx_begin(client);
		struct dblock_error err = {0};
		int rc = lock_where(tx, "mixed", cases[i].column, cases[i].value, NULL, &err);

		if (rc != cases[i].outcome)
			print_error("case %zu: %s\n", i, err.message);
		assert_int_equal(rc, cases[i].outcome);
		assert_int_equal(rows_free(client, "mixed"), cases[i].free);
		tx_rollback(tx);
	}
}

/* Naive: SELECT 1 ... LOCK IN SHARE MODE by a second index locks an entry of that index, and the
 * row can still be changed. */
static void a_share_is_on_the_row_itself(void **state)
{
	struct dblock_rows_options share = rows_how(DBLOCK_FOR_SHARE, 0);
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};

	(void)state;
	expect(OK, lock_where(tx, "mixed", "name", dblock_text("x"), &share, &err));
	assert_int_equal(lock_at_once(client, "mixed", "id", dblock_int(1), DBLOCK_FOR_UPDATE),
			 DBLOCK_BUSY);
	assert_int_equal(lock_at_once(client, "mixed", "id", dblock_int(1), DBLOCK_FOR_SHARE),
			 DBLOCK_OK);
	tx_rollback(tx);
}

/* ---- refused --------------------------------------------------------------------------------- */

static void refused(const char *table, const char *column, struct dblock_value value,
		    const char *why)
{
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};

	expect(E_INVALID, lock_where(tx, table, column, value, NULL, &err));
	message_has(why);
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	tx_rollback(tx);
}

/* Naive: the row is locked, and with it every row. */
static void what_would_lock_a_table_is_refused(void **state)
{
	static const char *const key[] = {"maybe", "name"};
	struct dblock_value keys[] = {dblock_int(1), dblock_text("x")};
	struct dblock_rows rows = {"mixed", key, 2, keys, 1};
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	(void)state;
	if (!on_backend("mysql"))
		return;
	refused("account", "owner", dblock_text("x"), "UNIQUE index of NOT NULL columns");
	refused("mixed", "maybe", dblock_int(1), "UNIQUE index");
	refused("mixed", "part", dblock_text("x"), "UNIQUE index");
	refused("mixed", "pair", dblock_int(1), "UNIQUE index");
	refused("mixed", "wide", dblock_text("x"), "UNIQUE index"); /* its index is a hash */
	refused("mixed", "ratio", dblock_text("1.5"), "of type double");
	refused("mixed", "id", dblock_text("3abc"), "is no integer");
	refused("mixed", "day", dblock_int(20240203), "give a text");
	refused("mine", "id", dblock_int(1), "not of InnoDB");
	refused("seen", "id", dblock_int(1), "is a view");
	/* The key has more columns than the index: the others are a condition. */
	tx = tx_begin(client);
	expect(OK, dblock_rows_lock(tx, &rows, NULL, &err));
	keys[0] = dblock_int(2);
	expect(GONE, dblock_rows_lock(tx, &rows, NULL, &err));
	tx_rollback(tx);
}

/* On PostgreSQL a key may find several rows, or no index may fit it. */
static void elsewhere_a_key_may_be_anything(void **state)
{
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};

	(void)state;
	if (on_backend("postgresql")) {
		expect(OK, lock_where(tx, "mixed", "pair", dblock_int(1), NULL, &err));
		assert_int_equal(rows_free(client, "mixed"), 2);
	}
	tx_rollback(tx);
}

/* ---- the catalogue --------------------------------------------------------------------------- */

static int64_t statements(struct dblock_tx *tx)
{
	return tx_int(tx, on_database("mariadb")
				  ? "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS "
				    "WHERE VARIABLE_NAME = 'COM_STMT_EXECUTE'"
				  : "SELECT COUNT_STAR FROM performance_schema."
				    "events_statements_summary_by_thread_by_event_name WHERE "
				    "EVENT_NAME = 'statement/com/Execute' AND "
				    "THREAD_ID = PS_CURRENT_THREAD_ID()");
}

static void the_catalogue_is_asked_once(void **state)
{
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};
	int64_t first, second, third;

	(void)state;
	if (on_backend("mysql")) {
		first = statements(tx);
		expect(OK, lock_one(tx, 1, NULL, &err));
		second = statements(tx);
		expect(OK, lock_one(tx, 2, NULL, &err));
		third = statements(tx);
		/* One of these is the query for the count itself. */
		assert_int_equal(second - first - 1, 2);
		assert_int_equal(third - second - 1, 1);
	}
	tx_rollback(tx);
}

/* In the next transaction the index is gone. Naive: what was read once is believed for ever. */
static void an_index_that_is_gone_is_seen(void **state)
{
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};

	(void)state;
	if (on_backend("mysql")) {
		expect(OK, dblock_tx_begin(tx, NULL, &err));
		expect(OK, lock_where(tx, "mixed", "other", dblock_int(1), NULL, &err));
		expect(OK, dblock_tx_rollback(tx, &err));
		sql("ALTER TABLE mixed DROP INDEX other");
		expect(OK, dblock_tx_begin(tx, NULL, &err));
		expect(E_INVALID, lock_where(tx, "mixed", "other", dblock_int(1), NULL, &err));
		expect(OK, dblock_tx_rollback(tx, &err));
	}
	dblock_tx_close(tx);
}

static void make_tables(void)
{
	if (on_backend("mysql")) {
		sql("CREATE TABLE mixed (id BIGINT PRIMARY KEY, name VARCHAR(40) CHARACTER SET "
		    "latin1 NOT NULL UNIQUE, day DATE NOT NULL UNIQUE, amount DECIMAL(9, 2) NOT "
		    "NULL UNIQUE, maybe INT UNIQUE, part VARCHAR(100) NOT NULL, pair INT NOT NULL, "
		    "ratio DOUBLE NOT NULL UNIQUE, other INT NOT NULL, UNIQUE part (part(3)), "
		    "UNIQUE pair (pair, part(5)), UNIQUE other (other), wide VARCHAR(5000) NOT "
		    "NULL DEFAULT (UUID())) ENGINE=InnoDB");
		sql(on_database("mariadb")
			    ? "ALTER TABLE mixed ADD UNIQUE wide (wide)"
			    : "ALTER TABLE mixed ADD UNIQUE wide ((LEFT(wide, 99)))");
		sql("CREATE TABLE mine (id BIGINT PRIMARY KEY) ENGINE=MyISAM");
		sql("CREATE VIEW seen AS SELECT * FROM account");
	} else {
		sql("CREATE TABLE mixed (id BIGINT PRIMARY KEY, name VARCHAR(40) NOT NULL UNIQUE, "
		    "day DATE NOT NULL UNIQUE, amount DECIMAL(9, 2) NOT NULL UNIQUE, maybe INT "
		    "UNIQUE, part VARCHAR(100) NOT NULL, pair INT NOT NULL, ratio FLOAT NOT NULL, "
		    "other INT NOT NULL, wide INT)");
	}
	sql("INSERT INTO mixed (id, name, day, amount, maybe, part, pair, ratio, other) VALUES"
	    " (1, 'x', '2024-02-01', 2, 1, 'aaa', 1, 1.5, 1), "
	    "(2, '300', '2024-02-02', 1.5, 2, 'bbb', 1, 2.5, 2), "
	    "(3, '?', '2024-02-03', 3, 3, 'ccc', 2, 3.5, 3), "
	    "(0, '\xc3\xa4', '2024-02-04', 4, 4, 'ddd', 3, 4.5, 4)");
}

static int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	tx_make_accounts(client, 8);
	make_tables();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_close(client, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_locked_in_the_order_of_their_keys),
		cmocka_unit_test(a_lock_is_on_its_row_alone),
		cmocka_unit_test(values_are_found_by_the_index),
		cmocka_unit_test(a_share_is_on_the_row_itself),
		cmocka_unit_test(what_would_lock_a_table_is_refused),
		cmocka_unit_test(elsewhere_a_key_may_be_anything),
		cmocka_unit_test(the_catalogue_is_asked_once),
		cmocka_unit_test(an_index_that_is_gone_is_seen),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
