/* SPDX-License-Identifier: MIT */
/* A grant is taken away, and the breaker, the holder, or the network between them and the database
 * fails. */
#include "support/breaking.h"
#include "support/call.h"
#include "support/raw.h"
#include "support/waiting.h"

#define TTL_MS 4000

static struct dblock_client *client_of(int64_t ttl_ms, unsigned wake_off)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	TUNE(options, .wake_off = wake_off);
	return client_with(&options);
}

static struct dblock_lock *take_in(struct dblock_client *client, enum dblock_mode mode,
				   int64_t lease_ms)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.mode = mode;
	how.lease_ms = lease_ms;
	expect(OK, dblock_try(client, "x", &how, &lock, &err));
	return lock;
}

static int break_it(void *client, struct dblock_error *err)
{
	return dblock_break(client, "x", NULL, err);
}

static int acquire(void *client, struct dblock_error *err)
{
	struct dblock_lock *lock;
	int rc = dblock_acquire(client, "x", NULL, &lock, err);

	return rc ? rc : dblock_release(lock, err);
}

/* ---- who takes it away is gone --------------------------------------------------------------- */

/* Naive: nobody goes on with the break, and a waiter waits as long as the holder lives. */
static void who_waits_finishes_it(enum dblock_mode mode)
{
	struct dblock_client *a = client_of(TTL_MS, 0), *b = client_new(0), *c = client_new(0);
	struct dblock_lock *lock = take_in(a, mode, 0);
	struct dblock_error err = {0};
	struct call waits;
	int64_t begun;

	begin_break(b, "x");
	dblock_close(b, NULL);
	begun = clock_ms();
	call_start(&waits, acquire, c);
	wait_until(!dblock_valid(lock, 0));
	assert_int_equal(call_end(&waits), DBLOCK_OK);
	/* The waiter counts the ttl from when it saw the break, and not from an earlier time. */
	assert_true(clock_ms() - begun >= TTL_MS);
	expect(LOST, dblock_release(lock, &err));
	dblock_close(a, NULL);
	dblock_close(c, NULL);
}

static void who_waits_finishes_it_alone(void **state)
{
	(void)state;
	who_waits_finishes_it(DBLOCK_EXCLUSIVE);
}

static void who_waits_finishes_it_together(void **state)
{
	(void)state;
	who_waits_finishes_it(DBLOCK_SHARED);
}

