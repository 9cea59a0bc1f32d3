/* SPDX-License-Identifier: MIT */
/* The network goes bad between a client and the server: the holder is told before the server lets
 * anybody else in, and the client goes on when the network does. A failure that passes in time is
 * no loss. */
#include <poll.h>

#include "support/call.h"
#include "support/proxy.h"

struct scene {
	struct proxy *proxy;
	struct dblock_client *client, *other; /* through the proxy; directly */
	struct dblock_lock *lock, *theirs;
	int64_t ttl_ms;
	bool held_by_both;       /* ours was still valid when the other got it */
	_Atomic int64_t told_at; /* 0: not yet */
	_Atomic int calls;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->other = client_new(0);
	s->proxy = proxy_new();
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	proxy_free(s->proxy);
	dblock_close(s->other, NULL);
	free(s);
	return 0;
}

static void told(void *arg, struct dblock_lock *lock)
{
	struct scene *s = arg;

	(void)lock;
	s->calls++;
	s->told_at = clock_ms();
}

static struct dblock_lock *take_telling(struct scene *s)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	s->told_at = 0;
	s->calls = 0;
	how.lost = told;
	how.lost_arg = s;
	expect(OK, dblock_try(s->client, "x", &how, &lock, &err));
	return lock;
}

static int wait_for_it(void *arg, struct dblock_error *err)
{
	struct scene *s = arg;
	int rc = dblock_acquire(s->other, "x", NULL, &s->theirs, err);

	s->held_by_both = dblock_valid(s->lock, 0);
	return rc;
}

static void silence(struct proxy *p)
{
	proxy_set(p, PROXY_SILENT);
}

static void swallow(struct proxy *p)
{
	proxy_set(p, PROXY_SWALLOW);
}

static void refuse(struct proxy *p)
{
	proxy_refuse(p, true);
	proxy_cut(p);
}

static void heal(struct proxy *p)
{
	proxy_refuse(p, false);
	proxy_set(p, PROXY_PASS);
}

static bool is_readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

/* The network is good again, and all goes on as before. */
static void goes_on(struct scene *s)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	heal(s->proxy);
	assert_false(dblock_valid(s->lock, 0));
	expect(OK, dblock_acquire(s->client, "y", NULL, &lock, &err));
	busy(s->client, "x");
	expect(LOST, dblock_release(s->lock, &err));
	message_has("the database could not be reached since 20");
	give_in_time_or_not(lock);
	give(s->theirs);
	assert_int_equal(s->calls, 1);
	is_free(s->client, "x");
	dblock_close(s->client, NULL);
}

/* Returns false if the watchdog was late itself, on a machine that had too much to do. */
static bool is_told_first(struct scene *s, void (*harm)(struct proxy *), int64_t ttl_ms)
{
	struct dblock_error err = {0};
	struct call wait;
	int64_t until;
	int fd;

	s->client = proxy_client(s->proxy, ttl_ms);
	s->lock = take_telling(s);
	expect(OK, dblock_lost_fd(s->lock, &fd, &err));
	call_start(&wait, wait_for_it, s);
	sleep_ms(ttl_ms / 2); /* long enough for a heartbeat: the waiter has seen it live */
	harm(s->proxy);
	assert_int_equal(call_end(&wait), DBLOCK_OK);
	assert_false(s->held_by_both);
	until = clock_ms() + PLENTY_MS;
	while ((!s->told_at || !is_readable(fd)) && clock_ms() < until)
		sleep_ms(5);
	assert_true(s->told_at);
	assert_true(is_readable(fd));
	goes_on(s);
	return s->told_at <= wait.ended;
}

static void told_before_others_get_in(struct scene *s, void (*harm)(struct proxy *))
{
	int64_t ttl_ms = SLOWLY_MS(1000);

	while (!is_told_first(s, harm, ttl_ms)) {
		ttl_ms *= 2;
		assert_true(ttl_ms < PLENTY_MS / 2);
	}
}

static void a_network_that_swallows_packets(void **state)
{
	told_before_others_get_in(*state, silence);
}

/* The server still gets the heartbeats; the client must go by the answers, which it never gets. */
static void a_network_that_swallows_answers(void **state)
{
	told_before_others_get_in(*state, swallow);
}

static void a_server_that_is_gone(void **state)
{
	told_before_others_get_in(*state, refuse);
}

/* ---- no loss --------------------------------------------------------------------------------- */

/* Keeps the network bad for half of a ttl, a heartbeat's time included. */
static bool survives(struct scene *s, void (*harm)(struct proxy *), int64_t ttl_ms)
{
	int64_t until;
	bool held;

	s->client = proxy_client(s->proxy, ttl_ms);
	s->lock = take_telling(s);
	harm(s->proxy);
	sleep_ms(ttl_ms / 2);
	heal(s->proxy);
	until = clock_ms() + PLENTY_MS;
	while (dblock_valid(s->lock, 0) && !dblock_valid(s->lock, ttl_ms / 2) && clock_ms() < until)
		sleep_ms(2);
	held = dblock_valid(s->lock, 0);
	if (held) {
		busy(s->other, "x");
		give(s->lock);
		assert_int_equal(s->calls, 0);
	} else {
		(void)dblock_release(s->lock, NULL);
	}
	dblock_close(s->client, NULL);
	return held;
}

static void is_no_loss(struct scene *s, void (*harm)(struct proxy *))
{
	int64_t ttl_ms = SLOWLY_MS(2000);

	while (!survives(s, harm, ttl_ms)) {
		ttl_ms *= 2;
		assert_true(ttl_ms < PLENTY_MS);
	}
	is_free(s->other, "x");
}

static void a_heartbeat_that_is_refused(void **state)
{
	is_no_loss(*state, refuse);
}

static void a_heartbeat_that_is_swallowed(void **state)
{
	is_no_loss(*state, silence);
}

static void a_heartbeat_whose_answer_is_swallowed(void **state)
{
	is_no_loss(*state, swallow);
}

static void slow_down(struct proxy *p)
{
	proxy_set(p, PROXY_SLOW);
}

/* The lock is held as long as a heartbeat needs less than what is left of the ttl. */
static bool survives_a_slow_network(struct scene *s, int64_t ttl_ms)
{
	int64_t until;
	bool held;

	s->client = proxy_client(s->proxy, ttl_ms);
	s->lock = take_telling(s);
	slow_down(s->proxy);
	until = clock_ms() + 2 * ttl_ms;
	while (dblock_valid(s->lock, 0) && clock_ms() < until)
		sleep_ms(5);
	held = dblock_valid(s->lock, 0);
	heal(s->proxy);
	(void)dblock_release(s->lock, NULL);
	dblock_close(s->client, NULL);
	return held;
}

static void a_slow_network(void **state)
{
	struct scene *s = *state;
	int64_t ttl_ms = SLOWLY_MS(2000);

	while (!survives_a_slow_network(s, ttl_ms)) {
		ttl_ms *= 2;
		assert_true(ttl_ms < PLENTY_MS);
	}
	is_free(s->other, "x");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_network_that_swallows_packets),
		CASE(a_network_that_swallows_answers),
		CASE(a_server_that_is_gone),
		CASE(a_heartbeat_that_is_refused),
		CASE(a_heartbeat_that_is_swallowed),
		CASE(a_heartbeat_whose_answer_is_swallowed),
		CASE(a_slow_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
