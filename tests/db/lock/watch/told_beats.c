/* SPDX-License-Identifier: MIT */
/* The cost for its holder's heartbeat when a grant is taken away, and what happens if the heartbeat
 * is cut. */
#include "driver/value.h"
#include "support/breaking.h"
#include "support/raw.h"
#include "support/spy.h"
#include "support/waiting.h"

#define TTL_MS 4000

/* ---- the network ----------------------------------------------------------------------------- */

static enum spy_fate no_revocations(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_revocations ? SPY_LOST_BEFORE : SPY_PASS;
}

/* A heartbeat's answer says that something was taken away, and reading what fails. Naive: the
 * heartbeat still puts the deadline off, again and again, and somebody else is let in beside it; or
 * the loss says that the database did not answer. */
static void what_cannot_be_read_puts_no_deadline_off(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, TTL_MS), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x");
	struct dblock_loss loss = DBLOCK_LOSS_INIT;
	struct dblock_error err = {0};

	(void)state;
	spy->fate = no_revocations;
	expect(OK, dblock_break(b, "x", NULL, &err));
	assert_false(dblock_valid(lock, 0));
	assert_true(spy->runs_of[DBL_OP_revocations] > 0);
	assert_int_equal(dblock_loss_of(lock, &loss), DBLOCK_LOST);
	assert_int_equal(loss.cause, DBLOCK_LOSS_UNREACHABLE);
	/* The last try may have had no time left to connect again. */
	assert_non_null(strstr(loss.text, "the database could not be reached since "));
	spy->fate = NULL;
	expect(LOST, dblock_release(lock, &err));
	is_free(b, "x");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	spy_free(spy);
}

/* ---- many ------------------------------------------------------------------------------------ */

enum { MANY = 1000, BEATS = 10 };

#define DIGIT                                                                                      \
	"(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL "       \
	"SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL "             \
	"SELECT 8 UNION ALL SELECT 9) "

/* Gives the lock's holder a hundred thousand more locks in the database. */
static void hold_rows_as(struct raw *raw, const char *name)
{
	raw_exec(
		raw,
		"INSERT INTO dblock_lock (name, token, nonce, session, host, pid, thread, reentry, "
		"acquired) SELECT n.i, l.token, n.i + 1, l.session, l.host, l.pid, l.thread, 1, "
		"l.acquired FROM dblock_lock l CROSS JOIN (SELECT 10000 * a.d + 1000 * b.d + "
		"100 * c.d + 10 * e.d + f.d AS i FROM " DIGIT "a CROSS JOIN " DIGIT
		"b CROSS JOIN " DIGIT "c CROSS JOIN " DIGIT "e CROSS JOIN " DIGIT
		"f) n WHERE l.name = '%s'",
		name);
	assert_int_equal(raw_int(raw,
				 "SELECT count(*) FROM dblock_lock WHERE session = (SELECT "
				 "session FROM dblock_lock WHERE name = '%s')",
				 name),
			 100000 + 1 + MANY);
}

static void beats(struct spy *spy, struct dblock_client *client)
{
	for (int i = 0; i < BEATS; i++) {
		int before = spy->runs_of[DBL_OP_revocations];

		dbl_session_hurry(client->locks->session);
		wait_until(spy->runs_of[DBL_OP_revocations] > before);
	}
}

/* A break hangs, as the holder does not let go. Meanwhile a heartbeat is one statement, and one
 * more that reads what was taken away, however much is held. */
static void many_locks_beside_one_that_hangs(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x"), *held[MANY];
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};

	(void)state;
	for (int i = 0; i < MANY; i++) {
		char name[32];

		snprintf(name, sizeof(name), "held %d", i);
		held[i] = take(a, name);
	}
	hold_rows_as(raw, "x");
	begin_break(b, "x");
	wait_until(!dblock_valid(lock, 0) && spy->runs_of[DBL_OP_revocation_told] == 1);
	beats(spy, a);
	spy_reset(spy);
	beats(spy, a);
	assert_true(spy->runs_of[DBL_OP_heartbeat] >= BEATS);
	assert_true(spy->runs <= 2 * spy->runs_of[DBL_OP_heartbeat] + 1);
	for (int i = 0; i < MANY; i++) {
		assert_true(dblock_valid(held[i], 0));
		give(held[i]);
	}
	expect(LOST, dblock_release(lock, &err));
	is_free(b, "x");
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	spy_free(spy);
}

static int64_t beat_of(struct raw *raw, const char *name)
{
	return raw_int(raw,
		       "SELECT s.beat FROM dblock_session s JOIN dblock_lock l "
		       "ON l.session = s.id WHERE l.name = '%s'",
		       name);
}

static enum spy_fate the_word_of_it_is_late(struct spy *spy, enum dbl_op op)
{
	if (op != DBL_OP_revoke)
		return SPY_PASS;
	return spy->runs_of[DBL_OP_revoke] == 0 ? SPY_LATE : SPY_LOST_BEFORE;
}

/* The breaker's transaction stays open, as if it were stopped. Naive: the break writes the
 * session's row, and the heartbeat waits for it until all its locks are lost. */
static void break_without_commit(void)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = client_new(0), *b = spy_client_with(spy, 0, SLOWLY_MS(1000));
	struct dblock_lock *lock = take(a, "x");
	struct raw *raw = raw_open(NULL);
	int64_t beat = beat_of(raw, "x");
	struct dblock_error err = {0};
	struct dbl_conn *stopped;

	spy->fate = the_word_of_it_is_late;
	assert_true(dblock_break(b, "x", NULL, &err) < 0);
	stopped = spy_deliver_within(spy);
	dbl_session_hurry(a->locks->session);
	wait_until(beat_of(raw, "x") != beat);
	assert_true(dblock_valid(lock, 0));
	spy->real->close(stopped);
	give(lock);
	raw_close(raw);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	spy_free(spy);
}

/* Without any a heartbeat is what it was: one statement. (The first one on a connection reads which
 * history of the database this is.) */
static void nothing_taken_away_costs_nothing(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = spy_client(spy, 0);
	struct dblock_lock *lock = take(a, "x");

	(void)state;
	for (int i = 1; i <= 2; i++) {
		dbl_session_hurry(a->locks->session);
		wait_until(spy->runs_of[DBL_OP_heartbeat] == i);
	}
	spy_reset(spy);
	dbl_session_hurry(a->locks->session);
	wait_until(spy->runs_of[DBL_OP_heartbeat] == 1);
	give(lock);
	spy_assert_runs(spy, 2);
	dblock_close(a, NULL);
	spy_free(spy);
}

static void no_heartbeat_is_held_up(void **state)
{
	(void)state;
	if (on_backend("sqlite"))
		skip(); /* SQLite's whole file would be locked */
	break_without_commit();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_read_puts_no_deadline_off),
		cmocka_unit_test(many_locks_beside_one_that_hangs),
		cmocka_unit_test(no_heartbeat_is_held_up),
		cmocka_unit_test(nothing_taken_away_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
