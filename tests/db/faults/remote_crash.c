/* SPDX-License-Identifier: MIT */
/* The server dies and comes back, or stands still for a while: what is held is still held or is
 * told to be lost, as its row says, and every client goes on. */
#include "support/call.h"
#include "support/server.h"

struct scene {
	struct dblock_client *client, *other;
	struct dblock_lock *lock, *theirs;
	bool held_by_both;
	_Atomic int64_t told_at; /* 0: not yet */
};

static int set_up_server(void **state)
{
	(void)state;
	server_start();
	return 0;
}

static int tear_down_server(void **state)
{
	(void)state;
	server_stop();
	return 0;
}

static void told(void *arg, struct dblock_lock *lock)
{
	struct scene *s = arg;

	(void)lock;
	s->told_at = clock_ms();
}

static void begin(struct scene *s, int64_t ttl_ms)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};

	*s = (struct scene){.client = server_client(ttl_ms), .other = server_client(0)};
	how.lost = told;
	how.lost_arg = s;
	expect(OK, dblock_try(s->client, "x", &how, &s->lock, &err));
}

static void end(struct scene *s)
{
	dblock_close(s->client, NULL);
	is_free(s->other, "x");
	dblock_close(s->other, NULL);
}

static void wait_until_lost(struct scene *s)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (dblock_valid(s->lock, 0) && clock_ms() < until)
		sleep_ms(2);
	assert_false(dblock_valid(s->lock, 0));
}

/* Waits for a heartbeat. Returns false if the session was over before. */
static bool is_renewed(struct scene *s, int64_t ttl_ms)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (dblock_valid(s->lock, 0) && !dblock_valid(s->lock, ttl_ms / 2) && clock_ms() < until)
		sleep_ms(2);
	return dblock_valid(s->lock, 0);
}

static int do_acquire(void *arg, struct dblock_error *err)
{
	struct scene *s = arg;

	return dblock_acquire(s->other, "x", NULL, &s->theirs, err);
}

/* Acquires the lock, and notes whether the first holder's handle was still valid then. */
static int wait_for_it(void *arg, struct dblock_error *err)
{
	struct scene *s = arg;
	int rc = do_acquire(s, err);

	s->held_by_both = dblock_valid(s->lock, 0);
	return rc;
}

static int do_release(void *arg, struct dblock_error *err)
{
	struct scene *s = arg;

	return dblock_release(s->lock, err);
}

/* The old lock is lost, and the client works. */
static void goes_on(struct scene *s)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	expect(OK, dblock_acquire(s->client, "y", NULL, &lock, &err));
	assert_false(dblock_valid(s->lock, 0));
	expect(LOST, dblock_release(s->lock, &err));
	give_in_time_or_not(lock);
}

/* ---- crash ----------------------------------------------------------------------------------- */

static void crash_and_restart(void)
{
	server_signal(SIGKILL);
	server_restart();
}

static void stand_still_for_a_while(void)
{
	server_signal(SIGSTOP);
	sleep_ms(2000);
	server_signal(SIGCONT);
}

/* Returns false if the other client gets it: as it may, if the ttl was over before the next heartbeat
 * on this machine. */
static bool keeps_out(struct scene *s)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int rc = dblock_try(s->other, "x", NULL, &lock, &err);

	if (rc == DBLOCK_OK) {
		assert_false(dblock_valid(s->lock, 0));
		give_in_time_or_not(lock);
		return false;
	}
	assert_int_equal(rc, DBLOCK_BUSY);
	return true;
}

/* Returns false if it took too long for this ttl. */
static bool stays_held(void (*harm)(void), int64_t ttl_ms)
{
	struct scene s;
	bool held;

	begin(&s, ttl_ms);
	harm();
	held = is_renewed(&s, ttl_ms) && keeps_out(&s);
	if (held) {
		assert_int_equal(show(s.other, "x").h.token, dblock_token(s.lock));
		give_in_time_or_not(s.lock);
		assert_false(s.told_at);
	} else {
		goes_on(&s);
	}
	end(&s);
	return held;
}

static void is_no_loss(void (*harm)(void))
{
	int64_t ttl_ms = 5000;

	while (!stays_held(harm, ttl_ms)) {
		ttl_ms *= 2;
		assert_true(ttl_ms <= 2 * PLENTY_MS);
	}
}

static void a_crash_that_is_over_in_time(void **state)
{
	(void)state;
	is_no_loss(crash_and_restart);
}

static void a_crash_that_lasts(void **state)
{
	struct dblock_error err = {0};
	struct scene s;

	(void)state;
	begin(&s, 1000);
	server_signal(SIGKILL);
	wait_until_lost(&s);
	server_restart();
	expect(OK, dblock_acquire(s.other, "x", NULL, &s.theirs, &err));
	goes_on(&s);
	assert_true(s.told_at);
	busy(s.client, "x");
	give(s.theirs);
	end(&s);
}

/* Both calls are under way while nobody answers. */
static void a_release_and_an_acquire_through_a_crash(void **state)
{
	struct call release, wait;
	struct scene s;

	(void)state;
	begin(&s, 2 * PLENTY_MS);
	call_start(&wait, do_acquire, &s);
	sleep_ms(200);
	server_signal(SIGKILL);
	call_start(&release, do_release, &s);
	server_restart();
	assert_int_equal(call_end(&release), DBLOCK_OK);
	assert_int_equal(call_end(&wait), DBLOCK_OK);
	busy(s.client, "x");
	give(s.theirs);
	end(&s);
}

/* ---- standstill ------------------------------------------------------------------------------ */

static void a_standstill_that_is_over_in_time(void **state)
{
	(void)state;
	is_no_loss(stand_still_for_a_while);
}

/* When the server goes on, it carries out what it was sent meanwhile, heartbeats too. Returns false
 * if the thread that tells was late itself. */
static bool is_told_in_time(int64_t ttl_ms)
{
	struct scene s;
	struct call wait;
	int64_t stopped;

	begin(&s, ttl_ms);
	call_start(&wait, wait_for_it, &s);
	sleep_ms(ttl_ms / 2);
	server_signal(SIGSTOP);
	stopped = clock_ms();
	wait_until_lost(&s);
	while (clock_ms() <= stopped + ttl_ms)
		sleep_ms(5);
	server_signal(SIGCONT);
	assert_int_equal(call_end(&wait), DBLOCK_OK);
	assert_false(s.held_by_both);
	goes_on(&s);
	give(s.theirs);
	end(&s);
	return s.told_at && s.told_at <= stopped + ttl_ms;
}

static void a_standstill_that_lasts(void **state)
{
	int64_t ttl_ms = 1500;

	(void)state;
	while (!is_told_in_time(ttl_ms)) {
		ttl_ms *= 2;
		assert_true(ttl_ms < PLENTY_MS / 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_crash_that_is_over_in_time),
		cmocka_unit_test(a_crash_that_lasts),
		cmocka_unit_test(a_release_and_an_acquire_through_a_crash),
		cmocka_unit_test(a_standstill_that_is_over_in_time),
		cmocka_unit_test(a_standstill_that_lasts),
	};

	return cmocka_run_group_tests(tests, set_up_server, tear_down_server);
}
