/* SPDX-License-Identifier: MIT */
/*
 * A caller's transaction is intact after every failure of ours. The caller has begun it on his own
 * connection, has written a row, and makes one call, in which the k-th thing goes wrong, for k = 1,
 * 2, ... until there is no k-th. Then, whatever the outcome:
 *   - the transaction is open, his row is there, more can be written, and it can be committed; or
 *     dblock_tx_state_of() says that it is not, and the message why;
 *   - his settings are as they were;
 *   - the lock is what the call said it would be.
 */
#include "db/faults/tx_walk_messages.h"

#include "db/faults/shortage.h"

static void nothing(struct play *p)
{
	(void)p;
}

static const struct scene scenes[] = {
	{"lock rows", NULL, NULL, call_rows_lock, nothing, 0, false},
	{"take rows", NULL, NULL, call_rows_take, nothing, 0, false},
	{"update a row by its version", NULL, NULL, call_row_update, row_is_as_told, 0, false},
	{"put a message", NULL, NULL, call_put, put_as_told, 0, false},
	{"note a message as had", NULL, NULL, call_seen, had_as_told, 0, false},
	{"fence", lock_x, NULL, call_fence, still_held, 0, false},
	{"fence two", lock_two, NULL, call_fence_all, still_held, 0, false},
	{"release_in", lock_x, NULL, call_release_in, released_or_held, 0, false},
	{"release_in, shared", lock_shared, NULL, call_release_in, released_or_held, 0, false},
	{"release_in, two", lock_group, NULL, call_release_in, group_released_or_held, 0, false},
	{"try_in", NULL, NULL, call_try_in, acquired_or_free, 0, false},
	{"try_in, busy", theirs, NULL, call_try_in, theirs_as_before, DBLOCK_BUSY, false},
	{"tx_lock", NULL, NULL, call_tx_lock, nothing_left, 0, false},
	{"tx_lock, busy", theirs, NULL, call_tx_lock, theirs_as_before, DBLOCK_BUSY, false},
	{"commit of a fence", lock_x, fenced, call_commit, still_held, 0, true},
	{"commit of release_in", lock_x, leaving, call_commit, released_or_held, 0, true},
	{"commit of try_in", NULL, coming, call_commit, acquired_or_free, 0, true},
	{"release a fenced one", lock_x, fenced, call_release, let_go_or_fenced, DBLOCK_FENCED,
	 false},
	{"release a leaving one", lock_x, leaving, call_release, let_go_or_fenced, DBLOCK_FENCED,
	 false},
	{"release a coming one", NULL, coming, call_release, let_go_or_fenced, DBLOCK_FENCED,
	 false},
};

/* ---- the caller ----------------------------------------------------------------------------- */

static const char *settings_sql(void)
{
	if (on_backend("mysql"))
		return "SELECT CONCAT(@@time_zone, ' ', @@innodb_lock_wait_timeout, ' ', "
		       "LAST_INSERT_ID())";
	return on_backend("postgresql") ? "SHOW lock_timeout" : "PRAGMA busy_timeout";
}

static const char *settings(void)
{
	return on_backend("mysql") ? "+05:30 17 4711" : on_backend("postgresql") ? "17s" : "17017";
}

static void caller_begins(struct play *p)
{
	struct dblock_error err = {0};
	void *handle;

	p->owner = tx_open(calm);
	if (on_backend("mysql")) {
		handle = dblock_mysql_handle(p->owner);
		tx_exec(p->owner, "SET time_zone = '+05:30', innodb_lock_wait_timeout = 17, "
				  "last_insert_id = 4711");
	} else if (on_backend("postgresql")) {
		handle = dblock_postgresql_handle(p->owner);
		tx_exec(p->owner, "SET lock_timeout = '17s'");
		/* The server's default here is serializable. The next play must not conflict with
		 * what a lost transaction of the play before still does on a slow machine. */
		tx_exec(p->owner, "SET default_transaction_isolation = 'read committed'");
	} else {
		handle = dblock_sqlite_handle(p->owner);
		tx_exec(p->owner, "PRAGMA busy_timeout = 17017");
		tx_exec(p->owner, "CREATE TEMP TABLE ender (id)");
		tx_exec(p->owner, "CREATE TEMP TRIGGER ends BEFORE INSERT ON ender BEGIN "
				  "SELECT RAISE(ROLLBACK, 'ended'); END");
	}
	expect(OK, dbl_tx_adopt(&p->tx, test_env("DBLOCK_TEST_BACKEND"), handle, NULL, NULL,
				dbl_ms(PLENTY_MS), &walk.env, &err));
	/* A transaction that we end is also begun by us: otherwise ending it asks the database how
	 * it went. */
	if (scene->ends || walk.k % 2)
		expect(OK, dblock_tx_begin(p->tx, NULL, &err));
	else
		tx_exec(p->owner, "BEGIN");
	tx_exec(p->owner, "UPDATE account SET money = 7 WHERE id = 1");
}

static bool is_gone(const struct play *p)
{
	return walk.struck && walk.struck_adopted && p->rc != 0 &&
	       (walk_is_loss(walk.kind) || walk.kind == WALK_ENDED);
}

