/* SPDX-License-Identifier: MIT */
/* A fence proves, until the end of its transaction, that the lock is held. */
#include "db/lock/tx/in_tx_kit.h"

/* Declares the holder's session dead: from now on others may take what it holds. */
static void bury(const char *name)
{
	struct raw *raw = raw_open(NULL);

	raw_exec(raw,
		 "UPDATE dblock_session SET dead = %s WHERE id ="
		 " (SELECT session FROM dblock_lock WHERE name = '%s')",
		 on_backend("postgresql") ? "true" : "1", name);
	raw_close(raw);
}

/* Does the same to those who hold the lock by rows of the queue. */
static void declare_rows_dead(const char *name)
{
	struct raw *raw = raw_open(NULL);

	raw_exec(raw,
		 "UPDATE dblock_session SET dead = %s WHERE id IN"
		 " (SELECT session FROM dblock_queue WHERE name = '%s')",
		 on_backend("postgresql") ? "true" : "1", name);
	raw_close(raw);
}

/* Returns a client whose session may be declared dead: no other test uses it. */
static struct dblock_client *mortal(void)
{
	return client_new(0);
}

/* Naive: without the fence another client takes the lock over first, and the stale holder commits
 * after that. */
static void a_takeover_waits_for_the_commit(void **state)
{
	struct dblock_client *victim = mortal();
	struct dblock_lock *lock = take(victim, "x"), *next;
	struct dblock_tx *tx = tx_open(victim);
	struct dblock_error err = {0};

	(void)state;
	bury("x");
	/* The holder is dead, but nobody has taken the lock: its grant is still the newest. */
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	fence(tx, lock);
	tx_exec(tx, "UPDATE account SET money = money + 1 WHERE id = 1");
	busy(b, "x");
	tx_commit(tx);
	assert_int_equal(tx_money(a, 1), 101);
	next = take(b, "x");
	/* From then on the grant is stale. */
	tx = tx_begin(victim);
	expect(STALE, dblock_fence(tx, lock, &err));
	message_has("'x'");
	assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
	tx_rollback(tx);
	give(next);
	expect(LOST, dblock_release(lock, &err));
	dblock_close(victim, NULL);
}

/* The token alone, or the nonce alone, could be another grant's, for example after a failover that
 * lost rows. */
static void a_grant_is_its_token_and_its_nonce(void **state)
{
	static const char *const columns[] = {"token", "nonce"};
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct raw *raw = raw_open(NULL);

	(void)state;
	for (int i = 0; i < 4; i++) {
		const char *table = i < 2 ? "dblock_lock" : "dblock_queue",
			   *column = columns[i % 2];
		struct dblock_client *client = mortal();
		struct dblock_lock *lock;
		struct dblock_tx *tx;

		options.mode = i < 2 ? DBLOCK_EXCLUSIVE : DBLOCK_SHARED;
		expect(OK, dblock_try(client, "both", &options, &lock, &err));
		tx = tx_begin(client);
		fence(tx, lock);
		tx_rollback(tx);
		raw_exec(raw, "UPDATE %s SET %s = %s + 1 WHERE name = 'both'", table, column,
			 column);
		tx = tx_begin(client);
		expect(STALE, dblock_fence(tx, lock, &err));
		tx_rollback(tx);
		raw_exec(raw, "UPDATE %s SET %s = %s - 1 WHERE name = 'both'", table, column,
			 column);
		give(lock);
		dblock_close(client, NULL);
	}
	raw_close(raw);
}

static void shared_grants_have_fences_too(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *victim = mortal();
	struct dblock_error err = {0};
	struct dblock_lock *lock, *next;
	struct dblock_tx *tx;

	(void)state;
	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(victim, "s", &options, &lock, &err));
	declare_rows_dead("s");
	tx = tx_begin(victim);
	fence(tx, lock);
	busy(b, "s");
	tx_commit(tx);
	expect(OK, dblock_try(b, "s", NULL, &next, &err));
	tx = tx_begin(victim);
	expect(STALE, dblock_fence(tx, lock, &err));
	tx_rollback(tx);
	give(next);
	expect(LOST, dblock_release(lock, &err));
	dblock_close(victim, NULL);
}

