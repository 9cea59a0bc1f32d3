/* SPDX-License-Identifier: MIT */
/* Several locks taken in one request, and something goes wrong. */
#include <dblock/group.h>

#include "api/client.h"
#include "db/lock/round_trips_kit.h"
#include "lock/watch/own.h"
#include "lock/watch/reconcile.h"
#include "support/waiting.h"

enum { MANY = 5, TIMEOUT_MS = 2000 };

static const struct dblock_lock_spec of_all[] = {
	{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}, {.name = "e"}};

static int begin(void **state)
{
	int rc = set_up(state);
	struct scene *s = *state;

	for (int i = 0; i < MANY; i++)
		is_free(s->other, of_all[i].name);
	return rc;
}

static void forget(struct raw *raw, const char *name)
{
	raw_exec(raw, "UPDATE dblock_lock SET session = NULL, nonce = 0 WHERE name = '%s'", name);
}

/* Naive: MySQL says only how many of a batch were there to be released; so all were sent again, found
 * nothing, and the release was taken for done by the first copy. */
static void one_was_lost_before_its_release(void **state)
{
	struct scene *s = *state;
	struct raw *raw = raw_open(NULL);

	for (int taken = 0; taken < 2; taken++) {
		struct dblock_lock *theirs = NULL, *lock;

		assert_int_equal(dblock_acquire_all(s->client, of_all, 3, NULL, &lock, NULL),
				 DBLOCK_OK);
		forget(raw, "c");
		if (taken)
			theirs = take(s->other, "c");
		spy_reset(s->spy);
		assert_int_equal(dblock_release(lock, NULL), DBLOCK_LOST);
		if (!on_backend("sqlite"))
			assert_int_equal(s->spy->runs_of[DBL_OP_release], 0);
		is_free(s->other, "a");
		is_free(s->other, "b");
		if (theirs)
			give(theirs);
	}
	raw_close(raw);
}

/* Naive: those that the batch left out are asked for, though one of the others is not to be had; each may
 * wait for a row, and what was granted is held meanwhile. */
static void what_is_left_is_not_asked_for(void **state)
{
	static const struct dblock_lock_spec some[] = {
		{.name = "a"}, {.name = "c"}, {.name = "new"}};
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_lock *none, *held = take(s->other, "c");

	spy_reset(s->spy);
	expect(BUSY, dblock_try_all(s->client, some, 3, NULL, &none, &err));
	if (!on_backend("sqlite")) /* there a batch is a statement for each */
		assert_int_equal(s->spy->runs_of[DBL_OP_acquire], 0);
	is_free(s->other, "a");
	give(held);
}

static int answers_lost;
static pthread_t caller;

static enum spy_fate no_release_arrives(struct spy *spy, enum dbl_op op)
{
	int of_acquires = on_backend("mysql") ? 2 : 1; /* with its answer */
	bool gives_back =
		op == DBL_OP_release || (op == DBL_OP_batch && spy->runs_of[op] >= of_acquires);

	/* The session's thread gives back later what the call could not. */
	if (!gives_back || !pthread_equal(pthread_self(), caller))
		return SPY_PASS;
	answers_lost++;
	spy->skew += dbl_ms(TIMEOUT_MS);
	return SPY_LOST_BEFORE;
}

/* Naive: each of those that are given back has a timeout of its own. */
static void all_are_given_back_in_one_timeout(void **state)
{
	struct scene *s = *state;
	struct spy *spy = spy_new();
	struct dblock_client *client = spy_client_with(spy, 0, TIMEOUT_MS);
	struct dblock_lock *none, *held = take(s->other, "c");
	int64_t until = clock_ms() + PLENTY_MS;

	answers_lost = 0;
	caller = pthread_self();
	spy_reset(spy);
	spy->fate = no_release_arrives;
	assert_true(dblock_try_all(client, of_all, MANY, NULL, &none, NULL) != DBLOCK_OK);
	spy->fate = NULL;
	assert_int_equal(answers_lost, 1);
	give(held);
	/* Heartbeats give them back. */
	for (int i = 0; i < MANY; i++) {
		while (show(s->other, of_all[i].name).h.hold != DBLOCK_HOLD_FREE &&
		       clock_ms() < until) {
			dbl_session_hurry(client->locks->session);
			sleep_ms(5);
		}
		is_free(s->other, of_all[i].name);
	}
	dblock_close(client, NULL);
	spy_free(spy);
}

/* Naive: with what is forgotten the rest is given back, before the holder has let go of it. */
static void a_part_that_stands_is_held_until_its_release(void **state)
{
	static const struct dblock_lock_spec some[] = {{.name = "a"},
						       {.name = "b", .mode = DBLOCK_SHARED}};
	struct scene *s = *state;
	struct raw *raw = raw_open(NULL);
	struct dblock_lock *lock;
	int64_t passes;

	assert_int_equal(dblock_acquire_all(s->client, some, 2, NULL, &lock, NULL), DBLOCK_OK);
	raw_exec(raw, "DELETE FROM dblock_queue WHERE name = 'b'");
	dbl_reconcile_soon(s->client->locks);
	wait_until(!dblock_valid(lock, 0));
	passes = atomic_load(&s->client->locks->watchdog->passes);
	dbl_reconcile_soon(
		s->client->locks); /* what the first has to give back goes before that one */
	wait_until(atomic_load(&s->client->locks->watchdog->passes) > passes);
	busy(s->other, "a");
	assert_int_equal(dblock_release(lock, NULL), DBLOCK_LOST);
	is_free(s->other, "a");
	raw_close(raw);
}

/* Naive: each of the releases waits for the row of its lock, only to note that nobody waits for it. */
static void rows_that_are_locked_are_not_waited_for_each(void **state)
{
	static const struct dblock_lock_spec some[] = {
		{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d", .mode = DBLOCK_SHARED}};
	struct scene *s = *state;
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_acquire_all(s->client, some, 4, NULL, &lock, &err));
	raw_exec(raw, "BEGIN");
	raw_exec(raw, "UPDATE dblock_lock SET host = 'z' WHERE name IN ('a', 'b', 'c')");
	spy_reset(s->spy);
	expect(OK, dblock_release(lock, &err));
	assert_true(s->spy->runs_of[DBL_OP_hand_over] <= (on_backend("mysql") ? 2 : 1));
	raw_exec(raw, "ROLLBACK");
	raw_close(raw);
}

static void rows_of_servers(void **state)
{
	if (!on_backend("sqlite")) /* a file has no rows that are locked */
		rows_that_are_locked_are_not_waited_for_each(state);
}

#define OF_ALL(name) cmocka_unit_test_setup_teardown(name, begin, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		OF_ALL(one_was_lost_before_its_release),
		OF_ALL(what_is_left_is_not_asked_for),
		OF_ALL(all_are_given_back_in_one_timeout),
		OF_ALL(a_part_that_stands_is_held_until_its_release),
		OF_ALL(rows_of_servers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
