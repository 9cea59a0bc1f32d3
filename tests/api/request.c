/* SPDX-License-Identifier: MIT */
/* Asking a holder to let go: who is told, how often, by which of three ways; whom it does not
 * concern.
 */
#include <poll.h>

#include "support/kit.h"

/* No heartbeat comes within the time that a test takes. */
enum { HOUR_MS = 3600000 };

/* What a holder's callback has seen. Written on a thread of the library, before `times`. */
struct told {
	_Atomic int times;
	struct dblock_lock *lock;
	struct dblock_request request;
	char reason[256], host[256], app[64];
	bool release; /* from within */
	_Atomic int released;
};

static void requested(void *arg, struct dblock_lock *lock, const struct dblock_request *request)
{
	struct told *told = arg;

	told->lock = lock;
	told->request = *request;
	snprintf(told->reason, sizeof(told->reason), "%s", request->reason);
	snprintf(told->host, sizeof(told->host), "%s", request->host);
	snprintf(told->app, sizeof(told->app), "%s", request->app);
	told->times++;
	if (told->release)
		told->released = 1 + (dblock_release(lock, NULL) == DBLOCK_OK);
}

static struct dblock_lock *take_with(struct dblock_client *client, const char *name,
				     struct told *told, int64_t lease_ms)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.requested = told ? requested : NULL;
	options.requested_arg = told;
	options.lease_ms = lease_ms;
	expect(OK, dblock_try(client, name, &options, &lock, &err));
	return lock;
}

static void ask(struct dblock_client *client, const char *name, const char *reason)
{
	struct dblock_error err = {0};

	expect(OK, dblock_request(client, name, reason, &err));
}

static void nobody_to_ask(struct dblock_client *client, const char *name)
{
	struct dblock_error err = {0};

	expect(STALE, dblock_request(client, name, "why", &err));
	message_has(name);
}

#define soon(condition)                                                                            \
	do {                                                                                       \
		int64_t until_ = clock_ms() + PLENTY_MS;                                           \
		while (!(condition) && clock_ms() < until_)                                        \
			sleep_ms(2);                                                               \
		assert_true(condition);                                                            \
	} while (0)

/* All that this client was asked before has been looked at: what is asked now is heard. */
static void hears(struct dblock_client *client, struct dblock_client *other, const char *name)
{
	struct told told = {.times = 0};
	struct dblock_lock *lock = take_with(client, name, &told, 0);

	ask(other, name, NULL);
	soon(told.times == 1);
	assert_string_equal(told.reason, "");
	give(lock);
}

static bool is_readable(int fd, int ms)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	return poll(&ready, 1, ms) == 1;
}

static int fd_of(struct dblock_lock *lock)
{
	struct dblock_error err = {0};
	int fd = -1;

	expect(OK, dblock_requested_fd(lock, &fd, &err));
	assert_true(fd >= 0);
	return fd;
}

/* By a ring: the next heartbeat is 20 minutes away. */
static void the_holder_is_told_once_and_by_whom(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct told told = {.times = 0};
	struct dblock_lock *lock = take_with(a, "x", &told, 0);
	struct shown shown;

	(void)state;
	assert_false(dblock_is_requested(lock));
	assert_null(show(b, "x").h.request);
	ask(b, "x", "deploy of 2.4");
	soon(told.times == 1);
	assert_true(dblock_is_requested(lock));
	assert_ptr_equal(told.lock, lock);
	assert_string_equal(told.reason, "deploy of 2.4");
	assert_int_equal(told.request.pid, getpid());
	assert_int_equal(told.request.size, sizeof(struct dblock_request));
	shown = show(b, "x");
	assert_string_equal(told.host, shown.host);
	assert_string_equal(told.app, shown.app);
	assert_true(told.request.since_us >= shown.h.acquired_us);

	/* The same request, with another reason, which others see. */
	ask(b, "x", "deploy of 2.5");
	hears(a, b, "y");
	assert_int_equal(told.times, 1);
	/* Nothing was taken from anybody. */
	assert_true(dblock_valid(lock, 0));
	busy(b, "x");
	give(lock);
	dblock_close(a);
	dblock_close(b);
}

struct seen {
	int n;
	char reason[256];
	int64_t pid;
};

static int look_at_request(void *arg, const struct dblock_holder *holder)
{
	struct seen *seen = arg;

	if (holder->request) {
		seen->n++;
		snprintf(seen->reason, sizeof(seen->reason), "%s", holder->request->reason);
		seen->pid = holder->request->pid;
	}
	return 0;
}

