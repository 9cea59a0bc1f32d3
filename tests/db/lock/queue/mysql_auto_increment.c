/* SPDX-License-Identifier: MIT */
/*
 * The queue's tickets are an AUTO_INCREMENT, for which InnoDB has one lock for the whole table; an
 * INSERT .. SELECT keeps that lock until it is done (innodb_autoinc_lock_mode 0 and 1). Joining a
 * queue does not take it; and a call that meets somebody else who has it waits.
 */
#include "driver/value.h"
#include "sql/dialect.h"
#include "support/raw.h"

static void until_in_queue(struct raw *raw, const char *name)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (raw_int(raw, "SELECT COUNT(*) FROM dblock_queue WHERE name = '%s'", name) == 0) {
		assert_true(clock_ms() < until);
		sleep_ms(5);
	}
}

static void until_it_waits(struct raw *raw)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (raw_int(raw, "SELECT COUNT(*) FROM information_schema.innodb_trx"
			    " WHERE trx_state = 'LOCK WAIT'") == 0) {
		assert_true(clock_ms() < until);
		sleep_ms(150); /* the server refreshes that table no more often */
	}
}

struct waiter {
	struct dblock_client *client;
	const char *name;
	int rc;
	struct dblock_error err;
};

static void *waits(void *arg)
{
	struct waiter *w = arg;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock;

	how.wait_ms = PLENTY_MS;
	w->rc = dblock_acquire(w->client, w->name, &how, &lock, &w->err);
	if (w->rc == 0)
		w->rc = dblock_release(lock, &w->err);
	return NULL;
}

/* Runs our own statement, for the name "m", on a connection that waits for long. */
static void *joins_by_hand(void *unused)
{
	const struct dbl_env *env = dbl_env_system();
	const struct dbl_dialect *dialect;
	struct dbl_value args[] = {dbl_text("m"), dbl_int(1), dbl_text("nobody"), dbl_int(1),
				   dbl_null(),    dbl_null(), dbl_null(),         dbl_text(""),
				   dbl_int(0),    dbl_int(1), dbl_null(),         dbl_null(),
				   dbl_int(1),    dbl_int(0), dbl_int(0),         dbl_int(0)};
	struct dblock_error err = {0};
	struct dbl_conn *conn;
	struct dbl_stmt *stmt;
	struct dbl_url parsed;
	int64_t changed, by = dbl_now(env) + dbl_ms(PLENTY_MS);

	(void)unused;
	if (dbl_dialect_find("mysql", &dialect, &err) || dbl_url_parse(&parsed, test_url(), &err) ||
	    dialect->driver->open(&conn, &parsed, env, by, &err))
		return NULL;
	if (dialect->driver->exec(conn, "SET SESSION innodb_lock_wait_timeout = 60", &err) ||
	    dialect->driver->exec(conn, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
				  &err) ||
	    dialect->driver->prepare(conn, dialect->sql[DBL_OP_enqueue], &stmt, &err) ||
	    dialect->driver->run(stmt, args, sizeof(args) / sizeof(args[0]), &changed, &err))
		print_message("%s\n", err.message);
	dialect->driver->close(conn);
	dbl_url_free(&parsed);
	return NULL;
}

/* One call that joins cannot go on, since a stranger has the gap that its row belongs to; all
 * others can. */
static void who_joins_keeps_nobody(void **state)
{
	struct dblock_client *client = client_new(0);
	struct raw *raw = raw_open(NULL), *stranger = raw_open(NULL);
	struct dblock_lock *lock = take(client, "a");
	struct dblock_client *other = client_new(0);
	struct waiter waiter = {.client = other, .name = "a"};
	struct crew crew = {.n = 0};

	(void)state;
	for (const char *name = "bz"; *name; name++)
		raw_exec(raw,
			 "INSERT INTO dblock_queue (name, nonce, session, thread, bell, since)"
			 " VALUES ('%c', 7, 'nobody', 1, '', 0)",
			 *name);
	raw_exec(stranger, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
	raw_exec(stranger, "BEGIN");
	assert_int_equal(
		raw_int(stranger, "SELECT COUNT(*) FROM dblock_queue WHERE name = 'm' FOR UPDATE"),
		0);
	crew_add(&crew, joins_by_hand, NULL);
	until_it_waits(raw);
	crew_add(&crew, waits, &waiter);
	until_in_queue(raw, "a");
	raw_exec(stranger, "ROLLBACK");
	give(lock);
	crew_join(&crew);
	assert_int_equal(waiter.rc, 0);
	raw_exec(raw, "DELETE FROM dblock_queue WHERE session = 'nobody'");
	raw_close(stranger);
	raw_close(raw);
	dblock_close(other, NULL);
	dblock_close(client, NULL);
}

static void *inserts_for_long(void *raw)
{
	raw_try_exec(raw, "INSERT INTO dblock_queue (name, nonce, session, thread, bell, since)"
			  " SELECT 'slow', 7, 'nobody', 1, '', SLEEP(2)"
			  "   FROM (SELECT 1 UNION SELECT 2) two");
	return NULL;
}

/* The stranger has that lock for twice as long as a statement waits for it. */
static void who_meets_it_waits(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct raw *raw = raw_open(NULL), *stranger = raw_open(NULL);
	struct dblock_lock *lock = take(client, "x");
	struct waiter waiter = {.client = other, .name = "x"};
	struct crew crew = {.n = 0};

	(void)state;
	if (raw_int(raw, "SELECT @@innodb_autoinc_lock_mode") == 2)
		print_message("this server has no such lock\n");
	crew_add(&crew, inserts_for_long, stranger);
	sleep_ms(2200); /* it has its first number, and goes on */
	crew_add(&crew, waits, &waiter);
	until_in_queue(raw, "x");
	give(lock);
	crew_join(&crew);
	if (waiter.rc)
		print_error("%s\n", waiter.err.message);
	assert_int_equal(waiter.rc, 0);
	raw_exec(raw, "DELETE FROM dblock_queue WHERE session = 'nobody'");
	raw_close(stranger);
	raw_close(raw);
	dblock_close(other, NULL);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_joins_keeps_nobody),
		cmocka_unit_test(who_meets_it_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