static void the_reaper_finishes_it(void **state)
{
	struct dblock_client *a = client_of(TTL_MS, 0), *b = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock = take(a, "x");
	struct dblock_error err = {0};
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;

	(void)state;
	begin_break(b, "x");
	expect(OK, dblock_reap(b, NULL, &reaped, &err));
	assert_int_equal(reaped.locks_freed, 1);
	is_free(b, "x");
	expect(LOST, dblock_release(lock, &err));
	wait_until(raw_int(raw, "SELECT count(*) FROM dblock_revocation") == 0);
	/* The row is for a session that is gone, so nobody can be told of it. */
	raw_exec(raw, "INSERT INTO dblock_revocation (session, name, token, nonce, cause, by_host, "
		      "by_pid, by_app, since) VALUES ('gone', 'x', 1, 1, 3, '', 0, '', 0)");
	expect(OK, dblock_reap(b, NULL, &reaped, &err));
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_revocation"), 0);
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* ---- who has it ------------------------------------------------------------------------------ */

/* A holder of that version would never look: nobody may be let in because it was told. */
static void an_old_version_cannot_be_told(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock = take(a, "x");
	struct dblock_error err = {0};

	(void)state;
	raw_exec(raw, "UPDATE dblock_session SET protocol = 0 "
		      "WHERE id = (SELECT session FROM dblock_lock WHERE name = 'x')");
	expect(BUSY, dblock_break(b, "x", NULL, &err));
	message_has("is of an older version and cannot be told");
	assert_int_equal(raw_int(raw, "SELECT count(*) FROM dblock_revocation"), 0);
	assert_true(dblock_valid(lock, 0));
	expect(OK, break_by_force(b, "x", 0, 0, &err));
	is_free(b, "x");
	expect(LOST, dblock_release(lock, &err));
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* `dblock acquire` leaves such a lease: no client has it. Naive: the break waits for a ttl. */
static void a_lease_that_nobody_has_is_freed_at_once(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_break_options how = DBLOCK_BREAK_OPTIONS_INIT;
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	int64_t token;

	(void)state;
	take_in(a, DBLOCK_EXCLUSIVE, 600000);
	dblock_close(a, NULL);
	/* Another client of this process could hold the lease, so the row gets another pid. */
	raw_exec(raw, "UPDATE dblock_lock SET pid = 1 WHERE name = 'x'");
	how.wait_ms = SLOWLY_MS(1000);
	expect(OK, dblock_break(b, "x", &how, &err));
	token = is_free(b, "x");
	assert_true(token > 0);
	raw_close(raw);
	dblock_close(b, NULL);
}

static void a_lease_of_a_living_client_is_told(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = take_in(a, DBLOCK_EXCLUSIVE, 600000);
	struct dblock_error err = {0};
	struct call breaks;

	(void)state;
	call_start(&breaks, break_it, b);
	wait_until(!dblock_valid(lock, 0));
	assert_false(breaks.done);
	expect(LOST, dblock_extend(lock, 600000, &err));
	message_has("it was broken by host ");
	expect(LOST, dblock_release(lock, &err));
	assert_int_equal(call_end(&breaks), DBLOCK_OK);
	is_free(b, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static _Atomic int64_t released_token;

static int release_it(void *client, struct dblock_error *err)
{
	return dblock_release_token(client, "x", released_token, err);
}

/* A release by its token, from another client, does the same as a break. */
static void a_release_by_token_tells_too(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x");
	struct dblock_loss loss = DBLOCK_LOSS_INIT;
	struct dblock_error err = {0};
	struct call releases;

	(void)state;
	released_token = dblock_token(lock);
	call_start(&releases, release_it, b);
	wait_until(!dblock_valid(lock, 0));
	expect(LOST, dblock_release(lock, &err));
	assert_int_equal(call_end(&releases), DBLOCK_OK);
	lock = take(a, "x");
	/* The client's own grant is ended at once, and LOST. */
	expect(OK, dblock_release_token(a, "x", dblock_token(lock), &err));
	assert_int_equal(dblock_loss_of(lock, &loss), DBLOCK_LOST);
	assert_int_equal(loss.cause, DBLOCK_LOSS_RELEASED);
	assert_non_null(strstr(loss.text, "it was released by its token, by host "));
	expect(LOST, dblock_release(lock, &err));
	is_free(b, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* The lock's row still says that the grant is ours. Naive: only that row is read. */
static void what_was_taken_away_fences_nothing(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x");
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	(void)state;
	begin_break(b, "x");
	wait_until(!dblock_valid(lock, 0));
	expect(OK, dblock_tx_open(a, &tx, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(STALE, dblock_fence(tx, lock, &err));
	message_has("it was broken by host ");
	dblock_tx_close(tx);
	expect(LOST, dblock_release(lock, &err));
	is_free(b, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

/* ---- our own --------------------------------------------------------------------------------- */

struct own {
	struct dblock_client *client;
	_Atomic int rc;
	_Atomic bool done;
};

/* The break runs on the thread that would tell us. Naive: it waits until the ttl is over. */
static void break_the_other(void *arg, struct dblock_lock *lock)
{
	struct own *own = arg;

	(void)lock;
	own->rc = dblock_break(own->client, "y", NULL, NULL);
	own->done = true;
}

static void from_a_callback(void **state)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *a = client_of(PLENTY_MS, 0);
	struct own own = {.client = a};
	struct dblock_lock *x, *y = take(a, "y");
	struct dblock_error err = {0};
	int64_t begun = clock_ms();

	(void)state;
	how.lost = break_the_other;
	how.lost_arg = &own;
	expect(OK, dblock_try(a, "x", &how, &x, &err));
	expect(OK, dblock_break(a, "x", NULL, &err));
	assert_false(dblock_valid(x, 0));
	wait_until(own.done);
	assert_int_equal(own.rc, DBLOCK_OK);
	assert_true(clock_ms() - begun < PLENTY_MS);
	assert_false(dblock_valid(y, 0));
	expect(LOST, dblock_release(x, &err));
	expect(LOST, dblock_release(y, &err));
	is_free(a, "y");
	dblock_close(a, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_finishes_it_alone),
		cmocka_unit_test(who_waits_finishes_it_together),
		cmocka_unit_test(the_reaper_finishes_it),
		cmocka_unit_test(an_old_version_cannot_be_told),
		cmocka_unit_test(a_lease_that_nobody_has_is_freed_at_once),
		cmocka_unit_test(a_lease_of_a_living_client_is_told),
		cmocka_unit_test(a_release_by_token_tells_too),
		cmocka_unit_test(what_was_taken_away_fences_nothing),
		cmocka_unit_test(from_a_callback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