static void others_see_it_as_long_as_it_stands(void **state)
{
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct dblock_lock *lock = take(a, "x"), *other = take(a, "y");
	struct seen seen = {.n = 0}, listed = {.n = 0}, after = {.n = 0};
	struct dblock_error err = {0};

	(void)state;
	ask(b, "x", "first");
	ask(b, "x", "second \xe2\x98\x83");
	expect(OK, dblock_show(b, "x", look_at_request, &seen, &err));
	assert_int_equal(seen.n, 1);
	assert_string_equal(seen.reason, "second \xe2\x98\x83");
	assert_int_equal(seen.pid, getpid());
	expect(OK, dblock_list(b, NULL, look_at_request, &listed, &err));
	assert_int_equal(listed.n, 1);
	give(lock);
	expect(OK, dblock_show(b, "x", look_at_request, &after, &err));
	lock = take(b, "x");
	expect(OK, dblock_show(b, "x", look_at_request, &after, &err));
	assert_int_equal(after.n, 0);
	give(lock);
	give(other);
	dblock_close(a);
	dblock_close(b);
}

static void the_descriptor_becomes_readable(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct dblock_lock *lock = take(a, "x"), *late = take(a, "y");
	int fd = fd_of(lock);

	(void)state;
	assert_false(is_readable(fd, 0));
	assert_int_equal(fd_of(lock), fd);
	ask(b, "x", "please");
	assert_true(is_readable(fd, PLENTY_MS));
	assert_true(dblock_is_requested(lock));
	assert_int_equal(fd_of(lock), fd);
	assert_true(is_readable(fd, 0));
	/* Heard by then, or on the way: the descriptor comes later. */
	ask(b, "y", "please");
	assert_true(is_readable(fd_of(late), PLENTY_MS));
	give(lock);
	give(late);
	dblock_close(a);
	dblock_close(b);
}

/* Asked for before anybody could ring: the call itself has it looked for. */
static void a_first_descriptor_finds_what_was_asked_before(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct dblock_lock *lock = take(a, "x");

	(void)state;
	ask(b, "x", "early");
	assert_true(is_readable(fd_of(lock), PLENTY_MS));
	give(lock);
	dblock_close(a);
	dblock_close(b);
}

static struct dblock_client *deaf_client(int64_t ttl_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	options.wake_off = DBLOCK_WAKE_SOCKET | DBLOCK_WAKE_NOTIFY | DBLOCK_WAKE_DOORBELL;
	return client_with(&options);
}

/* The holder says whether it lost its session meanwhile, on a busy machine: then once more. */
static bool heard_by_heartbeat(int64_t ttl_ms)
{
	struct dblock_client *a = deaf_client(ttl_ms), *b = client_new(0);
	struct told told = {.times = 0};
	struct dblock_lock *with = take_with(a, "x", &told, 0), *without = take(a, "y");
	struct dblock_lock *lease = take_with(a, "z", NULL, HOUR_MS);
	int64_t until = clock_ms() + PLENTY_MS;
	bool held;

	ask(b, "x", "one");
	ask(b, "y", "two");
	ask(b, "z", "three");
	while ((!told.times || !dblock_is_requested(without) || !dblock_is_requested(lease)) &&
	       dblock_valid(with, 0) && clock_ms() < until)
		sleep_ms(2);
	held = dblock_valid(with, 0) && dblock_valid(without, 0);
	if (held) {
		assert_int_equal(told.times, 1);
		assert_string_equal(told.reason, "one");
		assert_true(dblock_is_requested(without));
		assert_true(dblock_is_requested(lease));
	}
	(void)dblock_release(with, NULL);
	(void)dblock_release(without, NULL);
	(void)dblock_release(lease, NULL);
	dblock_close(a);
	dblock_close(b);
	return held;
}

static void a_heartbeat_is_enough(void **state)
{
	int64_t ttl_ms = 1500;

	(void)state;
	while (!heard_by_heartbeat(ttl_ms))
		ttl_ms *= 2;
}

static void the_callback_may_release(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct told told = {.release = true};

	(void)state;
	(void)take_with(a, "x", &told, 0);
	ask(b, "x", "let go");
	is_free_soon(b, "x");
	soon(told.released);
	assert_int_equal(told.released, 2);
	assert_int_equal(told.times, 1);
	dblock_close(a);
	dblock_close(b);
}

