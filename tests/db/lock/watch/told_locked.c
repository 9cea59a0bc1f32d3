/* SPDX-License-Identifier: MIT */
/* A grant is released by its token while an open transaction has its row locked: that takes the
 * time of one call, and not that of its wait for the holder and that of its request besides. */
#include "support/call.h"
#include "support/raw.h"
#include "support/spy.h"
#include "support/waiting.h"

enum { TTL_MS = 200000, TIMEOUT_MS = 40000 };

static struct scene {
	struct spy *spy;
	void (*sleep_until)(void *ctx, int64_t until); /* the spy's own */
	struct dblock_client *holder, *client;
	struct raw *raw;
	int64_t put_forward; /* us: when time was put forward; 0: not yet */
	int sleeps;          /* since then */
} scene;

static _Thread_local bool calls; /* this thread is inside the call */

/* At its first rest the call has seen the holder's whole ttl, and its own time is over. Then the
 * row is freed if it can be, and nobody sleeps before another try. (On SQLite a request sleeps by
 * itself while it waits for the file.) */
static void sleeps(void *ctx, int64_t until)
{
	if (calls && !scene.put_forward && scene.spy->runs_of[DBL_OP_revoked] > 0) {
		raw_lock_row(scene.raw, "x");
		scene.spy->skew += dbl_ms(TTL_MS + 1000);
		scene.put_forward = dbl_now(&scene.spy->env);
		return;
	}
	if (calls && scene.put_forward && !on_backend("sqlite") && ++scene.sleeps == 2)
		raw_exec(scene.raw, "COMMIT");
	scene.sleep_until(ctx, until);
}

static int set_up(void **state)
{
	(void)state;
	scene = (struct scene){.spy = spy_new(), .holder = client_new(TTL_MS)};
	scene.sleep_until = scene.spy->env.sleep_until;
	scene.spy->env.sleep_until = sleeps;
	scene.client = spy_client_with(scene.spy, 0, TIMEOUT_MS);
	scene.raw = raw_open(NULL);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	raw_close(scene.raw);
	dblock_close(scene.holder, NULL);
	dblock_close(scene.client, NULL);
	spy_free(scene.spy);
	return 0;
}

/* Naive: it frees the row for as long as a call of its own would: to twice its time. */
static void within_its_time(void **state)
{
	struct dblock_lock *lock = take(scene.holder, "x");
	struct dblock_error err = {0};

	(void)state;
	calls = true;
	expect(BUSY, dblock_release_token(scene.client, "x", dblock_token(lock), &err));
	calls = false;
	message_has("'x' is released, but not free yet: ");
	message_has("open transaction");
	assert_int_equal(scene.sleeps, 0);
	assert_true(dbl_now(&scene.spy->env) - scene.put_forward < dbl_ms(TIMEOUT_MS / 2));
	raw_exec(scene.raw, "COMMIT");
	/* It may not have heard of it yet. */
	assert_true(dblock_release(lock, &err) >= 0);
	is_free(scene.client, "x");
}

static int release_it(void *token, struct dblock_error *err)
{
	return dblock_release_token(scene.client, "x", *(int64_t *)token, err);
}

/* A lease that nobody's client has, which ends while this call is about to end it. Naive: it was held when the call looked,
 * and is not any more, so that token is stale. */
static void it_ends_meanwhile(void **state)
{
	struct dblock_acquire_options leased = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *gone = client_new(TTL_MS);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct call call;
	int64_t token;

	(void)state;
	leased.lease_ms = TTL_MS;
	expect(OK, dblock_try(gone, "x", &leased, &lock, &err));
	token = dblock_token(lock);
	dblock_close(gone, NULL);
	raw_exec(scene.raw, "UPDATE dblock_lock SET host = 'gone' WHERE name = 'x'");
	raw_lock_row(scene.raw, "x");
	call_start(&call, release_it, &token);
	wait_until(scene.spy->runs_of[DBL_OP_release] > 0);
	raw_exec(scene.raw, "UPDATE dblock_lock SET nonce = 0, session = NULL, lease = NULL, "
			    "expires = NULL WHERE name = 'x'");
	raw_exec(scene.raw, "COMMIT");
	call_is_ok(&call);
	expect(STALE, dblock_release_token(scene.client, "x", token, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(within_its_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_ends_meanwhile, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
