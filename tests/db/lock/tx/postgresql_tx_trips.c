/* SPDX-License-Identifier: MIT */
/* A lock in the caller's transaction costs PostgreSQL one round trip, as what guards the transaction goes
 * with the statement. That must not cost what the separate steps have promised. */
#include "api/client.h"
#include "db/lock/tx/in_tx_kit.h"
#include "support/proxy.h"

/* ---- the cost -------------------------------------------------------------------------------- */

static struct proxy *proxy;
static int trips_before;

static void costs(int trips)
{
	int now = proxy_trips(proxy);

	assert_int_equal(now - trips_before, trips);
	trips_before = now;
}

/* The client's own connection looks who has the lock; the rest is sent in the transaction. */
static void acquires(struct dblock_client *client, struct dblock_tx *tx)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int64_t token;

	expect(OK, dblock_tx_try(tx, client, "new owner", NULL, &lock, &err));
	costs(2);
	expect(OK, dblock_tx_lock(tx, client, "for the transaction", NULL, &token, &err));
	costs(2);
	expect(OK, dblock_tx_rollback(tx, &err));
	costs(1);
	expect(STALE, dblock_release(lock, &err));
}

static void play(struct dblock_client *client, struct dblock_tx *tx)
{
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock = take(client, "x"), *sharing, *both[2];

	shared.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(client, "s", &shared, &sharing, &err));
	trips_before = proxy_trips(proxy);
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	costs(1);
	fence(tx, lock);
	costs(1);
	fence(tx, lock);
	costs(1);
	fence(tx, sharing);
	costs(2); /* its ticket */
	fence(tx, sharing);
	costs(1);
	both[0] = lock;
	both[1] = sharing;
	expect(OK, dblock_fence_all(tx, both, 2, NULL, &err));
	costs(5);
	expect(OK, dblock_fence_to_release(tx, lock, &err));
	costs(1);
	release_in(tx, lock);
	costs(1);
	expect(OK, dblock_tx_commit(tx, &err));
	costs(1);
	give(lock);
	costs(0);
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	costs(1);
	acquires(client, tx);
	give(sharing);
}

static void each_is_one_round_trip(void **state)
{
	struct dblock_client *client;
	struct dblock_tx *owner, *tx;

	(void)state;
	is_free(b, "new owner");
	is_free(b, "for the transaction");
	proxy = proxy_new();
	client = proxy_client(proxy, 0);
	owner = tx_open(client);
	/* The first time its own connection's statements are prepared, with their first run; an adopted
	 * connection keeps none. */
	for (int i = 0; i < 2; i++)
		play(client, owner);
	tx = tx_adopt(owner);
	play(client, tx);
	dblock_tx_close(tx);
	dblock_tx_close(owner);
	dblock_close(client, NULL);
	proxy_free(proxy);
}

/* ---- a takeover at the worst moment ---------------------------------------------------------- */

static void take_over(struct raw *raw, const char *name)
{
	raw_exec(raw, "UPDATE dblock_lock SET token = token + 1, nonce = 77 WHERE name = '%s'",
		 name);
}

/* Nobody has the row locked. */
static void is_not_locked(struct raw *raw, const char *name)
{
	if (raw_try_exec(raw, "SELECT 1 FROM dblock_lock WHERE name = '%s' FOR UPDATE NOWAIT",
			 name))
		fail_msg("the row of '%s' is still locked", name);
}

static void wait_until_it_waits(struct raw *raw, const char *for_what)
{
	while (!raw_int(raw,
			"SELECT count(*)::bigint FROM pg_stat_activity WHERE datname ="
			" current_database() AND wait_event_type = 'Lock' AND wait_event = '%s'",
			for_what))
		sleep_ms(5);
}

struct
try {
	struct dblock_tx *tx;
	struct dblock_lock *lock;
	int (*what)(struct dblock_tx *, struct dblock_lock *, struct dblock_error *);
	int rc;
	struct dblock_error err;
};

static void *run_try(void *arg)
{
	struct try *t = arg;

	t->rc = t->what(t->tx, t->lock, &t->err);
	return NULL;
}

static void is_stale_and_intact(const struct try *t, struct raw *raw, const char *note)
{
	if (t->rc != DBLOCK_STALE)
		fail_msg("%s", t->err.message);
	assert_int_equal(dblock_tx_state_of(t->tx), DBLOCK_TX_OPEN);
	is_not_locked(raw, "worst");
	assert_string_equal(
		tx_text(t->tx, "SELECT coalesce(current_setting('dblock.fence', true), '')"), note);
	assert_string_equal(tx_text(t->tx, "SHOW lock_timeout"), "17s");
	assert_int_equal(tx_int(t->tx, "SELECT money FROM account WHERE id = 1"), 7);
}

static struct try begin_worst(struct dblock_client *client)
{
	struct try t = {.lock = take(client, "worst"), .tx = tx_begin(client)};

	tx_exec(t.tx, "SET LOCAL lock_timeout = '17s'");
	tx_exec(t.tx, "UPDATE account SET money = 7 WHERE id = 1");
	return t;
}

static void end_worst(struct try *t)
{
	struct dblock_error err = {0};

	end(t->tx, false);
	expect(LOST, dblock_release(t->lock, &err));
}

