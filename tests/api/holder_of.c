/* SPDX-License-Identifier: MIT */
/* dblock_holder_of(): who holds it, as a struct that stays. */
#include "support/kit.h"

static void is_nobodys(struct dblock_client *client, const char *name)
{
	struct dblock_error err = {0};
	struct dblock_holder *holder = (struct dblock_holder *)&err;

	expect(STALE, dblock_holder_of(client, name, &holder, &err));
	message_has(name);
	assert_null(holder);
}

static void what_is_free_has_none(void **state)
{
	struct dblock_client *client = client_new(0);

	(void)state;
	is_nobodys(client, "never");
	give(take(client, "before"));
	is_nobodys(client, "before");
	dblock_close(client, NULL);
}

/* It is the same as dblock_show() shows, and is there when the lock is not held any more. */
static void it_stays_when_the_holder_goes(void **state)
{
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_holder *holder;
	struct dblock_lock *lock;
	struct shown shown;
	int64_t token;

	(void)state;
	options.value = "a value";
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	token = dblock_token(lock);
	expect(OK, dblock_request_release(other, "x", "a reason", &err));
	shown = show(client, "x");
	expect(OK, dblock_holder_of(other, "x", &holder, &err));
	give(lock);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
	assert_true(holder->size == sizeof(*holder));
	assert_int_equal(holder->hold, DBLOCK_HOLD_SESSION);
	assert_int_equal(holder->token, token);
	assert_string_equal(holder->name, "x");
	assert_string_equal(holder->value, "a value");
	assert_string_equal(holder->session, shown.session);
	assert_string_equal(holder->host, shown.host);
	assert_string_equal(holder->app, shown.app);
	assert_int_equal(holder->pid, getpid());
	assert_non_null(holder->request);
	assert_string_equal(holder->request->reason, "a reason");
	assert_string_equal(holder->request->host, shown.host);
	assert_null(holder->taken);
	dblock_holder_free(holder);
}

static void of_several_it_is_the_first(void **state)
{
	struct dblock_client *clients[3] = {client_new(0), client_new(0), client_new(0)};
	struct dblock_acquire_options shared = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_holder *holder;
	struct dblock_lock *locks[3];

	(void)state;
	shared.mode = DBLOCK_SHARED;
	for (int i = 0; i < 3; i++)
		expect(OK, dblock_try(clients[i], "x", &shared, &locks[i], &err));
	expect(OK, dblock_holder_of(clients[2], "x", &holder, &err));
	assert_int_equal(holder->token, dblock_token(locks[0]));
	assert_int_equal(holder->mode, DBLOCK_SHARED);
	dblock_holder_free(holder);
	for (int i = 0; i < 3; i++) {
		give(locks[i]);
		dblock_close(clients[i], NULL);
	}
}

static void misuse(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct dblock_holder *holder;

	(void)state;
	expect(E_INVALID, dblock_holder_of(client, "", &holder, &err));
	assert_null(holder);
	expect(E_INVALID, dblock_holder_of(NULL, "x", &holder, &err));
	expect(E_INVALID, dblock_holder_of(client, "x", NULL, &err));
	dblock_holder_free(NULL);
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_free_has_none),
		cmocka_unit_test(it_stays_when_the_holder_goes),
		cmocka_unit_test(of_several_it_is_the_first),
		cmocka_unit_test(misuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
