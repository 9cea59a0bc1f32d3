/* SPDX-License-Identifier: MIT */
/* Locks that are released, acquired, or had altogether in a transaction of the caller's. */
#include "support/raw.h"
#include "support/tx.h"

static struct dblock_client *a, *b;

/* On SQLite who competes with a transaction waits for the file: not for long. */
static void open_both(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	a = client_new(0);
	options.timeout_ms = on_backend("sqlite") ? 300 : PLENTY_MS;
	b = client_with(&options);
}

static struct dblock_lock *acquire_in(struct dblock_tx *tx, const char *name)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_try_in(tx, a, name, NULL, &lock, &err));
	return lock;
}

static void release_in(struct dblock_tx *tx, struct dblock_lock *lock)
{
	struct dblock_error err = {0};

	expect(OK, dblock_release_in(tx, lock, &err));
}

static void end(struct dblock_tx *tx, bool commit)
{
	struct dblock_error err = {0};

	expect(OK, commit ? dblock_tx_commit(tx, &err) : dblock_tx_rollback(tx, &err));
	dblock_tx_close(tx);
}

/* ---- release --------------------------------------------------------------------------------- */

static void it_is_free_from_the_commit_on_and_not_before(void **state)
{
	struct dblock_lock *lock = take(a, "x");
	struct dblock_tx *tx = tx_begin(a);

	(void)state;
	tx_exec(tx, "UPDATE account SET money = money + 1 WHERE id = 1");
	release_in(tx, lock);
	assert_false(dblock_valid(lock, 0));
	busy(b, "x");
	end(tx, true);
	is_free(b, "x");
	give(lock);
	assert_int_equal(tx_money(a, 1), 101);
}

static void rolled_back_it_is_held_as_before(void **state)
{
	struct dblock_lock *lock = take(a, "y");
	struct dblock_tx *tx = tx_begin(a);

	(void)state;
	release_in(tx, lock);
	end(tx, false);
	assert_true(dblock_valid(lock, 0));
	busy(b, "y");
	give(lock);
	is_free(b, "y");
}

/* Of each kind, with a fence before it, and of several names. */
static void every_kind_of_grant_can_be_released_so(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_fence_options to_release = DBLOCK_FENCE_OPTIONS_INIT;
	struct dblock_want wants[] = {{.name = "k1"}, {.name = "k2"}};
	struct dblock_error err = {0};
	struct dblock_lock *locks[3];
	struct dblock_tx *tx;

	(void)state;
	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(a, "shared", &options, &locks[0], &err));
	options.mode = DBLOCK_PERMITS;
	options.capacity = 1;
	expect(OK, dblock_try(a, "permit", &options, &locks[1], &err));
	expect(OK, dblock_try_all(a, wants, 2, NULL, &locks[2], &err));
	tx = tx_begin(a);
	to_release.to_release = 1;
	expect(OK, dblock_fence_all(tx, locks, 3, &to_release, &err));
	for (int i = 0; i < 3; i++)
		release_in(tx, locks[i]);
	busy(b, "shared");
	busy(b, "k1");
	end(tx, true);
	is_free(b, "shared");
	is_free(b, "k1");
	is_free(b, "k2");
	expect(OK, dblock_try(b, "permit", &options, &locks[1], &err));
	give(locks[1]);
}

static void a_stale_holder_cannot_release_in_it(void **state)
{
	struct dblock_lock *lock = take(a, "stale");
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	(void)state;
	expect(OK, dblock_break(b, "stale", 0, PLENTY_MS, &err));
	tx = tx_begin(a);
	tx_exec(tx, "UPDATE account SET money = 0 WHERE id = 2");
	expect(STALE, dblock_release_in(tx, lock, &err));
	assert_int_equal(dblock_tx_state(tx), DBLOCK_TX_OPEN);
	assert_int_equal(tx_int(tx, "SELECT money FROM account WHERE id = 2"), 0);
	end(tx, false);
	expect(LOST, dblock_release(lock, &err));
	assert_int_equal(tx_money(a, 2), 100);
}

