/* SPDX-License-Identifier: MIT */
/* dblock_fence() and the trigger of `dblock migrate new --fence` understand each other. */
#include "db/lock/tx/fence_table.h"
#include "support/tx.h"

static int write_in(struct dblock_tx *tx, struct dblock_error *err)
{
	int64_t changed = 0;
	int rc = dblock_tx_query(tx, "UPDATE fenced SET n = n + 1", NULL, 0, &changed, NULL, NULL,
				 err);

	if (rc == 0)
		assert_int_equal(changed, 1);
	return rc;
}

static void end(struct dblock_tx *tx, bool commit)
{
	struct dblock_error err = {0};

	expect(OK, commit ? dblock_tx_commit(tx, &err) : dblock_tx_rollback(tx, &err));
	dblock_tx_close(tx);
}

static struct dblock_lock *hold(struct dblock_client *client, enum dblock_mode mode)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.mode = mode;
	expect(OK, dblock_try(client, "account", &options, &lock, &err));
	return lock;
}

/* Each kind of grant passes, also behind another lock's fence, and if it was taken twice. */
static void a_fenced_write_passes(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *other = take(client, "other");
	struct dblock_error err = {0};

	(void)state;
	for (int shared = 0; shared < 2; shared++) {
		struct dblock_lock *lock = hold(client, shared ? DBLOCK_SHARED : DBLOCK_EXCLUSIVE);
		struct dblock_tx *tx = tx_begin(client);

		expect(OK, dblock_fence(tx, lock, &err));
		expect(OK, write_in(tx, &err));
		expect(OK, dblock_fence(tx, other, &err));
		expect(OK, write_in(tx, &err));
		end(tx, true);
		give(lock);
	}
	give(other);
	dblock_close(client, NULL);
}

static void a_write_without_one_is_stopped(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *other = take(client, "other"), *lock = take(client, "account");
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};

	(void)state;
	expect(OK, dblock_fence(tx, other, &err));
	expect(E_REFUSED, write_in(tx, &err));
	message_has("dblock_fence()");
	end(tx, false);
	/* A fence of an earlier transaction does not pass either, once its grant is over. */
	tx = tx_begin(client);
	expect(OK, dblock_fence(tx, lock, &err));
	expect(OK, dblock_tx_release(tx, lock, &err));
	expect(OK, dblock_tx_commit(tx, &err));
	give(lock);
	lock = take(client, "account");
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(E_REFUSED, write_in(tx, &err));
	end(tx, false);
	give(lock);
	give(other);
	dblock_close(client, NULL);
}

/* After the release the next statement is refused, even of the same transaction. */
static void after_the_release_nothing_more_is_written(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock = take(client, "account");
	struct dblock_tx *tx = tx_begin(client);
	struct dblock_error err = {0};

	(void)state;
	expect(OK, dblock_fence(tx, lock, &err));
	expect(OK, write_in(tx, &err));
	expect(OK, dblock_tx_release(tx, lock, &err));
	expect(E_REFUSED, write_in(tx, &err));
	end(tx, false);
	give(lock);
	dblock_close(client, NULL);
}

static int set_up(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_lock *lock;
	struct dblock_tx *tx;
	struct dblock_error err = {0};

	make_trigger(state);
	lock = take(client, "account");
	tx = tx_begin(client);
	expect(OK, dblock_fence(tx, lock, &err));
	tx_exec(tx, "INSERT INTO fenced VALUES (1, 0)");
	end(tx, true);
	give(lock);
	dblock_close(client, NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fenced_write_passes),
		cmocka_unit_test(a_write_without_one_is_stopped),
		cmocka_unit_test(after_the_release_nothing_more_is_written),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
