/* SPDX-License-Identifier: MIT */
/* Locks in a transaction on the caller's own connection: its end, its settings, its client's end.
 */
#include "db/lock/tx/in_tx_kit.h"
#include "support/fault.h"

/* The caller's own statement ends the transaction: he tells dblock, or it notices. */
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

/* The caller ends one transaction and begins another, and tells dblock of neither. Naive: the end
 * of the second is taken for that of the first: a lock that was never acquired is valid, and so is
 * one that was released. */
static void another_ones_end_is_not_taken_for_its_own(void **state)
{
	struct dblock_tx *owner = tx_open(a), *tx = tx_adopt(owner);
	struct dblock_lock *released = take(a, "mixed"), *acquired;
	struct dblock_error err = {0};

	(void)state;
	tx_exec(owner, "BEGIN");
	acquired = acquire_in(tx, "mixed 2");
	tx_exec(owner, "ROLLBACK");
	tx_exec(owner, "BEGIN");
	expect(OK, dblock_tx_commit(tx, &err));
	assert_false(dblock_valid(acquired, 0));
	expect(STALE, dblock_release(acquired, &err));
	tx_exec(owner, "BEGIN");
	release_in(tx, released);
	tx_exec(owner, "COMMIT");
	tx_exec(owner, "BEGIN");
	expect(OK, dblock_tx_rollback(tx, &err));
	assert_false(dblock_valid(released, 0));
	give(released);
	/* The caller has begun the transaction, and dblock ends it: the database is asked for the
	 * outcome. */
	released = take(a, "mixed");
	tx_exec(owner, "BEGIN");
	release_in(tx, released);
	expect(OK, dblock_tx_rollback(tx, &err));
	assert_true(dblock_valid(released, 0));
	give(released);
	tx_exec(owner, "BEGIN");
	acquired = acquire_in(tx, "mixed 2");
	expect(OK, dblock_tx_commit(tx, &err));
	assert_true(dblock_valid(acquired, 0));
	give(acquired);
	is_free(b, "mixed");
	is_free(b, "mixed 2");
	dblock_tx_close(tx);
	dblock_tx_close(owner);
}

/* Settings of the session, and MySQL's LAST_INSERT_ID(), are as before. */
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
		/* (Otherwise somebody else could write after what the transaction sees.) */
		tx_exec(owner, "BEGIN IMMEDIATE");
		tx_exec(owner, "PRAGMA busy_timeout = 17");
		ask = "PRAGMA busy_timeout";
	}
	if (!on_backend("sqlite"))
		tx_exec(owner, "BEGIN");
	lock = acquire_in(tx, "settings");
	expect(BUSY, dblock_tx_try(tx, a, "held", NULL, &held, &err));
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

/* Naive: PostgreSQL reads the name's bytes as other letters, and the lock as one that is not held.
 */
static void a_name_is_the_same_in_each_encoding(void **state)
{
	struct dblock_lock *lock = take(a, "schl\xc3\xbcssel"), *none;
	struct dblock_tx *owner = tx_open(a), *tx = tx_adopt(owner);
	struct dblock_error err = {0};

	(void)state;
	if (on_backend("mysql"))
		tx_exec(owner, "SET NAMES latin1");
	tx_exec(owner, on_backend("postgresql") ? "BEGIN ISOLATION LEVEL READ COMMITTED" : "BEGIN");
	if (on_backend("postgresql")) {
		tx_exec(owner, "SET client_encoding = 'LATIN1'");
		expect(E_INVALID, dblock_fence(tx, lock, &err));
		message_has("client_encoding is LATIN1");
		expect(E_INVALID, dblock_tx_release(tx, lock, &err));
		expect(E_INVALID, dblock_tx_try(tx, a, "\xc3\xbc", NULL, &none, &err));
		expect(OK, dblock_tx_try_lock(tx, a, "ascii", NULL, &err));
		tx_exec(owner, "SET client_encoding = 'UTF8'");
	}
	fence(tx, lock);
	release_in(tx, lock);
	tx_exec(owner, "COMMIT");
	dblock_tx_ended(tx, DBLOCK_TX_COMMITTED);
	give(lock);
	dblock_tx_close(tx);
	dblock_tx_close(owner);
}

/* A client is closed before transactions that are still open: nothing is touched after it. */
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
		dblock_close(client, NULL);
		return;
	}
	tx_exec(owner, "BEGIN");
	expect(OK, dblock_fence(tx, fenced, &err));
	give(take(client, "second"));
	expect(OK, dblock_tx_rollback(tx, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(OK, dblock_tx_try(tx, client, "second", NULL, &lock, &err));
	tx_exec(owner, "ROLLBACK");
	dblock_close(client, NULL);
	dblock_tx_close(tx);
	dblock_tx_close(owner);
	is_free(b, "first");
	is_free(b, "second");
}

/* A lock is not valid either if the caller's own statement ended its transaction, on the client's
 * connection, and nobody told dblock. */
static void an_end_that_close_finds_is_not_known(void **state)
{
	struct dblock_lock *lock = take(a, "closed");
	struct dblock_tx *tx = tx_begin(a);

	(void)state;
	release_in(tx, lock);
	tx_exec(tx, "COMMIT");
	dblock_tx_close(tx);
	assert_false(dblock_valid(lock, 0));
	is_free(b, "closed");
	give(lock);
}

struct release {
	struct dblock_lock *lock;
	_Atomic int rc;
};

static void *release(void *arg)
{
	struct release *r = arg;

	r->rc = dblock_release(r->lock, NULL);
	return NULL;
}

/* Another thread ends the lock, and can only ask the database, which gives no answer. Naive: a lock
 * that is still to be acquired is taken out of a list in which it is not. */
static void a_release_meanwhile_that_cannot_be_judged(void **state)
{
	(void)state;
	for (int coming = 0; coming < 2; coming++) {
		struct dblock_client *client = fault_client(0, SLOWLY_MS(400));
		struct dblock_tx *tx = tx_open(client);
		struct dblock_error err = {0};
		struct release r = {.lock = coming ? NULL : take(client, "unjudged")};
		struct crew crew = {.n = 0};

		expect(OK, dblock_tx_begin(tx, NULL, &err));
		if (coming)
			expect(OK, dblock_tx_try(tx, client, "unjudged", NULL, &r.lock, &err));
		else
			release_in(tx, r.lock);
		fault_set("fence_idle", FAULT_LOSE_REQUEST, 1000);
		crew_add(&crew, release, &r);
		crew_join(&crew);
		assert_true(fault_seen() > 0);
		fault_set("", FAULT_NONE, 0);
		assert_int_not_equal(r.rc, DBLOCK_OK);
		assert_int_not_equal(r.rc, DBLOCK_FENCED);
		end(tx, coming);
		is_free_soon(b, "unjudged");
		dblock_close(client, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_elsewhere),
		cmocka_unit_test(another_ones_end_is_not_taken_for_its_own),
		cmocka_unit_test(settings_are_left_as_found),
		cmocka_unit_test(a_name_is_the_same_in_each_encoding),
		cmocka_unit_test(a_client_may_go_first),
		cmocka_unit_test(an_end_that_close_finds_is_not_known),
		cmocka_unit_test(a_release_meanwhile_that_cannot_be_judged),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