/* Nothing of the transaction is left, and both the state and the message say so. */
static void check_gone(struct play *p)
{
	enum dblock_tx_state state = dblock_tx_state_of(p->tx);

	if (state != (walk.kind == WALK_ENDED ? DBLOCK_TX_NONE : DBLOCK_TX_LOST))
		told(p, "it is gone, but its state is another");
	if (!strstr(p->err.message,
		    walk.kind == WALK_ENDED ? "rolled the transaction back" : "lost"))
		told(p, "it is gone, but the message does not say so");
}

static void check_settings(struct play *p)
{
	const char *now = tx_text(p->owner, settings_sql());

	if (strcmp(now, settings()) != 0)
		told(p, now);
}

/* The savepoint itself failed, so there is none to go back to. */
static bool has_failed(const struct play *p)
{
	return dblock_tx_state_of(p->tx) == DBLOCK_TX_FAILED &&
	       strcmp(walk.what, "exec tx_guard") == 0 && p->rc != 0 &&
	       (strstr(p->err.message, "roll it back") ||
		strstr(p->err.message, "can only be rolled back"));
}

/* The transaction goes on; in turns we commit it, or the caller's own statement does. */
static void caller_commits(struct play *p)
{
	struct dblock_error err = {0};

	if (dblock_tx_state_of(p->tx) != DBLOCK_TX_OPEN)
		told(p, "the transaction is not open");
	assert_int_equal(tx_int(p->owner, "SELECT money FROM account WHERE id = 1"), 7);
	tx_exec(p->owner, "UPDATE account SET money = 8 WHERE id = 2");
	check_settings(p);
	if (walk.k % 2) {
		expect(OK, dblock_tx_commit(p->tx, &err));
	} else {
		tx_exec(p->owner, "COMMIT");
		dblock_tx_ended(p->tx, DBLOCK_TX_COMMITTED);
	}
	p->committed = true;
	check_settings(p);
}

/* The call was asked to end the transaction. */
static void check_ended(struct play *p)
{
	p->committed = tx_money(calm, 1) == 7;
	if (p->rc != DBLOCK_E_UNSURE && p->committed != (p->rc == 0))
		told(p, p->committed ? "it was committed" : "it was not committed");
}

static void after_the_call(struct play *p)
{
	if (scene->ends) {
		check_ended(p);
	} else if (is_gone(p) || has_failed(p)) {
		if (is_gone(p))
			check_gone(p);
		(void)dblock_tx_rollback(p->tx, NULL);
		assert_int_equal(tx_money(calm, 1), 100);
	} else {
		caller_commits(p);
		assert_int_equal(tx_money(calm, 1), 7);
		assert_int_equal(tx_money(calm, 2), 8);
	}
}

/* ---- the loop ------------------------------------------------------------------------------- */

static void put_back(void)
{
	struct dblock_tx *tx = tx_open(calm);

	tx_exec(tx, "UPDATE account SET money = 100 WHERE id < 4");
	dblock_tx_close(tx);
}

/* Plays it once; true: there was a k-th thing. */
static bool play(enum walk_kind kind, int k)
{
	struct play p = {.rc = 0};

	if (scene->before)
		scene->before(&p);
	caller_begins(&p);
	if (scene->within)
		scene->within(&p);
	walk_arm(kind, k);
	if (kind == WALK_NOMEM)
		shortage_begin(SHORT_OF_MEMORY, k, false);
	p.rc = scene->call(&p, &p.err);
	walk_armed = false;
	if (kind == WALK_NOMEM)
		walk.struck = shortage_end() > 0;
	if (!walk.struck && p.rc != scene->expected)
		told(&p, "nothing went wrong");
	if (p.rc && (p.err.code != p.rc || !p.err.message[0]))
		told(&p, "the error says something else");
	after_the_call(&p);
	dblock_tx_close(p.tx);
	dblock_tx_close(p.owner);
	scene->check(&p);
	put_back();
	return walk.struck;
}

/* Each kind strikes each third call, and each call is struck by a third of the kinds; all of them
 * if DBLOCK_STRIKE_ALL is set: ./dev test strikes. */
static bool is_played(enum walk_kind kind, int k)
{
	return kind <= WALK_MISSING || getenv("DBLOCK_STRIKE_ALL") || (k + (int)kind) % 3 == 0;
}

static void play_scene(void)
{
	int64_t begun = clock_ms();
	int plays = 0, calls = 0;

	for (enum walk_kind kind = 0; kind <= WALK_NOMEM; kind++) {
		bool struck = walk_is_possible(kind);

		for (int k = 1; struck; k++) {
			if (!is_played(kind, k))
				continue;
			struck = play(kind, k);
			plays++;
			calls = kind == WALK_MISSING ? k - 1 : calls;
		}
	}
	print_message("%s: %d calls, played %d times, %lld ms\n", scene->name, calls, plays,
		      (long long)(clock_ms() - begun));
	assert_true(calls > 0);
}

static void a_callers_transaction_is_intact(void **state)
{
	const char *only = getenv("DBLOCK_WALK");

	(void)state;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		scene = &scenes[i];
		if (!only || strcmp(only, scene->name) == 0)
			play_scene();
	}
}

static int set_up(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};

	(void)state;
	walk_set_up();
	options.auto_migrate = 1;
	calm = client_with(&options);
	expect(OK, dbl_client_open(test_url(), &options, &walk.env, &client, &err));
	tx_make_accounts(calm, 50);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_close(client, NULL);
	dblock_close(calm, NULL);
	walk_tear_down();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_callers_transaction_is_intact),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