static void misuse_is_told(void **state)
{
	struct dblock_lock *lock = take(a, "misuse"), *again;
	struct dblock_tx *tx = tx_begin(a), *other;
	struct dblock_error err = {0};

	(void)state;
	expect(OK, dblock_acquire(a, "misuse", NULL, &again, &err));
	expect(E_INVALID, dblock_release_in(tx, lock, &err));
	message_has("2 times");
	give(again);
	release_in(tx, lock);
	expect(E_INVALID, dblock_release_in(tx, lock, &err));
	/* It would wait for itself. */
	expect(FENCED, dblock_acquire(a, "misuse", NULL, &again, &err));
	expect(FENCED, dblock_release(lock, &err));
	if (!on_backend("sqlite")) {
		struct dblock_lock *fenced = take(a, "fenced");

		other = tx_begin(a);
		expect(OK, dblock_fence(other, fenced, &err));
		expect(FENCED, dblock_release_in(tx, fenced, &err));
		end(other, false);
		give(fenced);
	}
	end(tx, true);
	give(lock);
	tx = tx_open(a);
	lock = take(a, "misuse");
	expect(E_INVALID, dblock_release_in(tx, lock, &err));
	message_has("no transaction is open");
	expect(E_INVALID, dblock_release_in(tx, NULL, &err));
	give(lock);
	dblock_tx_close(tx);
}

struct waiting {
	struct dblock_lock *lock;
	_Atomic int rc;
	struct dblock_error err;
};

static void *wait_for(void *arg)
{
	struct waiting *w = arg;

	w->rc = dblock_acquire(b, "line", NULL, &w->lock, &w->err);
	return NULL;
}

static int count_one(void *arg, const struct dblock_waiter *waiter)
{
	(void)waiter;
	++*(int *)arg;
	return 0;
}

static void who_waits_in_line_gets_it_at_the_commit(void **state)
{
	struct dblock_lock *lock = take(a, "line");
	struct waiting w = {.rc = DBLOCK_WAITING};
	struct dblock_error err = {0};
	struct crew crew = {.n = 0};
	struct dblock_waiters_options of_line = DBLOCK_WAITERS_OPTIONS_INIT;
	struct dblock_tx *tx;
	int in_line = 0;

	(void)state;
	of_line.name = "line";
	crew_add(&crew, wait_for, &w);
	while (in_line == 0) {
		sleep_ms(10);
		expect(OK, dblock_waiters(a, &of_line, count_one, &in_line, &err));
	}
	tx = tx_begin(a);
	release_in(tx, lock);
	assert_int_equal(w.rc, DBLOCK_WAITING);
	end(tx, true);
	give(lock);
	crew_join(&crew);
	assert_int_equal(w.rc, DBLOCK_OK);
	give(w.lock);
}

/* The transaction is ended by the caller's own statement: told, or found out. */
static void ends_elsewhere(void **state)
{
	struct dblock_tx *owner = tx_open(a), *tx = tx_adopt(owner);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	for (int told = 0; told < 2; told++) {
		for (int commit = 0; commit < 2; commit++) {
			lock = take(a, "native");
			tx_exec(owner, "BEGIN");
			release_in(tx, lock);
			tx_exec(owner, commit ? "COMMIT" : "ROLLBACK");
			if (told)
				dblock_tx_ended(tx, commit ? DBLOCK_TX_COMMITTED
							   : DBLOCK_TX_ROLLED_BACK);
			assert_int_equal(dblock_valid(lock, 0), told && !commit);
			if (commit)
				is_free(b, "native");
			else
				busy(b, "native");
			give(lock);
			is_free(b, "native");
			tx_exec(owner, "BEGIN");
			lock = acquire_in(tx, "native");
			tx_exec(owner, commit ? "COMMIT" : "ROLLBACK");
			if (told)
				dblock_tx_ended(tx, commit ? DBLOCK_TX_COMMITTED
							   : DBLOCK_TX_ROLLED_BACK);
			assert_int_equal(dblock_valid(lock, 0), told && commit);
			if (told && commit)
				give(lock);
			else
				expect(STALE, dblock_release(lock, &err));
			is_free_soon(b, "native");
		}
	}
	dblock_tx_close(tx);
	dblock_tx_close(owner);
}

/* ---- acquire --------------------------------------------------------------------------------- */

