/* SPDX-License-Identifier: MIT */
/* A request that keeps a session alive, or begins or ends it, is held up on its way and arrives
 * when the client has gone on without it: a session that lives is not harmed, one that is over
 * stays over. */
#include "support/call.h"
#include "support/proxy.h"
#include "support/raw.h"

enum { LONG_MS = 600000 };

#define TTL_MS     SLOWLY_MS(1000)
#define BEATING_MS SLOWLY_MS(4500)

struct scene {
	struct proxy *proxy;
	struct raw *raw;
	struct dblock_client *client, *other; /* through the proxy; directly */
	int64_t ttl_ms;
	struct call call;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->other = client_new(LONG_MS);
	s->raw = raw_open(NULL);
	s->proxy = proxy_new();
	s->ttl_ms = BEATING_MS;
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	dblock_close(s->client, NULL);
	proxy_free(s->proxy);
	is_free(s->other, "x");
	raw_close(s->raw);
	dblock_close(s->other, NULL);
	free(s);
	return 0;
}

static int do_open(void *arg, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct scene *s = arg;

	options.ttl_ms = s->ttl_ms;
	options.timeout_ms = PLENTY_MS;
	options.app = "late";
	return dblock_open(proxy_url(s->proxy), &options, &s->client, err);
}

static int do_close(void *arg, struct dblock_error *err)
{
	struct scene *s = arg;

	(void)err;
	dblock_close(s->client, NULL);
	s->client = NULL;
	return 0;
}

static void open_client(struct scene *s, int64_t ttl_ms)
{
	struct dblock_error err = {0};

	s->ttl_ms = ttl_ms;
	expect(OK, do_open(s, &err));
}

/* Returns how many sessions of our client are not over, as far as the database knows. */
static int64_t living(struct scene *s)
{
	return raw_int(s->raw,
		       "SELECT count(*) FROM dblock_session WHERE app = 'late' AND NOT dead");
}

static int64_t beat_of_living(struct scene *s)
{
	return raw_int(s->raw, "SELECT beat FROM dblock_session WHERE app = 'late' AND NOT dead");
}

static void wait_for_beat_after(struct scene *s, int64_t beat)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (beat_of_living(s) <= beat && clock_ms() < until)
		sleep_ms(10);
	assert_true(beat_of_living(s) > beat);
}

