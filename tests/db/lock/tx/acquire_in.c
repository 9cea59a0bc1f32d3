/* SPDX-License-Identifier: MIT */
/* Locks that are acquired with the commit of a transaction, or last as long as it does. */
#include "db/lock/tx/in_tx_kit.h"
#include "support/puppet.h"

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
	expect(BUSY, dblock_tx_try(tx, a, "theirs", NULL, &lock, &err));
	message_has("pid");
	assert_null(lock);
	options.wait_ms = 60;
	expect(TIMEOUT, dblock_tx_acquire(tx, a, "theirs", &options, &lock, &err));
	expect(E_INVALID, dblock_tx_try(tx, a, "mine", NULL, &lock, &err));
	message_has("fence it");
	options.mode = DBLOCK_SHARED;
	expect(E_INVALID, dblock_tx_acquire(tx, a, "z", &options, &lock, &err));
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	end(tx, true);
	give(theirs);
	give(mine);
}

/* Waits in vain: from then on the name's row says that there is a queue. */
static void wait_in_vain(struct dblock_client *client, const char *name)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *none;

	options.wait_ms = 50;
	expect(TIMEOUT, dblock_acquire(client, name, &options, &none, &err));
}

static void the_dead_held(bool somebody_waited)
{
	struct grab grab = {.name = "dead", .ttl_ms = SLOWLY_MS(300)};
	struct child child;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_tx *tx;

	dblock_close(a, NULL);
	dblock_close(b, NULL);
	child = child_start(child_takes, &grab);
	open_both();
	if (somebody_waited)
		wait_in_vain(b, "dead");
	child_kill(&child);
	tx = tx_begin(a);
	options.wait_ms = PLENTY_MS;
	expect(OK, dblock_tx_acquire(tx, a, "dead", &options, &lock, &err));
	assert_true(dblock_token(lock) > child.said);
	end(tx, true);
	assert_true(dblock_valid(lock, 0));
	give(lock);
}

/* A dead holder's lock is taken as by any acquire, and the token grows. */
static void what_the_dead_held_can_be_acquired(void **state)
{
	(void)state;
	the_dead_held(false);
}

/* Naive, on SQLite: busy until somebody acquires it otherwise, as the queue cannot be advanced. */
static void what_the_dead_held_and_somebody_waited_for_can_be_acquired(void **state)
{
	(void)state;
	the_dead_held(true);
}

/* The last of a line has died: its row is there still, and the lock's says that others wait, as pass_on
 * leaves it. Naive, on SQLite: busy, as somebody seems to wait. */
static void what_the_last_of_a_line_held_can_be_acquired(void **state)
{
	struct dblock_lock *mine = take(a, "last"), *lock;
	struct puppet *last = puppet_new(NULL, PLENTY_MS);
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	(void)state;
	puppet_queues(last, "last");
	give(mine);
	raw_exec(raw, "UPDATE dblock_lock SET queued = true WHERE name = 'last'");
	raw_exec(raw, "UPDATE dblock_session SET dead = true WHERE id = '%s'", last->id);
	raw_close(raw);
	tx = tx_begin(a);
	expect(OK, dblock_tx_try(tx, a, "last", NULL, &lock, &err));
	end(tx, true);
	assert_true(dblock_valid(lock, 0));
	give(lock);
	puppet_free(last);
}

static void a_lease_counts_from_its_statement(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_tx *tx = tx_begin(a);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.lease_ms = 400;
	expect(OK, dblock_tx_try(tx, a, "lease", &options, &lock, &err));
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

/* Functions that do not know of each other acquire the locks. Naive: CONFLICT, and dblock_tx_run()
 * begins anew until its time is over. */
static void what_the_transaction_has_it_can_have_again(void **state)
{
	struct dblock_tx *tx = tx_begin(a);
	struct dblock_error err = {0};
	int64_t first, second;
	struct dblock_lock *lock;

	(void)state;
	expect(OK, dblock_tx_try_lock(tx, a, "again", &first, &err));
	expect(OK, dblock_tx_try_lock(tx, a, "again", &second, &err));
	assert_true(second >= first);
	lock = acquire_in(tx, "again");
	expect(FENCED, dblock_tx_try_lock(tx, a, "again", NULL, &err));
	fence(tx, lock);
	end(tx, true);
	assert_true(dblock_valid(lock, 0));
	assert_true(dblock_token(lock) > second);
	give(lock);
	is_free(b, "again");
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
	/* The transaction has the file: they could not release it */
	if (!on_backend("sqlite")) {
		give(theirs);
		expect(OK, dblock_tx_lock(tx, a, "tx2", &options, NULL, &err));
		end(tx, true);
	} else {
		end(tx, true);
		give(theirs);
	}
}

static void use_as_a_group(struct dblock_client *client)
{
	const struct dblock_lock_spec specs[] = {{.name = "used"}, {.name = "with"}};
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_acquire_all(client, specs, 2, NULL, &lock, &err));
	give(lock);
}

static struct dblock_lock *share(struct dblock_client *client)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(client, "used", &options, &lock, &err));
	return lock;
}

/* Naive, on SQLite: busy for ever, until somebody acquires it otherwise. */
static void what_had_a_queue_and_is_free_can_be_had(void **state)
{
	struct dblock_error err = {0};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct dblock_tx *tx;
		struct dblock_lock *lock = NULL;

		if (i % 2)
			use_as_a_group(b);
		else
			give(share(b));
		tx = tx_begin(a);
		if (i < 2)
			lock = acquire_in(tx, "used");
		else
			expect(OK, dblock_tx_try_lock(tx, a, "used", NULL, &err));
		end(tx, true);
		if (lock)
			give(lock);
		is_free(b, "used");
	}
}

static void what_is_shared_is_busy(void **state)
{
	struct dblock_lock *theirs = share(b);
	struct dblock_tx *tx = tx_begin(a);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	for (int i = 0; i < 2; i++) {
		expect(BUSY, dblock_tx_try(tx, a, "used", NULL, &lock, &err));
		message_has("'used'");
		expect(BUSY, dblock_tx_try_lock(tx, a, "used", NULL, &err));
	}
	end(tx, true);
	give(theirs);
	is_free(b, "used");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_held_from_the_commit_on),
		cmocka_unit_test(rolled_back_nothing_was_acquired),
		cmocka_unit_test(what_others_hold_is_busy),
		cmocka_unit_test(what_the_dead_held_can_be_acquired),
		cmocka_unit_test(what_the_dead_held_and_somebody_waited_for_can_be_acquired),
		cmocka_unit_test(what_the_last_of_a_line_held_can_be_acquired),
		cmocka_unit_test(a_lease_counts_from_its_statement),
		cmocka_unit_test(a_lock_of_the_transaction_ends_with_it),
		cmocka_unit_test(what_the_transaction_has_it_can_have_again),
		cmocka_unit_test(it_waits_for_a_holder_and_says_who),
		cmocka_unit_test(what_had_a_queue_and_is_free_can_be_had),
		cmocka_unit_test(what_is_shared_is_busy),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