static void a_handle_of_several_is_fenced_in_all(void **state)
{
	struct dblock_lock_spec wants[3] = {
		{.name = "g3"}, {.name = "g1"}, {.name = "g2", .mode = DBLOCK_SHARED}};
	struct dblock_client *victim = mortal();
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct dblock_tx *tx;

	(void)state;
	expect(OK, dblock_try_all(victim, wants, 3, NULL, &lock, &err));
	tx = tx_begin(victim);
	fence(tx, lock);
	expect(FENCED, dblock_release(lock, &err));
	for (int i = 0; i < 3; i++)
		busy(b, wants[i].name);
	tx_commit(tx);
	declare_rows_dead("g2");
	give(take(b, "g2"));
	tx = tx_begin(victim);
	expect(STALE, dblock_fence(tx, lock, &err));
	message_has("g2");
	tx_rollback(tx);
	dblock_close(victim, NULL);
}

/* Naive: they wait for their own row, until a time-out, or for ever. */
static void its_own_holder_is_told_not_hung(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock, *again;
	struct dblock_tx *tx;

	(void)state;
	options.lease_ms = PLENTY_MS;
	expect(OK, dblock_try(a, "own", &options, &lock, &err));
	tx = tx_begin(a);
	fence(tx, lock);
	fence(tx, lock); /* twice is once */
	expect(FENCED, dblock_release(lock, &err));
	message_has("dblock_tx_release");
	expect(FENCED, dblock_extend(lock, PLENTY_MS, &err));
	expect(FENCED, dblock_proclaim(lock, "me", &err));
	expect(FENCED, dblock_downgrade(lock, DBLOCK_SHARED, &err));
	assert_true(dblock_valid(lock, 0));
	/* A re-entry costs nothing, and its release neither. */
	expect(OK, dblock_acquire(a, "own", NULL, &again, &err));
	assert_ptr_equal(again, lock);
	give(again);
	tx_rollback(tx);
	expect(OK, dblock_extend(lock, PLENTY_MS, &err));
	give(lock);
}

/* The caller's own statement ended the transaction, and nobody told dblock. */
static void an_end_elsewhere_is_found_out(void **state)
{
	struct dblock_lock *lock = take(a, "elsewhere");
	struct dblock_tx *owner = tx_open(a), *tx = tx_adopt(owner);
	struct dblock_error err = {0};

	(void)state;
	tx_exec(owner, "BEGIN");
	fence(tx, lock);
	expect(FENCED, dblock_release(lock, &err));
	tx_exec(owner, "COMMIT");
	give(lock);
	dblock_tx_close(tx);
	dblock_tx_close(owner);
}

struct release {
	struct dblock_lock *lock;
	int rc;
	struct dblock_error err;
};

static void *release(void *arg)
{
	struct release *r = arg;

	r->rc = dblock_release(r->lock, &r->err);
	return NULL;
}

static void other_threads_are_told_too(void **state)
{
	struct release r = {.lock = take(a, "thread")};
	struct dblock_tx *tx = tx_begin(a);
	struct crew crew = {.n = 0};

	(void)state;
	fence(tx, r.lock);
	crew_add(&crew, release, &r);
	crew_join(&crew);
	assert_int_equal(r.rc, DBLOCK_FENCED);
	tx_commit(tx);
	crew_add(&crew, release, &r);
	crew_join(&crew);
	assert_int_equal(r.rc, DBLOCK_OK);
}

/* Naive: the heartbeat writes the lock's row, with its re-entry count. */
static void heartbeats_go_on_meanwhile(void **state)
{
	struct dblock_client *client = client_new(SLOWLY_MS(1500));
	struct dblock_error err = {0};
	struct dblock_lock *lock = take(client, "beat"), *again;
	struct dblock_tx *tx;
	int64_t until;

	(void)state;
	/* A file has one writer: while a transaction has written, no heartbeat can. */
	if (on_backend("sqlite")) {
		give(lock);
		dblock_close(client, NULL);
		return;
	}
	tx = tx_begin(client);
	fence(tx, lock);
	expect(OK, dblock_acquire(client, "beat", NULL, &again, &err));
	until = clock_ms() + SLOWLY_MS(3000);
	while (clock_ms() < until) {
		assert_true(dblock_valid(lock, 0));
		sleep_ms(50);
	}
	tx_commit(tx);
	give(again);
	give(lock);
	dblock_close(client, NULL);
}

