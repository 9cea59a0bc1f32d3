/* SPDX-License-Identifier: MIT */
/* A machine that gives no random numbers: nobody gets a lock, or a session, under a number that
 * others may have as well, and the outcome says what was missing. */
#include "api/client.h"
#include "support/kit.h"

static struct {
	struct dbl_env env;
	_Atomic int countdown; /* the n-th request fails, and all after it; 0: none */
} world;

static int scarce_random(void *ctx, void *bytes, size_t len)
{
	const struct dbl_env *real = dbl_env_system();

	(void)ctx;
	if (world.countdown > 1)
		world.countdown--;
	else if (world.countdown == 1)
		return -1;
	return real->random(real->ctx, bytes, len);
}

static int open_client(struct dblock_client **client, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = 3600000;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	return dbl_client_open(test_url(), &options, &world.env, client, err);
}

static void says_what_is_missing(int rc, const struct dblock_error *err)
{
	assert_true(rc < 0);
	assert_int_equal(err->code, rc);
	assert_non_null(strstr(err->message, "random"));
}

static void no_session(void **state)
{
	struct dblock_client *client = NULL;
	struct dblock_error err = {0};
	int n = 0, rc;

	(void)state;
	do {
		world.countdown = ++n;
		rc = open_client(&client, &err);
		if (rc) {
			says_what_is_missing(rc, &err);
			assert_null(client);
		}
	} while (rc);
	world.countdown = 0;
	assert_true(n > 2); /* the client's name, and its first heartbeat */
	dblock_close(client, NULL);
}

static void no_lock(void **state)
{
	struct dblock_client *client, *other = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	expect(OK, open_client(&client, &err));
	world.countdown = 1;
	says_what_is_missing(dblock_try(client, "x", NULL, &lock, &err), &err);
	assert_null(lock);
	says_what_is_missing(dblock_acquire(client, "x", NULL, &lock, &err), &err);
	assert_null(lock);
	is_free(other, "x");
	world.countdown = 0;
	is_free(client, "x");
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

/* Only the pauses of the wait are without jitter. */
static void a_wait_goes_on(void **state)
{
	struct dblock_client *client, *other = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	lock = take(other, "x");
	expect(OK, open_client(&client, &err));
	world.countdown = 2; /* the first is for the acquire itself */
	options.wait_ms = 300;
	expect(TIMEOUT, dblock_acquire(client, "x", &options, &lock, &err));
	assert_int_equal(world.countdown, 1);
	world.countdown = 0;
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

static int set_up(void **state)
{
	(void)state;
	world.env = *dbl_env_system();
	world.env.random = scarce_random;
	world.countdown = 0;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_session),
		cmocka_unit_test(no_lock),
		cmocka_unit_test(a_wait_goes_on),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