/* Whoever has it next, the same client too. */
static void a_request_is_about_one_grant(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct told first = {.times = 0}, next = {.times = 0}, third = {.times = 0};
	struct dblock_lock *lock = take_with(a, "x", &first, 0);

	(void)state;
	ask(b, "x", "once");
	soon(first.times == 1);
	give(lock);
	lock = take_with(a, "x", &next, 0);
	hears(a, b, "y");
	assert_int_equal(next.times, 0);
	assert_false(dblock_is_requested(lock));
	give(lock);
	lock = take_with(b, "x", &third, 0);
	hears(b, a, "y");
	assert_int_equal(third.times, 0);
	assert_false(dblock_is_requested(lock));
	assert_int_equal(first.times, 1);
	give(lock);
	dblock_close(a);
	dblock_close(b);
}

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
	how.requested = requested;
	how.requested_arg = &told;
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
	dblock_close(b);
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
	dblock_close(a);
	ask(b, "x", "anybody?");
	expect(OK, dblock_show(b, "x", look_at_request, &seen, &err));
	assert_int_equal(seen.n, 1);
	expect(OK, dblock_release_token(b, "x", token, &err));
	nobody_to_ask(b, "x");
	dblock_close(b);
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
	expect(OK, dblock_break(a, "broken", 0, 0, &err));
	nobody_to_ask(a, "broken");
	expect(LOST, dblock_release(lock, &err));
	lock = take_with(a, "ended", NULL, 300);
	while (show(a, "ended").h.left_ms >= 0)
		sleep_ms(20);
	nobody_to_ask(a, "ended");
	(void)dblock_release(lock, &err);
	dblock_close(a);
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
	expect(E_INVALID, dblock_request(NULL, "x", "why", &err));
	expect(E_INVALID, dblock_request(a, NULL, "why", &err));
	expect(E_INVALID, dblock_request(a, "", "why", &err));
	expect(E_INVALID, dblock_request(a, "x", reason, &err));
	message_has("255");
	expect(E_INVALID, dblock_request(a, "x", "two\nlines", &err));
	expect(E_INVALID, dblock_request(a, "x", "\xff", &err));
	assert_null(show(a, "x").h.request);
	reason[DBLOCK_REASON_MAX] = '\0';
	ask(a, "x", reason);
	ask(a, "x", NULL);
	assert_int_equal(dblock_request(a, "nobody's", "why", NULL), DBLOCK_STALE);

	expect(E_INVALID, dblock_drain(NULL, "host:1", "why", &asked, &err));
	assert_int_equal(asked, 0);
	expect(E_INVALID, dblock_drain(a, "host:1", "two\nlines", NULL, &err));
	expect(E_INVALID, dblock_drain(a, NULL, "why", NULL, &err));
	expect(E_INVALID, dblock_drain(a, "", "why", NULL, &err));
	expect(E_INVALID, dblock_drain(a, "host", "why", NULL, &err));
	expect(E_INVALID, dblock_drain(a, "host:", "why", NULL, &err));
	expect(E_INVALID, dblock_drain(a, ":7", "why", NULL, &err));
	expect(E_INVALID, dblock_drain(a, "host:-7", "why", NULL, &err));
	expect(E_INVALID, dblock_drain(a, "host:7x", "why", NULL, &err));
	expect(E_INVALID, dblock_drain(a, "host:99999999999999999999", "why", NULL, &err));
	message_has("HOST:PID");

	expect(E_INVALID, dblock_requested_fd(NULL, &fd, &err));
	expect(E_INVALID, dblock_requested_fd(lock, NULL, &err));
	assert_false(dblock_is_requested(NULL));
	give(lock);
	dblock_close(a);
}

static void drained(struct dblock_client *client, const char *who, int64_t n)
{
	struct dblock_error err = {0};
	int64_t asked = -1;

	expect(OK, dblock_drain(client, who, "drained", &asked, &err));
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
	dblock_close(a);
	expect(STALE, dblock_drain(c, shown.session, "drained", &asked, &err));
	message_has(shown.session);
	assert_int_equal(asked, 0);
	expect(STALE, dblock_drain(c, "nowhere:1", "drained", NULL, &err));
	message_has("nowhere");
	dblock_close(b);
	dblock_close(c);
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
	expect(OK, dblock_release_token(b, "x", child.said, &err));
	dblock_close(b);
}

static void a_child_process_is_asked_nothing(void **state)
{
	struct dblock_client *a = client_new(HOUR_MS), *b = client_new(HOUR_MS);
	struct told told = {.times = 0};
	struct dblock_lock *lock = take_with(a, "x", &told, 0);
	struct dblock_error err = {0};
	int status, fd;
	pid_t pid;

	(void)state;
	ask(b, "x", "parent");
	soon(told.times == 1);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(dblock_is_requested(lock) ||
		      dblock_requested_fd(lock, &fd, &err) != DBLOCK_E_FORKED ||
		      dblock_request(b, "x", "child", &err) != DBLOCK_E_FORKED ||
		      dblock_drain(b, "host:1", "child", NULL, &err) != DBLOCK_E_FORKED);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(dblock_is_requested(lock));
	give(lock);
	dblock_close(a);
	dblock_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First those that fork while no client is open. */
		cmocka_unit_test(a_lease_of_another_process),
		cmocka_unit_test(what_a_process_has_left),
		cmocka_unit_test(the_holder_is_told_once_and_by_whom),
		cmocka_unit_test(others_see_it_as_long_as_it_stands),
		cmocka_unit_test(the_descriptor_becomes_readable),
		cmocka_unit_test(a_first_descriptor_finds_what_was_asked_before),
		cmocka_unit_test(a_heartbeat_is_enough),
		cmocka_unit_test(the_callback_may_release),
		cmocka_unit_test(a_request_is_about_one_grant),
		cmocka_unit_test(a_lease_whose_process_is_gone),
		cmocka_unit_test(nobody_holds_it),
		cmocka_unit_test(bad_input),
		cmocka_unit_test(all_that_a_client_holds),
		cmocka_unit_test(a_child_process_is_asked_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