/* Naive, on MySQL: a locking read by less than the whole key locks the gaps for new names. */
static void other_locks_are_not_touched(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_tx_options level = DBLOCK_TX_OPTIONS_INIT;
	const char *names[] = {"l", "n", "ma", "lz"};
	struct dblock_error err = {0};
	struct dblock_lock *own, *shared, *beside;
	struct dblock_tx *tx;

	(void)state;
	if (on_backend("sqlite")) /* all of the file is locked */
		return;
	options.mode = DBLOCK_SHARED;
	own = take(a, "m");
	expect(OK, dblock_try(a, "s2", &options, &shared, &err));
	tx = tx_open(a);
	level.isolation = DBLOCK_REPEATABLE_READ;
	expect(OK, dblock_tx_begin(tx, &level, &err));
	fence(tx, own);
	fence(tx, shared);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is_free(b, names[i]);
	expect(OK, dblock_try(b, "s3", &options, &beside, &err));
	give(beside);
	end(tx, true);
	give(own);
	give(shared);
}

/* Whoever takes the lock over, or breaks it, waits for his own time, and no longer. */
static void others_wait_a_bounded_time(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock = take(a, "bounded"), *next;
	struct dblock_tx *tx = tx_begin(a);
	struct dblock_error err = {0};

	(void)state;
	fence(tx, lock);
	options.wait_ms = 100;
	expect(TIMEOUT, dblock_acquire(b, "bounded", &options, &next, &err));
	expect(BUSY, break_by_force(b, "bounded", 0, 100, &err));
	/* On SQLite the transaction has the whole file: the holder could not be told. */
	message_has(on_backend("sqlite") ? "was not broken" : "is broken, but not free yet");
	if (on_backend("postgresql"))
		message_has("idle in transaction");
	end(tx, true);
	expect(OK, break_by_force(b, "bounded", 0, PLENTY_MS, &err));
	expect(LOST, dblock_release(lock, &err));
}

static void without_a_transaction_there_is_no_fence(void **state)
{
	struct dblock_tx_from_options options = DBLOCK_TX_FROM_OPTIONS_INIT;
	struct dblock_lock *lock = take(a, "none");
	struct dblock_tx *tx = tx_open(a), *other;
	struct dblock_error err = {0};

	(void)state;
	expect(E_INVALID, dblock_fence(tx, lock, &err));
	message_has("no transaction is open");
	expect(E_INVALID, dblock_fence(tx, NULL, &err));
	expect(E_INVALID, dblock_fence(NULL, lock, &err));
	expect(E_INVALID, dblock_fence_all(tx, NULL, 0, NULL, &err));
	options.prefix = "other_";
	other = tx_adopt_with(tx, &options);
	expect(OK, dblock_tx_begin(other, NULL, &err));
	expect(E_INVALID, dblock_fence(other, lock, &err));
	message_has("other_");
	dblock_tx_close(other);
	dblock_tx_close(tx);
	give(lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_takeover_waits_for_the_commit),
		cmocka_unit_test(a_grant_is_its_token_and_its_nonce),
		cmocka_unit_test(shared_grants_have_fences_too),
		cmocka_unit_test(a_handle_of_several_is_fenced_in_all),
		cmocka_unit_test(its_own_holder_is_told_not_hung),
		cmocka_unit_test(an_end_elsewhere_is_found_out),
		cmocka_unit_test(other_threads_are_told_too),
		cmocka_unit_test(heartbeats_go_on_meanwhile),
		cmocka_unit_test(other_locks_are_not_touched),
		cmocka_unit_test(others_wait_a_bounded_time),
		cmocka_unit_test(without_a_transaction_there_is_no_fence),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
