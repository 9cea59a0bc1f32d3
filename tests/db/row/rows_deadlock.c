/* SPDX-License-Identifier: MIT */
/* Rows are locked in the order of their keys, and some deadlocks are left. */
#include "db/row/rows.h"

static struct dblock_client *client;

/* ---- the same rows, in any order ------------------------------------------------------------- */

enum { ROUNDS = 40 };

struct player {
	int ids[4];
	const char *names[4];
	int rc;
	struct dblock_error err;
};

static int lock_names(struct dblock_tx *tx, const char *const *names, struct dblock_error *err)
{
	static const char *const key[] = {"owner"};
	struct dblock_value keys[4];
	struct dblock_rows rows = {"member", key, 1, keys, 4};

	for (int i = 0; i < 4; i++)
		keys[i] = dblock_text(names[i]);
	return dblock_rows_lock(tx, &rows, NULL, err);
}

/* Naive: rows are locked in the order given (or, for names, bytewise: a caller who writes 'B' locks
 * it before 'a', and one who writes 'b' behind it): a deadlock within a few rounds. */
static void *play(void *arg)
{
	struct player *player = arg;
	struct dblock_tx *tx;

	player->rc = dblock_tx_open(client, &tx, &player->err);
	for (int i = 0; player->rc == 0 && i < ROUNDS; i++) {
		player->rc = dblock_tx_begin(tx, NULL, &player->err);
		if (player->rc == 0)
			player->rc = i % 2 ? lock_names(tx, player->names, &player->err)
					   : lock_some(tx, player->ids, 4, NULL, &player->err);
		if (player->rc == 0)
			player->rc = dblock_tx_commit(tx, &player->err);
	}
	dblock_tx_close(tx);
	return NULL;
}

static void the_same_rows_are_no_deadlock(void **state)
{
	bool my = on_backend("mysql"); /* on it 'a' and 'A' are one name */
	struct player players[] = {
		{{1, 2, 3, 4}, {"a", my ? "B" : "b", "c", "d"}, 0, {0}},
		{{4, 3, 2, 1}, {"d", my ? "C" : "c", "b", my ? "A" : "a"}, 0, {0}},
		{{2, 4, 1, 3}, {my ? "B" : "b", "d", "a", "c"}, 0, {0}},
		{{3, 1, 4, 2}, {"c", "a", my ? "D" : "d", "b"}, 0, {0}},
	};
	struct crew crew = {.n = 0};

	(void)state;
	for (int i = 0; i < 4; i++)
		crew_add(&crew, play, &players[i]);
	crew_join(&crew);
	for (int i = 0; i < 4; i++) {
		if (players[i].rc)
			print_error("%s\n", players[i].err.message);
		assert_int_equal(players[i].rc, DBLOCK_OK);
	}
}

/* ---- a real one ------------------------------------------------------------------------------ */

struct side {
	int first, second;
	pthread_barrier_t *meet;
	int rc;
	enum dblock_tx_state state;
	struct dblock_error err;
	int end; /* the outcome of the rollback */
	int64_t seen;
};

static void *cross(void *arg)
{
	struct side *side = arg;
	struct dblock_rows_options how = rows_how(DBLOCK_FOR_UPDATE, PLENTY_MS);
	struct dblock_error err = {0};
	struct dblock_tx *tx;
	char sql[100];

	side->rc = dblock_tx_open(client, &tx, &side->err);
	if (side->rc == 0)
		side->rc = dblock_tx_begin(tx, NULL, &side->err);
	if (side->rc == 0)
		side->rc = lock_one(tx, side->first, NULL, &side->err);
	snprintf(sql, sizeof(sql), "UPDATE account SET money = 1 WHERE id = %d", side->first);
	if (side->rc == 0)
		side->rc = dblock_tx_query(tx, sql, NULL, 0, NULL, NULL, NULL, &side->err);
	pthread_barrier_wait(side->meet);
	if (side->rc == 0)
		side->rc = lock_one(tx, side->second, &how, &side->err);
	side->state = dblock_tx_state_of(tx);
	side->end = side->rc == 0 ? dblock_tx_commit(tx, &err) : dblock_tx_rollback(tx, &err);
	dblock_tx_close(tx);
	return NULL;
}

