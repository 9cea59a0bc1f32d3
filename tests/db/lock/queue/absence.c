/* SPDX-License-Identifier: MIT */
/* Rows are deleted by hand: nobody concludes anything from a row that is missing. */
#include "support/puppet.h"
#include "support/raw.h"
#include "support/spy.h"

static void delete_session_of(struct raw *raw, const char *name)
{
	raw_exec(raw,
		 "DELETE FROM dblock_session WHERE id ="
		 " (SELECT session FROM dblock_lock WHERE name = '%s')",
		 name);
}

static void until_invalid(struct dblock_lock *lock)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (dblock_valid(lock, 0) && clock_ms() < until)
		sleep_ms(10);
	assert_false(dblock_valid(lock, 0));
}

/* The holder learns it at its next heartbeat, long before its own deadline; then the client goes on
 * with a new session. */
static void the_holder_learns_it_at_its_next_heartbeat(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client(spy, 600000), *other = client_new(0);
	struct dblock_lock *lock = take(client, "x");
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};

	(void)state;
	delete_session_of(raw, "x");
	assert_true(dblock_valid(lock, 0));
	busy(other, "x");
	spy->skew = 250000000; /* more than ttl/3; far less than ttl, even a minute later */
	until_invalid(lock);
	give(take(client, "y"));
	expect(LOST, dblock_release(lock, &err));
	message_has("'x'");
	raw_close(raw);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	spy_free(spy);
}

/* Naive: a session whose row is missing is dead. */
static void others_take_nothing(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct puppet *puppet = puppet_new(NULL, 500);
	struct raw *raw = raw_open(NULL);
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *none;

	(void)state;
	assert_true(puppet_takes(puppet, "x"));
	delete_session_of(raw, "x");
	expect(BUSY, dblock_try(client, "x", NULL, &none, &err));
	message_has("only a break");
	options.wait_ms = 1500;
	expect(TIMEOUT, dblock_acquire(client, "x", &options, &none, &err));
	message_has("only a break");
	expect(OK, dblock_reap(client, NULL, &reaped, &err));
	assert_int_equal(reaped.locks_freed, 0);
	assert_true(show(client, "x").h.session_missing);
	assert_false(show(client, "x").h.session_dead);

	expect(OK, break_by_force(client, "x", 0, 0, &err));
	assert_true(is_free(client, "x") > puppet->token);
	raw_close(raw);
	puppet_free(puppet);
	dblock_close(client, NULL);
}

/* A holder whose session's row is gone gets no new lock by that session. */
static void a_missing_session_takes_nothing(void **state)
{
	struct dblock_client *client = client_new(0);
	struct puppet *puppet = puppet_new(NULL, 60000);
	struct raw *raw = raw_open(NULL);

	(void)state;
	raw_exec(raw, "DELETE FROM dblock_session WHERE id = '%s'", puppet->id);
	is_free(client, "x");
	assert_false(puppet_takes(puppet, "x"));
	assert_false(puppet_takes(puppet, "new"));
	assert_false(puppet_beats(puppet));
	raw_close(raw);
	puppet_free(puppet);
	dblock_close(client, NULL);
}

/* The client's session row is deleted while it holds nothing: the caller notices nothing. */
static void a_client_gets_a_new_session(void **state)
{
	struct dblock_client *client = client_new(0);
	struct raw *raw = raw_open(NULL);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	is_free(client, "x");
	raw_exec(raw, "DELETE FROM dblock_session");
	is_free(client, "x");
	raw_exec(raw, "DELETE FROM dblock_session");
	expect(OK, dblock_acquire(client, "x", &options, &lock, &err));
	give(lock);
	raw_close(raw);
	dblock_close(client, NULL);
}

/* The lock's row is deleted under its holder: the holder notices; a new grant has a larger token.
 */
static void the_locks_row(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *x = take(a, "x"), *y, *next;
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	int64_t token = dblock_token(x);

	(void)state;
	options.lease_ms = 600000;
	expect(OK, dblock_try(a, "y", &options, &y, &err));
	raw_exec(raw, "DELETE FROM dblock_lock");
	expect(STALE, break_by_force(b, "x", 0, 0, &err));
	next = take(b, "x");
	assert_true(dblock_token(next) > token);
	expect(LOST, dblock_extend(y, 600000, &err));
	assert_false(dblock_valid(y, 0));
	expect(LOST, dblock_release(y, &err));
	expect(LOST, dblock_release(x, &err));
	busy(a, "x");
	give(next);
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_holder_learns_it_at_its_next_heartbeat),
		cmocka_unit_test(others_take_nothing),
		cmocka_unit_test(a_missing_session_takes_nothing),
		cmocka_unit_test(a_client_gets_a_new_session),
		cmocka_unit_test(the_locks_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