static void it_is_held_from_the_commit_on(void **state)
{
	struct dblock_tx *tx = tx_begin(a);
	struct dblock_error err = {0};
	struct dblock_lock *lock = acquire_in(tx, "new"), *none;

	(void)state;
	assert_false(dblock_valid(lock, 0));
	busy(b, "new");
	expect(FENCED, dblock_try(a, "new", NULL, &none, &err));
	expect(FENCED, dblock_release(lock, &err));
	end(tx, true);
	assert_true(dblock_valid(lock, 0));
	assert_true(dblock_token(lock) > 0);
	assert_int_equal(show(b, "new").h.token, dblock_token(lock));
	busy(b, "new");
	give(lock);
	is_free(b, "new");
}

static void rolled_back_nothing_was_acquired(void **state)
{
	struct dblock_tx *tx = tx_begin(a);
	struct dblock_error err = {0};
	struct dblock_lock *lock = acquire_in(tx, "never");

	(void)state;
	end(tx, false);
	assert_false(dblock_valid(lock, 0));
	is_free(b, "never");
	expect(STALE, dblock_release(lock, &err));
}

static void what_others_hold_is_busy(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *theirs = take(b, "theirs"), *lock, *mine = take(a, "mine");
	struct dblock_tx *tx = tx_begin(a);
	struct dblock_error err = {0};

	(void)state;
	expect(BUSY, dblock_try_in(tx, a, "theirs", NULL, &lock, &err));
	message_has("pid");
	assert_null(lock);
	options.wait_ms = 60;
	expect(TIMEOUT, dblock_acquire_in(tx, a, "theirs", &options, &lock, &err));
	expect(E_INVALID, dblock_try_in(tx, a, "mine", NULL, &lock, &err));
	message_has("fence it");
	options.mode = DBLOCK_SHARED;
	expect(E_INVALID, dblock_acquire_in(tx, a, "z", &options, &lock, &err));
	assert_int_equal(dblock_tx_state(tx), DBLOCK_TX_OPEN);
	end(tx, true);
	give(theirs);
	give(mine);
}

/* The dead's is taken as anywhere else, and the token grows. */
static void what_the_dead_held_can_be_acquired(void **state)
{
	struct grab grab = {.name = "dead", .ttl_ms = 300};
	struct child child;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_tx *tx;

	(void)state;
	dblock_close(a);
	dblock_close(b);
	child = child_start(child_takes, &grab);
	child_kill(&child);
	open_both();
	tx = tx_begin(a);
	options.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire_in(tx, a, "dead", &options, &lock, &err));
	assert_true(dblock_token(lock) > child.said);
	end(tx, true);
	assert_true(dblock_valid(lock, 0));
	give(lock);
}

static void a_lease_counts_from_its_statement(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_tx *tx = tx_begin(a);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.lease_ms = 400;
	expect(OK, dblock_try_in(tx, a, "lease", &options, &lock, &err));
	sleep_ms(500);
	end(tx, true);
	assert_false(dblock_valid(lock, 0));
	is_free_soon(b, "lease");
	expect(LOST, dblock_release(lock, &err));
}

/* ---- until the end of the transaction -------------------------------------------------------- */

static void a_lock_of_the_transaction_ends_with_it(void **state)
{
	struct dblock_error err = {0};
	int64_t before = is_free(b, "tx"), token, last = before;

	(void)state;
	for (int commit = 0; commit < 2; commit++) {
		struct dblock_tx *tx = tx_begin(a);

		expect(OK, dblock_tx_try_lock(tx, a, "tx", &token, &err));
		assert_true(token > last);
		busy(b, "tx");
		end(tx, commit);
		if (commit)
			last = token;
		before = is_free(b, "tx");
		assert_true(before > last);
		last = before;
	}
}

static void it_waits_for_a_holder_and_says_who(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *theirs = take(b, "tx2");
	struct dblock_tx *tx = tx_begin(a);
	struct dblock_error err = {0};

	(void)state;
	options.wait_ms = 60;
	expect(TIMEOUT, dblock_tx_lock(tx, a, "tx2", &options, NULL, &err));
	message_has("pid");
	expect(BUSY, dblock_tx_try_lock(tx, a, "tx2", NULL, &err));
	/* The file is ours: they could not release it. */
	if (!on_backend("sqlite")) {
		give(theirs);
		expect(OK, dblock_tx_lock(tx, a, "tx2", &options, NULL, &err));
		end(tx, true);
	} else {
		end(tx, true);
		give(theirs);
	}
}