/* Naive: E_CONFLICT for all, and nobody knows what is left: on MySQL the next statement of the
 * victim is a transaction of its own. */
static void a_deadlock_says_what_is_left(void **state)
{
	pthread_barrier_t meet;
	struct side sides[] = {{.first = 7, .second = 8, .meet = &meet},
			       {.first = 8, .second = 7, .meet = &meet}};
	struct crew crew = {.n = 0};
	struct dblock_error err;
	struct side *lost;

	(void)state;
	if (on_backend("sqlite"))
		return;
	pthread_barrier_init(&meet, NULL, 2);
	crew_add(&crew, cross, &sides[0]);
	crew_add(&crew, cross, &sides[1]);
	crew_join(&crew);
	pthread_barrier_destroy(&meet);
	lost = &sides[sides[0].rc ? 0 : 1];
	err = lost->err;
	expect_at(lost->rc, DBLOCK_DEADLOCK, &err, "cross", __FILE__, __LINE__);
	assert_int_equal(sides[sides[0].rc ? 1 : 0].rc, DBLOCK_OK);
	if (on_backend("mysql")) {
		message_has("the database has rolled the transaction back");
		assert_int_equal(lost->state, DBLOCK_TX_NONE);
		assert_int_equal(lost->end, DBLOCK_E_INVALID);
	} else {
		message_has("the transaction goes on");
		assert_int_equal(lost->state, DBLOCK_TX_OPEN);
		assert_int_equal(lost->end, DBLOCK_OK);
	}
	assert_int_equal(tx_money(client, lost->first), 100);
	assert_int_equal(tx_money(client, lost->second), 1);
}

/* ---- serializable ---------------------------------------------------------------------------- */

static void a_row_changed_since_is_a_conflict(void **state)
{
	struct dblock_tx_options how = DBLOCK_TX_OPTIONS_INIT;
	struct dblock_tx *tx = tx_open(client), *other = tx_open(client);
	struct dblock_error err = {0};

	(void)state;
	how.isolation = DBLOCK_REPEATABLE_READ;
	if (!on_backend("postgresql"))
		goto out;
	expect(OK, dblock_tx_begin(tx, &how, &err));
	assert_int_equal(tx_money(client, 5), tx_int(tx, "SELECT money FROM account WHERE id = 5"));
	tx_exec(other, "UPDATE account SET money = 3 WHERE id = 5");
	expect(E_CONFLICT, lock_one(tx, 5, NULL, &err));
	message_has("the transaction goes on");
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	expect(OK, dblock_tx_rollback(tx, &err));
out:
	dblock_tx_close(tx);
	dblock_tx_close(other);
}

static void make_members(void)
{
	struct dblock_tx *tx = tx_open(client);

	tx_exec(tx,
		on_backend("mysql")
			? "CREATE TABLE member (owner VARCHAR(40) CHARACTER SET utf8mb4 COLLATE "
			  "utf8mb4_general_ci NOT NULL PRIMARY KEY) ENGINE=InnoDB"
			: "CREATE TABLE member (owner VARCHAR(40) NOT NULL PRIMARY KEY)");
	tx_exec(tx, "INSERT INTO member VALUES ('a'), ('b'), ('c'), ('d'), ('e')");
	dblock_tx_close(tx);
}

static int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	tx_make_accounts(client, 8);
	make_members();
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
		cmocka_unit_test(the_same_rows_are_no_deadlock),
		cmocka_unit_test(a_deadlock_says_what_is_left),
		cmocka_unit_test(a_row_changed_since_is_a_conflict),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
