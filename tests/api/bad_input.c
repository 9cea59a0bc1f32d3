/* SPDX-License-Identifier: MIT */
/* Bad options, values and times: a clear message that names the thing; nothing is done. */
#include "support/kit.h"

static struct dblock_client *client;

static int set_up(void **state)
{
	(void)state;
	client = client_new(0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	dblock_close(client, NULL);
	return 0;
}

static void try_with(const struct dblock_acquire_options *options, const char *said)
{
	struct dblock_error err = {0};
	struct dblock_lock *none;

	expect(E_INVALID, dblock_try(client, "x", options, &none, &err));
	message_has(said);
	expect(E_INVALID, dblock_acquire(client, "x", options, &none, &err));
	message_has(said);
	assert_null(none);
}

static void times(void **state)
{
	static const int64_t bad_leases[] = {
		-1, INT64_MIN, 1, DBLOCK_LEASE_MIN_MS - 1, DBLOCK_LEASE_MAX_MS + 1, INT64_MAX};
	struct dblock_acquire_options options;
	char said[64];

	(void)state;
	for (size_t i = 0; i < sizeof(bad_leases) / sizeof(bad_leases[0]); i++) {
		options = (struct dblock_acquire_options)DBLOCK_ACQUIRE_OPTIONS_INIT;
		options.lease_ms = bad_leases[i];
		snprintf(said, sizeof(said), "lease_ms is %lld", (long long)bad_leases[i]);
		try_with(&options, said);
	}
	options = (struct dblock_acquire_options)DBLOCK_ACQUIRE_OPTIONS_INIT;
	options.at_least_ms = -7;
	try_with(&options, "at_least_ms is -7");
	options.at_least_ms = INT64_MAX;
	try_with(&options, "at_least_ms");
	options.at_least_ms = 0;
	options.wait_ms = -7;
	try_with(&options, "wait_ms is -7");
	options.wait_ms = 0;
	options.waiting_every_ms = 99;
	try_with(&options, "waiting_every_ms is 99");
	is_free(client, "x");
}

static void the_longest_lease(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.lease_ms = DBLOCK_LEASE_MAX_MS;
	options.at_least_ms = 1;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	assert_true(dblock_remaining_ms(lock) > DBLOCK_LEASE_MAX_MS / 10 * 9 - PLENTY_MS);
	expect(OK, dblock_extend(lock, DBLOCK_LEASE_MAX_MS, &err));
	sleep_ms(2);
	give(lock);
}

static void extensions(void **state)
{
	static const int64_t bad[] = {0, -1, 1, INT64_MIN, INT64_MAX, DBLOCK_LEASE_MAX_MS + 1};
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	char said[64];

	(void)state;
	options.lease_ms = 600000;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(said, sizeof(said), "lease_ms is %lld ms", (long long)bad[i]);
		expect(E_INVALID, dblock_extend(lock, bad[i], &err));
		message_has(said);
		expect(E_INVALID,
		       dblock_extend_token(client, "x", dblock_token(lock), bad[i], &err));
		message_has(said);
	}
	assert_true(dblock_valid(lock, 0));
	give(lock);
}

static void values(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	char value[1100];

	(void)state;
	memset(value, 'v', sizeof(value));
	value[1025] = '\0';
	options.value = value;
	try_with(&options, "1025 bytes");
	value[1024] = '\0';
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	assert_string_equal(show(client, "x").value, value);
	give(lock);
	options.value = "caf\xe9";
	try_with(&options, "not UTF-8");
	/* Text may have lines. */
	options.value = "two\nlines\t'and' \\ \"quotes\" \xf0\x9f\x94\x92";
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	assert_string_equal(show(client, "x").value, options.value);
	give(lock);
	options.value = "";
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	assert_string_equal(show(client, "x").value, "");
	give(lock);
}

static int no_waiter(void *arg, const struct dblock_waiter *waiter)
{
	(void)arg;
	(void)waiter;
	fail_msg("somebody waits");
	return 0;
}

static void sizes(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client_options open = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_list_options list = DBLOCK_LIST_OPTIONS_INIT;
	struct dblock_waiters_options waiters = DBLOCK_WAITERS_OPTIONS_INIT;
	struct dblock_reap_options reap = DBLOCK_REAP_OPTIONS_INIT;
	static const size_t bad[] = {0, 1, 7, SIZE_MAX, 1 << 20};
	struct dblock_error err = {0};
	struct dblock_client *none;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		options.size = open.size = list.size = waiters.size = reap.size = bad[i];
		try_with(&options, "DBLOCK_ACQUIRE_OPTIONS_INIT");
		expect(E_INVALID, dblock_open(test_url(), &open, &none, &err));
		assert_null(none);
		message_has("DBLOCK_CLIENT_OPTIONS_INIT");
		expect(E_INVALID, dblock_list(client, &list, keep_shown, NULL, &err));
		message_has("DBLOCK_LIST_OPTIONS_INIT");
		expect(E_INVALID, dblock_waiters(client, &waiters, no_waiter, NULL, &err));
		message_has("DBLOCK_WAITERS_OPTIONS_INIT");
		expect(E_INVALID, dblock_reap(client, &reap, NULL, &err));
		message_has("DBLOCK_REAP_OPTIONS_INIT");
	}
}