static const struct dbl_driver *real;
static struct dbl_driver slow;

enum { GATE = 20481 };

/* The statement of a fence waits at the gate, between its snapshot and its row. */
static int slow_prepare(struct dbl_conn *conn, const char *sql, struct dbl_stmt **stmt,
			struct dblock_error *err)
{
	static const char snapshot[] = "o.name = $1::text";
	const char *at = strncmp(sql, "-- fence_", 9) ? NULL : strstr(sql, snapshot);
	char text[4000];

	if (!at)
		return real->prepare(conn, sql, stmt, err);
	at += strlen(snapshot);
	snprintf(text, sizeof(text), "%.*s AND pg_advisory_xact_lock_shared(%d) IS NOT NULL%s",
		 (int)(at - sql), sql, GATE, at);
	return real->prepare(conn, text, stmt, err);
}

static const struct dbl_driver *slow_intercept(void *ctx, const struct dbl_driver *driver)
{
	(void)ctx;
	real = driver;
	slow = *driver;
	slow.prepare = slow_prepare;
	return &slow;
}

/* Naive: the row, which is the next holder's by now, stays locked, and the note claims a fence. */
static void it_is_taken_over_while_a_fence_locks_it(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dbl_env env = *dbl_env_system();
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct raw *raw = raw_open(NULL);

	(void)state;
	env.intercept = slow_intercept;
	for (int to_release = 0; to_release < 2; to_release++) {
		struct crew crew = {.n = 0};
		struct try t;

		expect(OK, dbl_client_open(test_url(), &options, &env, &client, &err));
		t = begin_worst(client);
		t.what = to_release ? dblock_fence_to_release : dblock_fence;
		raw_exec(raw, "SELECT pg_advisory_lock(%d)", GATE);
		crew_add(&crew, run_try, &t);
		wait_until_it_waits(raw, "advisory");
		take_over(raw, "worst");
		raw_exec(raw, "SELECT pg_advisory_unlock(%d)", GATE);
		crew_join(&crew);
		is_stale_and_intact(&t, raw, "");
		end_worst(&t);
		dblock_close(client, NULL);
		raw_exec(raw,
			 "UPDATE dblock_lock SET nonce = 0, session = NULL WHERE name = 'worst'");
	}
	raw_close(raw);
}

/* Naive: an UPDATE that finds its row changed leaves it locked. */
static void it_is_taken_over_while_a_release_waits(void **state)
{
	struct dblock_client *client = client_new(0);
	struct raw *raw = raw_open(NULL), *watch = raw_open(NULL);
	struct try t = begin_worst(client);
	struct crew crew = {.n = 0};

	(void)state;
	t.what = dblock_tx_release;
	raw_exec(raw, "BEGIN");
	take_over(raw, "worst");
	crew_add(&crew, run_try, &t);
	wait_until_it_waits(watch, "transactionid");
	raw_exec(raw, "COMMIT");
	crew_join(&crew);
	is_stale_and_intact(&t, raw, "");
	end_worst(&t);
	dblock_close(client, NULL);
	raw_close(raw);
	raw_close(watch);
}

/* ---- what the caller has set ----------------------------------------------------------------- */

/* The caller's own limits hold for a fence, and end nothing but the fence. */
static void the_callers_limits_end_the_fence_alone(void **state)
{
	static const struct {
		const char *name;
		int rc;
	} limits[] = {{"lock_timeout", DBLOCK_E_BLOCKED},
		      {"statement_timeout", DBLOCK_E_NO_ANSWER}};
	struct dblock_lock *lock = take(a, "limits");
	struct raw *raw = raw_open(NULL);
	struct dblock_error err = {0};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct dblock_tx *owner = tx_begin(a), *tx = tx_adopt(owner);
		char sql[80];
		int rc;

		tx_exec(owner, "UPDATE account SET money = 7 WHERE id = 1");
		raw_exec(raw, "BEGIN");
		raw_exec(raw, "LOCK TABLE dblock_lock IN ACCESS EXCLUSIVE MODE");
		snprintf(sql, sizeof(sql), "SET LOCAL %s = '50ms'", limits[i].name);
		tx_exec(owner, sql);
		rc = dblock_fence(tx, lock, &err);
		raw_exec(raw, "ROLLBACK");
		assert_int_equal(rc, limits[i].rc);
		assert_int_equal(dblock_tx_state_of(tx), DBLOCK_TX_OPEN);
		snprintf(sql, sizeof(sql), "SHOW %s", limits[i].name);
		assert_string_equal(tx_text(owner, sql), "50ms");
		tx_exec(owner, "SET LOCAL statement_timeout = 0");
		fence(tx, lock);
		assert_int_equal(tx_int(owner, "SELECT money FROM account WHERE id = 1"), 7);
		dblock_tx_close(tx);
		end(owner, false);
	}
	give(lock);
	raw_close(raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_one_round_trip),
		cmocka_unit_test(it_is_taken_over_while_a_fence_locks_it),
		cmocka_unit_test(it_is_taken_over_while_a_release_waits),
		cmocka_unit_test(the_callers_limits_end_the_fence_alone),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
