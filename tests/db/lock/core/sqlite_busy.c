/* SPDX-License-Identifier: MIT */
/* While another transaction has the file, nobody can write: what a try, a wait and the caller's
 * transaction say then, and for how long they wait. */
#include <sqlite3.h>

#include <dblock/fence.h>
#include <dblock/group.h>

#include "support/fault.h"
#include "support/kit.h"
#include "support/tx.h"

enum { TIMEOUT_MS = 1500, MANY = 64 };

static sqlite3 *theirs;

static int set_up(void **state)
{
	(void)state;
	assert_int_equal(sqlite3_open(strstr(test_url(), "//") + 2, &theirs), SQLITE_OK);
	sqlite3_busy_timeout(theirs, PLENTY_MS);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	sqlite3_close(theirs);
	return 0;
}

static void run_theirs(const char *sql)
{
	if (sqlite3_exec(theirs, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(theirs));
}

static struct dblock_client *impatient(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.timeout_ms = TIMEOUT_MS;
	options.auto_migrate = 1;
	return client_with(&options);
}

static void to_all(int (*check)(struct dblock_client *, enum dblock_mode), struct dblock_client *c)
{
	static const enum dblock_mode modes[] = {DBLOCK_EXCLUSIVE, DBLOCK_SHARED, DBLOCK_UPDATE,
						 DBLOCK_PERMITS};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		check(c, modes[i]);
}

static int try_in(struct dblock_client *client, enum dblock_mode mode, struct dblock_lock **lock,
		  struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;

	options.mode = mode;
	options.capacity = mode == DBLOCK_PERMITS ? 3 : 0;
	return dblock_try(client, "x", &options, lock, err);
}

/* A try in each mode waits for the file as long as timeout_ms lets it, and then says what it waited
 * for. */
static int is_told_of_the_file(struct dblock_client *client, enum dblock_mode mode)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t begun = clock_ms();

	expect(BUSY, try_in(client, mode, &lock, &err));
	message_has("'x'");
	message_has("database file");
	assert_null(strstr(err.message, "somebody else"));
	assert_null(strstr(err.message, "LOCK TABLE"));
	assert_true(clock_ms() - begun >= TIMEOUT_MS * 8 / 10);
	return 0;
}

static void a_try_says_that_the_file_is_taken(void **state)
{
	struct dblock_client *client = impatient();

	(void)state;
	run_theirs("BEGIN IMMEDIATE");
	to_all(is_told_of_the_file, client);
	run_theirs("COMMIT");
	dblock_close(client, NULL);
}

static void *let_go_later(void *arg)
{
	(void)arg;
	sleep_ms(600);
	run_theirs("COMMIT");
	return NULL;
}

static int is_had_then(struct dblock_client *client, enum dblock_mode mode)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct crew crew = {.n = 0};

	run_theirs("BEGIN IMMEDIATE");
	crew_add(&crew, let_go_later, NULL);
	expect(OK, try_in(client, mode, &lock, &err));
	crew_join(&crew);
	give(lock);
	return 0;
}

/* The lock is free, so a try gets it as soon as the file is free. */
static void a_try_waits_for_the_file(void **state)
{
	struct dblock_client *client = client_new(0);

	(void)state;
	to_all(is_had_then, client);
	dblock_close(client, NULL);
}

static void want_many(char names[MANY][16], struct dblock_lock_spec wants[MANY])
{
	for (int i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "many-%d", i);
		wants[i].name = names[i];
	}
}

static void so_does_a_try_of_many(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct crew crew = {.n = 0};
	struct dblock_lock_spec wants[MANY] = {0};
	char names[MANY][16];

	(void)state;
	want_many(names, wants);
	run_theirs("BEGIN IMMEDIATE");
	crew_add(&crew, let_go_later, NULL);
	expect(OK, dblock_try_all(client, wants, MANY, NULL, &lock, &err));
	crew_join(&crew);
	give(lock);
	dblock_close(client, NULL);
}

/* Each of the 64 takes some time: more than 100 ms, all together. */
static void a_slow_machine_is_waited_for(void **state)
{
	struct dblock_client *client = fault_client(0, 0);
	struct dblock_error err = {0};
	struct dblock_lock_spec wants[MANY] = {0};
	char names[MANY][16];
	struct dblock_lock *lock;

	(void)state;
	want_many(names, wants);
	fault_state.slow_ms = 10;
	fault_set("acquire", FAULT_SLOW, MANY);
	expect(OK, dblock_try_all(client, wants, MANY, NULL, &lock, &err));
	assert_int_equal(fault_seen(), MANY);
	give(lock);
	dblock_close(client, NULL);
}

/* A wait whose time is over also says that the file is taken. */
static void a_wait_says_that_the_file_is_taken(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	run_theirs("BEGIN IMMEDIATE");
	options.wait_ms = 300;
	expect(TIMEOUT, dblock_acquire(client, "x", &options, &lock, &err));
	message_has("database file");
	options.mode = DBLOCK_SHARED;
	expect(TIMEOUT, dblock_acquire(client, "x", &options, &lock, &err));
	message_has("database file");
	run_theirs("COMMIT");
	dblock_close(client, NULL);
}

/* The session has ended because the caller's transaction has the file: a wait for a new one would
 * be a wait for the caller. */
static void an_acquire_in_a_transaction_does_not_wait_for_itself(void **state)
{
	struct dblock_client *client = client_new(600);
	struct dblock_error err = {0};
	struct dblock_lock *held = take(client, "held"), *lock;
	struct dblock_tx *tx = tx_open(client);
	int64_t begun;

	(void)state;
	tx_exec(tx, "BEGIN IMMEDIATE");
	while (dblock_valid(held, 0))
		sleep_ms(10);
	begun = clock_ms();
	expect(E_UNAVAILABLE, dblock_tx_acquire(tx, client, "x", NULL, &lock, &err));
	message_has("this transaction has the file");
	expect(E_UNAVAILABLE, dblock_tx_try(tx, client, "x", NULL, &lock, &err));
	assert_true(clock_ms() - begun < PLENTY_MS / 2);
	tx_exec(tx, "ROLLBACK");
	dblock_tx_close(tx);
	(void)dblock_release(held, NULL);
	give(take(client, "x"));
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_try_says_that_the_file_is_taken, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_try_waits_for_the_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(so_does_a_try_of_many, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_slow_machine_is_waited_for, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_wait_says_that_the_file_is_taken, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			an_acquire_in_a_transaction_does_not_wait_for_itself, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
