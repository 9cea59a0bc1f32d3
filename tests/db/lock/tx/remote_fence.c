/* SPDX-License-Identifier: MIT */
/* Fences on a server: which transactions have to wait for each other, and what a fence leaves for
 * triggers. */
#include "db/lock/tx/in_tx_kit.h"

/* The fence cannot have the row, and has little time to notice. */
static void has_to_wait(struct dblock_lock *lock, const struct dblock_fence_options *to_release)
{
	struct dblock_tx_from_options options = DBLOCK_TX_FROM_OPTIONS_INIT;
	struct dblock_tx *owner = tx_begin(a), *tx;
	struct dblock_error err = {0};
	int rc;

	options.timeout_ms = SLOWLY_MS(400);
	tx = tx_adopt_with(owner, &options);
	rc = dblock_fence_all(tx, &lock, 1, to_release, &err);
	if (rc != DBLOCK_E_BLOCKED && rc != DBLOCK_E_NO_ANSWER)
		fail_msg("%s", dblock_outcome_name(rc));
	dblock_tx_close(tx);
	dblock_tx_close(owner);
}

/* Naive: both have the row shared, then each waits for the other's end to release it. */
static void two_who_are_to_release_do_not_meet(void **state)
{
	struct dblock_fence_options to_release = DBLOCK_FENCE_OPTIONS_INIT;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};

	(void)state;
	to_release.to_release = 1;
	for (int shared = 0; shared < 2; shared++) {
		struct dblock_tx *one = tx_begin(a), *other = tx_begin(a);
		struct dblock_lock *lock;

		how.mode = shared ? DBLOCK_SHARED : DBLOCK_EXCLUSIVE;
		expect(OK, dblock_try(a, "meet", &how, &lock, &err));
		fence(one, lock);
		fence(other, lock);
		end(other, false);
		end(one, false);
		one = tx_begin(a);
		expect(OK, dblock_fence_all(one, &lock, 1, &to_release, &err));
		has_to_wait(lock, &to_release);
		release_in(one, lock);
		end(one, true);
		give(lock);
	}
}

/* Naive: the statement that waits for the row has as much time as the call, is late, and costs the
 * connection, and with it the caller's transaction. On MySQL each such wait takes a second. */
static void a_row_that_stays_locked_costs_no_transaction(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock, *none;
	struct dblock_tx *tx;
	struct dblock_error err = {0};

	(void)state;
	is_free(a, "other");
	options.timeout_ms = SLOWLY_MS(400);
	client = client_with(&options);
	lock = take(client, "stays");
	tx = tx_begin(client);
	tx_exec(tx, "UPDATE account SET money = 7 WHERE id = 1");
	raw_exec(raw, "BEGIN");
	raw_exec(raw, "UPDATE dblock_lock SET reentry = reentry WHERE name IN ('stays', 'other')");
	expect(E_BLOCKED, dblock_fence(tx, lock, &err));
	expect(E_BLOCKED, dblock_tx_release(tx, lock, &err));
	expect(BUSY, dblock_tx_try(tx, client, "other", NULL, &none, &err));
	raw_exec(raw, "ROLLBACK");
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	release_in(tx, lock);
	end(tx, true);
	give(lock);
	assert_int_equal(tx_money(a, 1), 7);
	raw_close(raw);
	dblock_close(client, NULL);
}

/* The triggers of `dblock migrate new --fence` read it in this form: a line for each fence of the
 * transaction. */
static void triggers_find_all_fences_of_the_transaction(void **state)
{
	const char *ask = on_backend("mysql") ? "SELECT @dblock_fence"
					      : "SELECT current_setting('dblock.fence', true)";
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *own = take(a, "own"), *row;
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	char first[120], second[120];
	struct dblock_tx *tx;

	(void)state;
	how.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(a, "row", &how, &row, &err));
	snprintf(first, sizeof(first), "own\t%lld\t%lld\t0\n", (long long)dblock_token(own),
		 (long long)raw_int(raw, "SELECT nonce FROM dblock_lock WHERE name = 'own'"));
	snprintf(second, sizeof(second), "row\t%lld\t%lld\t%lld\n", (long long)dblock_token(row),
		 (long long)raw_int(raw, "SELECT nonce FROM dblock_queue WHERE name = 'row'"),
		 (long long)raw_int(raw, "SELECT ticket FROM dblock_queue WHERE name = 'row'"));
	tx = tx_begin(a);
	fence(tx, own);
	assert_string_equal(tx_text(tx, ask), first);
	fence(tx, row);
	assert_non_null(strstr(tx_text(tx, ask), first));
	assert_non_null(strstr(tx_text(tx, ask), second));
	end(tx, true);
	/* They are locked in the order of their names, in whatever order they are given. */
	tx = tx_begin(a);
	expect(OK, dblock_fence_all(tx, (struct dblock_lock *const[]){row, own}, 2, NULL, &err));
	assert_true(strncmp(tx_text(tx, ask), first, strlen(first)) == 0);
	end(tx, true);
	give(row);
	give(own);
	raw_close(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_who_are_to_release_do_not_meet),
		cmocka_unit_test(a_row_that_stays_locked_costs_no_transaction),
		cmocka_unit_test(triggers_find_all_fences_of_the_transaction),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