/* Settings of the session, and MySQL's LAST_INSERT_ID(), are as they were found. */
static void settings_are_left_as_found(void **state)
{
	struct dblock_tx *owner = tx_open(a), *tx = tx_adopt(owner);
	struct dblock_error err = {0};
	struct dblock_lock *lock, *held = take(b, "held");
	const char *ask;

	(void)state;
	if (on_backend("mysql")) {
		tx_exec(owner, "SET time_zone = '+05:30', innodb_lock_wait_timeout = 17, "
			       "last_insert_id = 4711");
		ask = "SELECT CONCAT(@@time_zone, ' ', @@innodb_lock_wait_timeout, ' ', "
		      "LAST_INSERT_ID())";
	} else if (on_backend("postgresql")) {
		tx_exec(owner, "SET lock_timeout = '17s'");
		ask = "SHOW lock_timeout";
	} else {
		tx_exec(owner, "PRAGMA busy_timeout = 17");
		ask = "PRAGMA busy_timeout";
	}
	tx_exec(owner, "BEGIN");
	lock = acquire_in(tx, "settings");
	expect(BUSY, dblock_try_in(tx, a, "held", NULL, &held, &err));
	assert_string_equal(tx_text(owner, ask), on_backend("mysql")        ? "+05:30 17 4711"
						 : on_backend("postgresql") ? "17s"
									    : "17");
	tx_exec(owner, "COMMIT");
	dblock_tx_ended(tx, DBLOCK_TX_COMMITTED);
	assert_string_equal(tx_text(owner, ask), on_backend("mysql")        ? "+05:30 17 4711"
						 : on_backend("postgresql") ? "17s"
									    : "17");
	give(lock);
	dblock_tx_close(tx);
	dblock_tx_close(owner);
}

/* A client that goes away with transactions that are not closed: nothing is touched after it. */
static void a_client_may_go_first(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_tx *owner = tx_open(a), *tx = tx_adopt(owner);
	struct dblock_error err = {0};
	struct dblock_lock *lock, *fenced = take(client, "first");

	(void)state;
	if (on_backend("sqlite")) {
		dblock_tx_close(tx);
		dblock_tx_close(owner);
		dblock_close(client);
		return;
	}
	tx_exec(owner, "BEGIN");
	expect(OK, dblock_fence(tx, fenced, &err));
	give(take(client, "second"));
	expect(OK, dblock_tx_rollback(tx, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(OK, dblock_try_in(tx, client, "second", NULL, &lock, &err));
	tx_exec(owner, "ROLLBACK");
	dblock_close(client);
	dblock_tx_close(tx);
	dblock_tx_close(owner);
	is_free(b, "first");
	is_free(b, "second");
}

static int set_up(void **state)
{
	(void)state;
	open_both();
	tx_make_accounts(a, 3);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_close(a);
	dblock_close(b);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_free_from_the_commit_on_and_not_before),
		cmocka_unit_test(rolled_back_it_is_held_as_before),
		cmocka_unit_test(every_kind_of_grant_can_be_released_so),
		cmocka_unit_test(a_stale_holder_cannot_release_in_it),
		cmocka_unit_test(misuse_is_told),
		cmocka_unit_test(who_waits_in_line_gets_it_at_the_commit),
		cmocka_unit_test(ends_elsewhere),
		cmocka_unit_test(it_is_held_from_the_commit_on),
		cmocka_unit_test(rolled_back_nothing_was_acquired),
		cmocka_unit_test(what_others_hold_is_busy),
		cmocka_unit_test(what_the_dead_held_can_be_acquired),
		cmocka_unit_test(a_lease_counts_from_its_statement),
		cmocka_unit_test(a_lock_of_the_transaction_ends_with_it),
		cmocka_unit_test(it_waits_for_a_holder_and_says_who),
		cmocka_unit_test(settings_are_left_as_found),
		cmocka_unit_test(a_client_may_go_first),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