/* Built against an older header, or a newer one: what one side does not know is default. */
static void other_sizes(void **state)
{
	struct {
		struct dblock_acquire_options options;
		char future[64];
	} newer = {.options = DBLOCK_ACQUIRE_OPTIONS_INIT};
	struct dblock_acquire_options older = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	older.size = offsetof(struct dblock_acquire_options, value);
	older.lease_ms = 600000;
	older.value = "\xff this is beyond its end";
	older.owner = 99;
	expect(OK, dblock_try(client, "x", &older, &lock, &err));
	assert_int_equal(show(client, "x").h.hold, DBLOCK_HOLD_LEASE);
	assert_string_equal(show(client, "x").value, "");
	give(lock);

	newer.options.size = sizeof(newer);
	newer.options.value = "new";
	memset(newer.future, 0xff, sizeof(newer.future));
	expect(E_INVALID, dblock_try(client, "x", &newer.options, &lock, &err));
	memset(newer.future, 0, sizeof(newer.future));
	expect(OK, dblock_try(client, "x", &newer.options, &lock, &err));
	assert_string_equal(show(client, "x").value, "new");
	give(lock);
}

static void null_pointers(void **state)
{
	struct dblock_error err = {0};
	struct dblock_client *none;
	struct dblock_lock *lock;
	struct dblock_lock_spec wants[65] = {{.name = "x"}};

	(void)state;
	expect(E_INVALID, dblock_open(NULL, NULL, &none, &err));
	message_has("URL");
	expect(E_INVALID, dblock_open(test_url(), NULL, NULL, &err));
	expect(E_INVALID, dblock_try(NULL, "x", NULL, &lock, &err));
	message_has("client");
	expect(E_INVALID, dblock_acquire(client, "x", NULL, NULL, &err));
	message_has("lock is NULL");
	expect(E_INVALID, dblock_acquire(client, NULL, NULL, &lock, &err));
	message_has("the lock's name is NULL");
	expect(E_INVALID, dblock_acquire_all(client, NULL, 1, NULL, &lock, &err));
	message_has("wants is NULL");
	expect(E_INVALID, dblock_acquire_all(client, wants, 65, NULL, &lock, &err));
	message_has("n is 65");
	expect(E_INVALID, dblock_release(NULL, &err));
	expect(E_INVALID, dblock_extend(NULL, 1000, &err));
	expect(E_INVALID, dblock_release_token(NULL, "x", 1, &err));
	expect(E_INVALID, dblock_release_token(client, "x", 0, &err));
	message_has("token is 0");
	expect(E_INVALID, dblock_extend_token(client, "x", -3, 1000, &err));
	message_has("token is -3");
	expect(E_INVALID, dblock_list(client, NULL, NULL, NULL, &err));
	message_has("callback");
	expect(E_INVALID, dblock_show(client, "x", NULL, NULL, &err));
	expect(E_INVALID, dblock_waiters(client, NULL, NULL, NULL, &err));
	message_has("callback");
	expect(E_INVALID, dblock_waiters(NULL, NULL, no_waiter, NULL, &err));
	message_has("client");
	expect(E_INVALID, dblock_reap(NULL, NULL, NULL, &err));
	expect(E_INVALID, dblock_migrate_up(NULL, NULL, NULL, NULL, NULL, &err));
	expect(E_INVALID, dblock_migrate_status(test_url(), NULL, NULL, NULL, NULL, &err));
	expect(E_INVALID, dblock_migrate_plan(test_url(), NULL, NULL, NULL, NULL, &err));
	message_has("callback");
	expect(E_INVALID, dblock_migrate_verify(test_url(), NULL, NULL, NULL, NULL, &err));
	message_has("callback");
	dblock_close(NULL, NULL);
	assert_int_equal(dblock_token(NULL), 0);
	assert_int_equal(dblock_remaining_ms(NULL), 0);
	assert_string_equal(dblock_name(NULL), "");
	/* err itself is optional. */
	assert_int_equal(dblock_try(client, "", NULL, &lock, NULL), DBLOCK_E_INVALID);
}

static void listings(void **state)
{
	struct dblock_list_options options = DBLOCK_LIST_OPTIONS_INIT;
	struct dblock_error err = {0};

	(void)state;
	options.limit = -1;
	expect(E_INVALID, dblock_list(client, &options, keep_shown, NULL, &err));
	message_has("limit is -1");
	options.limit = 0;
	options.after = "\xff";
	expect(E_INVALID, dblock_list(client, &options, keep_shown, NULL, &err));
}

static void lines_of_waiters(void **state)
{
	struct dblock_waiters_options options = DBLOCK_WAITERS_OPTIONS_INIT;
	struct dblock_error err = {0};

	(void)state;
	options.limit = -1;
	expect(E_INVALID, dblock_waiters(client, &options, no_waiter, NULL, &err));
	message_has("limit is -1");
	options.limit = 0;
	options.after_ticket = -1;
	expect(E_INVALID, dblock_waiters(client, &options, no_waiter, NULL, &err));
	message_has("after_ticket is -1");
	options.after_ticket = 0;
	options.after = "\xff";
	expect(E_INVALID, dblock_waiters(client, &options, no_waiter, NULL, &err));
	options.after = NULL;
	options.name = "";
	expect(E_INVALID, dblock_waiters(client, &options, no_waiter, NULL, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(the_longest_lease),
		cmocka_unit_test(extensions),
		cmocka_unit_test(values),
		cmocka_unit_test(sizes),
		cmocka_unit_test(other_sizes),
		cmocka_unit_test(null_pointers),
		cmocka_unit_test(listings),
		cmocka_unit_test(lines_of_waiters),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
