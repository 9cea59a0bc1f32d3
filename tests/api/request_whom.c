/* SPDX-License-Identifier: MIT */
/* Whom a request, or a drain, finds: leases, other processes, all of one client, nobody. */
#include "api/asking.h"

/* Body of a child: take a lease, and let go when asked. */
static int64_t child_lets_go(void *arg)
{
	static struct told told = {.release = true};
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	options.ttl_ms = HOUR_MS;
	options.auto_migrate = 1;
	how.lease_ms = HOUR_MS;
	how.release_requested = requested;
	how.release_requested_arg = &told;
	if (dblock_open(test_url(), &options, &client, &err) ||
	    dblock_try(client, arg, &how, &lock, &err)) {
		fprintf(stderr, "child: %s\n", err.message);
		return -1;
	}
	return dblock_token(lock);
}

static void a_lease_of_another_process(void **state)
{
	char name[] = "x";
	struct child child = child_start(child_lets_go, name);
	struct dblock_client *b = client_new(HOUR_MS);
	int64_t token;

	(void)state;
	assert_int_equal(show(b, "x").h.hold, DBLOCK_HOLD_LEASE);
	ask(b, "x", "your lease, please");
	is_free_soon(b, "x");
	token = is_free(b, "x");
	assert_true(token > child.said);
	child_kill(&child);
	dblock_close(b, NULL);
}

/* Nobody is there to hear it; it stands all the same. */
static void a_lease_whose_process_is_gone(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_error err = {0};
	struct seen seen = {.n = 0};
	int64_t token;

	(void)state;
	token = dblock_token(take_with(a, "x", NULL, HOUR_MS));
	dblock_close(a, NULL);
	ask(b, "x", "anybody?");
	expect(OK, dblock_show(b, "x", look_at_request, &seen, &err));
	assert_int_equal(seen.n, 1);
	expect(OK, dblock_release_token(b, "x", token, &err));
	nobody_to_ask(b, "x");
	dblock_close(b, NULL);
}

static struct dblock_lock *share(struct dblock_client *client, const char *name, struct told *told)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.mode = DBLOCK_SHARED;
	options.release_requested = requested;
	options.release_requested_arg = told;
	expect(OK, dblock_try(client, name, &options, &lock, &err));
	return lock;
}

