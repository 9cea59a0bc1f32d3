/* SPDX-License-Identifier: MIT */
/* A request is held up on its way, and its connection is reset; the client resolves what it cannot
 * know, and goes on. Then the request arrives after all, at the worst moment: nothing may be held
 * that nobody holds, and nobody else's grant may be touched. */
#include "support/call.h"
#include "support/proxy.h"
#include "support/raw.h"

/* A client with BEATING_MS sends a heartbeat every 2 s. With LONG_MS none comes within a test. */
enum { LONG_MS = 600000 };

#define BEATING_MS SLOWLY_MS(6000)

struct scene {
	struct proxy *proxy;
	struct dblock_client *client, *other; /* through the proxy; directly */
	struct dblock_lock *lock;
	struct call call;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->other = client_new(LONG_MS);
	s->proxy = proxy_new();
	s->client = proxy_client(s->proxy, LONG_MS);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	dblock_close(s->client, NULL);
	proxy_free(s->proxy);
	is_free(s->other, "x");
	dblock_close(s->other, NULL);
	free(s);
	return 0;
}

/* Opens the scene's client again, with frequent heartbeats. */
static void beat(struct scene *s)
{
	dblock_close(s->client, NULL);
	s->client = proxy_client(s->proxy, BEATING_MS);
}

/* Starts the call, and holds up the statement when it comes by. */
static void begin_held(struct scene *s, const char *statement,
		       int (*run)(void *, struct dblock_error *))
{
	proxy_set_at(s->proxy, statement, PROXY_HOLD);
	call_start(&s->call, run, s);
	proxy_wait_hit(s->proxy);
}

/* Also lets the client find its connection reset. Returns the call's outcome. */
static int hold_up(struct scene *s, const char *statement,
		   int (*run)(void *, struct dblock_error *))
{
	begin_held(s, statement, run);
	proxy_cut_held(s->proxy);
	return call_end(&s->call);
}

/* The calls whose statement is held up. */

static int do_acquire(void *arg, struct dblock_error *err)
{
	struct scene *s = arg;

	return dblock_acquire(s->client, "x", NULL, &s->lock, err);
}

static int do_release(void *arg, struct dblock_error *err)
{
	struct scene *s = arg;

	return dblock_release(s->lock, err);
}

static int do_extend(void *arg, struct dblock_error *err)
{
	struct scene *s = arg;

	return dblock_extend(s->lock, LONG_MS / 10, err);
}

static int do_break(void *arg, struct dblock_error *err)
{
	struct scene *s = arg;

	return break_by_force(s->client, "x", dblock_token(s->lock), 0, err);
}

static struct dblock_lock *lease(struct dblock_client *client)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.lease_ms = LONG_MS;
	expect(OK, dblock_try(client, "x", &how, &lock, &err));
	return lock;
}

/* The lock is still held by this very grant, as far as anybody can see. */
static void is_held_by(struct scene *s, const struct dblock_lock *lock)
{
	struct shown shown = show(s->other, "x");

	assert_true(shown.h.hold == DBLOCK_HOLD_SESSION || shown.h.hold == DBLOCK_HOLD_LEASE);
	assert_int_equal(shown.h.token, dblock_token(lock));
	assert_true(dblock_valid(lock, 0));
}

/* Delivers the statement while `lock` is held: the lock is not touched, and can be given back. */
static void deliver_beside(struct scene *s, struct dblock_lock *lock)
{
	struct shown before = show(s->other, "x"), after;

	is_held_by(s, lock);
	proxy_deliver(s->proxy);
	is_held_by(s, lock);
	after = show(s->other, "x");
	/* A session's heartbeat may come in between: one is due soon after a connection was lost. */
	if (before.h.hold == DBLOCK_HOLD_LEASE)
		assert_int_equal(before.h.expires_us, after.h.expires_us);
	assert_int_equal(before.h.acquired_us, after.h.acquired_us);
	assert_string_equal(before.session, after.session);
	give(lock);
}

/* ---- acquire --------------------------------------------------------------------------------- */

static void acquire_beside_its_own_repetition(void **state)
{
	struct scene *s = *state;

	assert_int_equal(hold_up(s, "acquire", do_acquire), DBLOCK_OK);
	deliver_beside(s, s->lock);
}

static void acquire_when_another_holds(void **state)
{
	struct scene *s = *state;

	assert_int_equal(hold_up(s, "acquire", do_acquire), DBLOCK_OK);
	give(s->lock);
	deliver_beside(s, take(s->other, "x"));
}

/* Nobody waits for this grant any more. The client's session lives on, so only the client itself
 * can free the lock. */
static void acquire_when_it_is_free(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	beat(s);
	assert_int_equal(hold_up(s, "acquire", do_acquire), DBLOCK_OK);
	give(s->lock);
	proxy_deliver(s->proxy);
	how.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(s->other, "x", &how, &lock, &err));
	give(lock);
}

/* The client is closed: the late grant would be of a session that is over, so there is none. */
static void acquire_when_its_client_is_closed(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	assert_int_equal(hold_up(s, "acquire", do_acquire), DBLOCK_OK);
	dblock_close(s->client, NULL);
	proxy_deliver(s->proxy);
	how.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(s->other, "x", &how, &lock, &err));
	give(lock);
	s->client = client_new(0);
}

/* ---- release, extend, break ------------------------------------------------------------------ */

static void release_when_another_holds(void **state)
{
	struct scene *s = *state;

	s->lock = take(s->client, "x");
	assert_int_equal(hold_up(s, "release", do_release), DBLOCK_OK);
	deliver_beside(s, take(s->other, "x"));
}

static void release_when_it_was_taken_again(void **state)
{
	struct scene *s = *state;

	s->lock = take(s->client, "x");
	assert_int_equal(hold_up(s, "release", do_release), DBLOCK_OK);
	deliver_beside(s, take(s->client, "x"));
}

static void extend_when_another_holds(void **state)
{
	struct scene *s = *state;

	s->lock = lease(s->client);
	assert_int_equal(hold_up(s, "extend", do_extend), DBLOCK_OK);
	give(s->lock);
	deliver_beside(s, lease(s->other));
}

/* The late extend may bring the end closer than a later one had put it: then the holder knows. */
static void extend_after_a_longer_one(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	s->lock = lease(s->client);
	assert_int_equal(hold_up(s, "extend", do_extend), DBLOCK_OK);
	expect(OK, dblock_extend(s->lock, LONG_MS, &err));
	proxy_deliver(s->proxy);
	assert_true(dblock_remaining_ms(s->lock) <= show(s->other, "x").h.left_ms);
	give(s->lock);
}

static void extend_when_it_was_released(void **state)
{
	struct scene *s = *state;

	s->lock = lease(s->client);
	assert_int_equal(hold_up(s, "extend", do_extend), DBLOCK_OK);
	give(s->lock);
	proxy_deliver(s->proxy);
	is_free(s->other, "x");
}

static void break_when_another_holds(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};

	s->lock = take(s->other, "x");
	assert_int_equal(hold_up(s, "break", do_break), DBLOCK_OK);
	expect(LOST, dblock_release(s->lock, &err));
	deliver_beside(s, take(s->other, "x"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(acquire_beside_its_own_repetition), CASE(acquire_when_another_holds),
		CASE(acquire_when_it_is_free),           CASE(acquire_when_its_client_is_closed),
		CASE(release_when_another_holds),        CASE(release_when_it_was_taken_again),
		CASE(extend_when_another_holds),         CASE(extend_after_a_longer_one),
		CASE(extend_when_it_was_released),       CASE(break_when_another_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
