/* SPDX-License-Identifier: MIT */
/*
 * A purge, and statements that are under way on the server meanwhile.
 *
 * An acquire of an unknown name stands still on the server after it has read the floor, while the
 * name is granted, released and purged. When it goes on it must not be given a token from before
 * all that. Naive: a purge that does not care which statements are under way.
 */
#include "support/call.h"
#include "support/puppet.h"
#include "support/raw.h"
#include "support/spy.h"

/* SQL that makes puppets, and nobody else, wait in the middle of an INSERT. */
struct stall {
	const char *make[2], *hold, *let_go, *waiting, *drop;
};

static const struct stall stalls[] = {
	{{"CREATE FUNCTION public.stall() RETURNS trigger LANGUAGE plpgsql"
	  " SET lock_timeout = 0 AS 'BEGIN"
	  " PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'",
	  "CREATE TRIGGER stall BEFORE INSERT ON dblock_lock FOR EACH ROW"
	  " WHEN (NEW.host = 'puppet') EXECUTE FUNCTION public.stall()"},
	 "SELECT count(*) FROM pg_advisory_lock(1)",
	 "SELECT pg_advisory_unlock(1)::integer",
	 "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
	 "DROP TRIGGER stall ON dblock_lock"},
	{{"CREATE TRIGGER stall BEFORE INSERT ON dblock_lock FOR EACH ROW"
	  " IF NEW.host = 'puppet' THEN"
	  " SET @got = GET_LOCK('stall', 600); SET @got = RELEASE_LOCK('stall'); END IF"},
	 "SELECT GET_LOCK('stall', 0)",
	 "SELECT RELEASE_LOCK('stall')",
	 "SELECT count(*) FROM information_schema.processlist WHERE state = 'User lock'",
	 "DROP TRIGGER stall"},
};

/* The outcome does not count: with a trigger on the table MariaDB forgets LAST_INSERT_ID(). */
static int puppet_wants_x(void *puppet, struct dblock_error *err)
{
	(void)err;
	(void)puppet_takes(puppet, "x");
	return DBLOCK_OK;
}

/* Leaves the row as a grant does that was given back. */
static void somebody_takes_x_and_gives_it_back(struct raw *raw)
{
	raw_exec(raw, "INSERT INTO dblock_lock"
		      " (name, token, nonce, host, pid, thread, reentry, acquired, released)"
		      " SELECT 'x', {now}, 0, 'somebody', 1, 1, 0, {now}, {now}");
}

static int64_t token_of_x(struct raw *raw)
{
	return raw_int(raw, "SELECT token FROM dblock_lock WHERE name = 'x'");
}

static void make(const struct stall *stall, struct raw *raw)
{
	for (int i = 0; i < 2 && stall->make[i]; i++)
		raw_exec(raw, "%s", stall->make[i]);
}

static int64_t purge(struct dblock_client *client)
{
	struct dblock_reap_options options = DBLOCK_REAP_OPTIONS_INIT;
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};

	options.purge_after_ms = -1;
	expect(OK, dblock_reap(client, &options, &reaped, &err));
	return reaped.names_purged;
}

static void wait_until_it_stands(const struct stall *stall, struct raw *raw)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (raw_int(raw, "%s", stall->waiting) == 0 && clock_ms() < until)
		sleep_ms(5);
	assert_int_equal(raw_int(raw, "%s", stall->waiting), 1);
}

static void an_old_floor_gives_no_old_token(void **state)
{
	const struct stall *stall = &stalls[on_backend("mysql")];
	struct dblock_client *client = client_new(0);
	struct puppet *puppet = puppet_new(NULL, 60000);
	struct raw *raw = raw_open(NULL);
	struct call call;
	int64_t token;

	(void)state;
	make(stall, raw);
	assert_int_equal(raw_int(raw, "%s", stall->hold), 1);
	call_start(&call, puppet_wants_x, puppet);
	wait_until_it_stands(stall, raw);

	somebody_takes_x_and_gives_it_back(raw);
	token = token_of_x(raw);
	purge(client);
	assert_int_equal(raw_int(raw, "%s", stall->let_go), 1);
	assert_int_equal(call_end(&call), DBLOCK_OK);
	assert_true(token_of_x(raw) > token);

	puppet_free(puppet);
	raw_exec(raw, "%s", stall->drop);
	raw_exec(raw, "UPDATE dblock_lock SET session = NULL, nonce = 0");
	assert_int_equal(purge(client), 1); /* nothing else is under way */
	raw_close(raw);
	dblock_close(client, NULL);
}

static void reconnect(struct puppet *puppet)
{
	struct dblock_error err = {0};

	dbl_db_close(puppet->db);
	expect(OK, dbl_db_open(&puppet->db, &puppet->target,
			       dbl_now(puppet->target.env) + dbl_ms(PLENTY_MS), &err));
}

/* Naive: the server waits for a transaction as long as its connection exists, and MySQL sets no
 * bound. */
static void a_purge_that_stands_still_keeps_nobody(void **state)
{
	struct dblock_client *client = client_new(0);
	struct puppet *puppet = puppet_new(NULL, 60000);
	int64_t deadline = dbl_now(puppet->target.env) + dbl_ms(PLENTY_MS);
	struct dblock_error err = {0};
	int rc;

	(void)state;
	expect(OK, dbl_db_begin(puppet->db, deadline, &err));
	expect(OK, dbl_db_script(puppet->db, DBL_OP_purge_lock, deadline, &err));
	is_free_soon(client, "new");
	rc = dbl_db_end(puppet->db, 0, deadline, &err);
	assert_true(rc < 0 || !on_backend("postgresql")); /* PostgreSQL has ended it */
	if (rc < 0)
		reconnect(puppet);
	puppet_free(puppet);
	dblock_close(client, NULL);
}

static struct dblock_client *other;
static int stops;

/* The purge stands still before each of its statements; somebody takes a new name meanwhile. */
static enum spy_fate somebody_is_new(struct spy *spy, enum dbl_op op)
{
	char name[16];

	(void)spy;
	if (op == DBL_OP_purge_floor || op == DBL_OP_purge_delete) {
		snprintf(name, sizeof(name), "new %d", ++stops);
		is_free(other, name);
	}
	return SPY_PASS;
}

static void between_two_statements_nothing_is_locked(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client;

	(void)state;
	other = client_new(0);
	client = spy_client(spy, 0);
	is_free(other, "x");
	sleep_ms(5);
	spy->fate = somebody_is_new;
	assert_true(purge(client) >= 1);
	spy->fate = NULL;
	assert_true(stops >= 2);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_old_floor_gives_no_old_token),
		cmocka_unit_test(a_purge_that_stands_still_keeps_nobody),
		cmocka_unit_test(between_two_statements_nothing_is_locked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