static void all_who_share_it(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct told first = {.times = 0}, second = {.times = 0}, next = {.times = 0};
	struct dblock_lock *one = share(a, "shared", &first), *two = share(b, "shared", &second);
	struct seen seen = {.n = 0};
	struct dblock_error err = {0};

	(void)state;
	ask(b, "shared", "all of you");
	soon(first.times == 1 && second.times == 1);
	assert_string_equal(first.reason, "all of you");
	expect(OK, dblock_list(b, NULL, look_at_request, &seen, &err));
	assert_int_equal(seen.n, 2);
	give(one);
	one = share(a, "shared", &next);
	hears(a, b, "y");
	assert_int_equal(next.times, 0);
	assert_false(dblock_release_requested(one));
	assert_true(dblock_release_requested(two));
	give(one);
	give(two);
	nobody_to_ask(a, "shared");
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static void nobody_holds_it(void **state)
{
	struct dblock_client *a = client_new(0);
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	nobody_to_ask(a, "never heard of");
	is_free(a, "was held");
	nobody_to_ask(a, "was held");
	options.at_least_ms = HOUR_MS;
	expect(OK, dblock_try(a, "rests", &options, &lock, &err));
	give(lock);
	nobody_to_ask(a, "rests");
	lock = take(a, "broken");
	expect(OK, break_by_force(a, "broken", 0, 0, &err));
	nobody_to_ask(a, "broken");
	expect(LOST, dblock_release(lock, &err));
	lock = take_with(a, "ended", NULL, 300);
	while (show(a, "ended").h.left_ms >= 0)
		sleep_ms(20);
	nobody_to_ask(a, "ended");
	(void)dblock_release(lock, &err);
	dblock_close(a, NULL);
}

static void bad_input(void **state)
{
	struct dblock_client *a = client_new(0);
	struct dblock_lock *lock = take(a, "x");
	struct dblock_error err = {0};
	char reason[DBLOCK_REASON_MAX + 2];
	int64_t asked = 5;
	int fd;

	(void)state;
	memset(reason, 'r', sizeof(reason) - 1);
	reason[sizeof(reason) - 1] = '\0';
	expect(E_INVALID, dblock_request_release(NULL, "x", "why", &err));
	expect(E_INVALID, dblock_request_release(a, NULL, "why", &err));
	expect(E_INVALID, dblock_request_release(a, "", "why", &err));
	expect(E_INVALID, dblock_request_release(a, "x", reason, &err));
	message_has("255");
	expect(E_INVALID, dblock_request_release(a, "x", "two\nlines", &err));
	expect(E_INVALID, dblock_request_release(a, "x", "\xff", &err));
	assert_null(show(a, "x").h.request);
	reason[DBLOCK_REASON_MAX] = '\0';
	ask(a, "x", reason);
	ask(a, "x", NULL);
	assert_int_equal(dblock_request_release(a, "nobody's", "why", NULL), DBLOCK_STALE);

	expect(E_INVALID, dblock_request_release_all(NULL, "host:1", "why", &asked, &err));
	assert_int_equal(asked, 0);
	expect(E_INVALID, dblock_request_release_all(a, "host:1", "two\nlines", NULL, &err));
	expect(E_INVALID, dblock_request_release_all(a, NULL, "why", NULL, &err));
	expect(E_INVALID, dblock_request_release_all(a, "", "why", NULL, &err));
	expect(E_INVALID, dblock_request_release_all(a, "host", "why", NULL, &err));
	expect(E_INVALID, dblock_request_release_all(a, "host:", "why", NULL, &err));
	expect(E_INVALID, dblock_request_release_all(a, ":7", "why", NULL, &err));
	expect(E_INVALID, dblock_request_release_all(a, "host:-7", "why", NULL, &err));
	expect(E_INVALID, dblock_request_release_all(a, "host:7x", "why", NULL, &err));
	expect(E_INVALID,
	       dblock_request_release_all(a, "host:99999999999999999999", "why", NULL, &err));
	message_has("HOST:PID");

	expect(E_INVALID, dblock_release_requested_fd(NULL, &fd, &err));
	expect(E_INVALID, dblock_release_requested_fd(lock, NULL, &err));
	assert_false(dblock_release_requested(NULL));
	give(lock);
	dblock_close(a, NULL);
}

static void drained(struct dblock_client *client, const char *who, int64_t n)
{
	struct dblock_error err = {0};
	int64_t asked = -1;

	expect(OK, dblock_request_release_all(client, who, "drained", &asked, &err));
	assert_int_equal(asked, n);
}

/* More than fit into one page. */
enum { MANY = 103 };

static void all_that_a_client_holds(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0), *c = client_new(0);
	struct dblock_lock *locks[MANY], *lease, *other;
	struct dblock_error err = {0};
	char name[32], process[300];
	struct shown shown;
	int64_t asked;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "many%d", i);
		locks[i] = take(a, name);
	}
	is_free(a, "free");
	other = take(b, "other");
	lease = take_with(a, "lease", NULL, HOUR_MS);
	shown = show(c, "many0");
	snprintf(process, sizeof(process), "%s:%d", shown.host, (int)getpid());

	drained(c, shown.session, MANY + 1);
	assert_non_null(show(c, "many0").h.request);
	assert_non_null(show(c, "many102").h.request);
	assert_non_null(show(c, "lease").h.request);
	assert_null(show(c, "other").h.request);
	drained(c, process, MANY + 2);
	assert_non_null(show(c, "other").h.request);

	for (int i = 0; i < MANY; i++)
		give(locks[i]);
	give(lease);
	give(other);
	/* It is there, and holds nothing. */
	drained(c, shown.session, 0);
	drained(c, process, 0);
	dblock_close(a, NULL);
	expect(STALE, dblock_request_release_all(c, shown.session, "drained", &asked, &err));
	message_has(shown.session);
	assert_int_equal(asked, 0);
	expect(STALE, dblock_request_release_all(c, "nowhere:1", "drained", NULL, &err));
	message_has("nowhere");
	dblock_close(b, NULL);
	dblock_close(c, NULL);
}

/* What is left of a process that is gone is asked for too. */
static void what_a_process_has_left(void **state)
{
	struct grab grab = {.name = "x", .ttl_ms = HOUR_MS, .lease_ms = HOUR_MS};
	struct child child = child_start(child_takes, &grab);
	struct dblock_client *b = client_new(0);
	struct shown shown = show(b, "x");
	struct dblock_error err = {0};
	char process[300];

	(void)state;
	child_kill(&child);
	snprintf(process, sizeof(process), "%s:%d", shown.host, (int)child.pid);
	drained(b, process, 1);
	/* (Its session is to live for an hour, and would be waited for.) */
	expect(OK, break_by_force(b, "x", child.said, 0, &err));
	dblock_close(b, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First those that fork while no client is open. */
		cmocka_unit_test(a_lease_of_another_process),
		cmocka_unit_test(what_a_process_has_left),
		cmocka_unit_test(a_lease_whose_process_is_gone),
		cmocka_unit_test(all_who_share_it),
		cmocka_unit_test(nobody_holds_it),
		cmocka_unit_test(bad_input),
		cmocka_unit_test(all_that_a_client_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