static void hold_up(struct scene *s, const char *statement,
		    int (*run)(void *, struct dblock_error *))
{
	proxy_set_at(s->proxy, statement, PROXY_HOLD);
	call_start(&s->call, run, s);
	proxy_wait_hit(s->proxy);
	proxy_cut_held(s->proxy);
	assert_int_equal(call_end(&s->call), DBLOCK_OK);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void an_opening_beside_its_repetition(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock;
	int64_t beat;

	hold_up(s, "session_open", do_open);
	lock = take(s->client, "x");
	wait_for_beat_after(s, beat_of_living(s));
	beat = beat_of_living(s);
	proxy_deliver(s->proxy);
	assert_int_equal(living(s), 1);
	assert_true(beat_of_living(s) >= beat);
	assert_true(dblock_valid(lock, 0));
	wait_for_beat_after(s, beat);
	busy(s->other, "x");
	give(lock);
	dblock_close(s->client, NULL);
	assert_int_equal(living(s), 0);
	open_client(s, LONG_MS);
}

/* A row that the session may leave holds nothing, and ends after its ttl. */
static void an_opening_after_the_close(void **state)
{
	struct dblock_reap_options how = DBLOCK_REAP_OPTIONS_INIT;
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct dblock_reaped reaped = DBLOCK_REAPED_INIT;

	s->ttl_ms = TTL_MS;
	hold_up(s, "session_open", do_open);
	give(take(s->client, "x"));
	dblock_close(s->client, NULL);
	proxy_deliver(s->proxy);
	assert_int_equal(raw_int(s->raw, "SELECT count(*) FROM dblock_lock l "
					 "WHERE l.session IS NOT NULL"),
			 0);
	sleep_ms(TTL_MS);
	expect(OK, dblock_reap(s->other, &how, &reaped, &err));
	assert_int_equal(living(s), 0);
	open_client(s, LONG_MS);
}

static void a_close_when_the_next_client_is_open(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock;

	open_client(s, LONG_MS);
	hold_up(s, "session_delete", do_close);
	assert_int_equal(living(s), 0);
	open_client(s, BEATING_MS);
	lock = take(s->client, "x");
	proxy_deliver(s->proxy);
	assert_int_equal(living(s), 1);
	busy(s->other, "x");
	wait_for_beat_after(s, beat_of_living(s));
	give(lock);
}

/* ---- heartbeat ------------------------------------------------------------------------------- */

/* The next heartbeat arrived long ago: the old number must not come back. */
static void a_heartbeat_after_the_next(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock;
	int64_t beat;

	open_client(s, BEATING_MS);
	lock = take(s->client, "x");
	beat = beat_of_living(s);
	proxy_set_at(s->proxy, "heartbeat", PROXY_HOLD);
	proxy_wait_hit(s->proxy);
	proxy_cut_held(s->proxy);
	wait_for_beat_after(s, beat);
	beat = beat_of_living(s);
	proxy_deliver(s->proxy);
	assert_int_equal(living(s), 1);
	assert_true(beat_of_living(s) >= beat);
	wait_for_beat_after(s, beat);
	busy(s->other, "x");
	assert_true(dblock_valid(lock, 0));
	give(lock);
}

/* The client's last heartbeat is on its way, and it cannot send another. Returns when the client
 * knows that its lock is lost. */
static struct dblock_lock *lose_with_heartbeat_on_its_way(struct scene *s)
{
	int64_t until = clock_ms() + PLENTY_MS;
	struct dblock_lock *lock;

	open_client(s, TTL_MS);
	lock = take(s->client, "x");
	proxy_set_at(s->proxy, "heartbeat", PROXY_HOLD);
	proxy_wait_hit(s->proxy);
	proxy_refuse(s->proxy, true);
	while (dblock_valid(lock, 0) && clock_ms() < until)
		sleep_ms(5);
	assert_false(dblock_valid(lock, 0));
	return lock;
}

/* The network is good again: the client goes on, with another session. */
static void goes_on(struct scene *s, struct dblock_lock *lost)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	proxy_refuse(s->proxy, false);
	expect(OK, dblock_acquire(s->client, "y", NULL, &lock, &err));
	assert_false(dblock_valid(lost, 0));
	expect(LOST, dblock_release(lost, &err));
	give_in_time_or_not(lock);
}

static void a_heartbeat_after_the_burial(void **state)
{
	struct dblock_error err = {0};
	struct scene *s = *state;
	struct dblock_lock *lost = lose_with_heartbeat_on_its_way(s), *lock;

	expect(OK, dblock_acquire(s->other, "x", NULL, &lock, &err));
	assert_int_equal(living(s), 0);
	proxy_cut_held(s->proxy);
	proxy_deliver(s->proxy);
	assert_int_equal(living(s), 0);
	assert_int_equal(show(s->other, "x").h.token, dblock_token(lock));
	goes_on(s, lost);
	give(lock);
}

/* For the database the heartbeat comes in time. But the client has said LOST, and stays with it. */
static void a_heartbeat_after_the_loss(void **state)
{
	struct dblock_error err = {0};
	struct scene *s = *state;
	struct dblock_lock *lost = lose_with_heartbeat_on_its_way(s), *lock;

	proxy_cut_held(s->proxy);
	proxy_deliver(s->proxy);
	assert_false(dblock_valid(lost, 0));
	goes_on(s, lost);
	expect(OK, dblock_acquire(s->other, "x", NULL, &lock, &err));
	assert_int_equal(living(s), 1);
	give(lock);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(an_opening_beside_its_repetition),     CASE(an_opening_after_the_close),
		CASE(a_close_when_the_next_client_is_open), CASE(a_heartbeat_after_the_next),
		CASE(a_heartbeat_after_the_burial),         CASE(a_heartbeat_after_the_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
