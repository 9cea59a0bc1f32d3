/* SPDX-License-Identifier: MIT */
/*
 * Memory runs out. Each call is made again and again: with its first request for memory refused,
 * with its second, ... until it makes no further one; likewise with all refused from then on;
 * likewise with threads, with mutexes, and with the memory that SQLite itself asks for. Whatever
 * the call returns then must be true, nothing may be left held, and it must work once there is
 * memory again.
 */
#include "db/faults/nomem_any.h"
#include "db/faults/nomem_begun.h"
#include "db/faults/nomem_checks.h"
#include "db/faults/nomem_flight.h"
#include "db/faults/nomem_latch.h"
#include "db/faults/nomem_local.h"
#include "db/faults/nomem_optimistic.h"
#include "db/faults/nomem_pool.h"
#include "db/faults/nomem_rate.h"
#include "support/thin.h"

/* ---- the loop ------------------------------------------------------------------------------- */

static void nothing_held(struct stage *s)
{
	struct dblock_error err = {0};
	struct dblock_lock *lock = NULL;

	/* The helper's handles belong to this thread. */
	expect(OK, dblock_try(s->helper, "x", NULL, &lock, &err));
	while (show(s->helper, "x").h.hold != DBLOCK_HOLD_FREE)
		give(lock);
}

static void check_outcome(const struct scene *scene, int rc, int refused,
			  const struct dblock_error *err)
{
	bool is_fine = rc == scene->expected || (refused && rc == DBLOCK_E_NOMEM);

	if (is_fine && (rc == DBLOCK_OK || (err->code == rc && err->message[0])))
		return;
	fail_msg("%s, %d refused: %s: %s", scene->name, refused, dblock_outcome_name(rc),
		 err->message);
}

/* Plays the scene once, and returns how many requests were refused. */
static int play(struct stage *s, const struct scene *scene, enum shortage_of of, int n, bool lasts)
{
	struct dblock_error err = {0};
	int refused, rc;

	s->times = 0;
	if (scene->prepare)
		scene->prepare(s);
	shortage_begin(of, n, lasts);
	rc = scene->call(s, &err);
	refused = shortage_end();
	check_outcome(scene, rc, refused, &err);
	if (scene->check)
		scene->check(s, rc);
	/* Now there is memory again. */
	if (rc == DBLOCK_E_NOMEM)
		check_outcome(scene, scene->call(s, &err), 0, &err);
	if (s->dying)
		puppet_free(s->dying);
	s->dying = NULL;
	if (s->lock)
		(void)dblock_release(s->lock, NULL);
	dblock_close(s->client, NULL);
	s->lock = NULL;
	s->client = NULL;
	nothing_held(s);
	return refused;
}

static const struct scene scenes[] = {
	{"open", NULL, call_open, check_opened, 0},
	{"begin a try", with_client, call_try_begin, check_acquired, 0},
	{"begin an extension", with_lease, call_extend_begin, check_still_held, 0},
	{"begin a release", with_lock, call_release_begin, NULL, 0},
	{"try", with_client, call_try, check_acquired, 0},
	{"acquire with a lease", with_client, call_lease, check_acquired, 0},
	{"acquire a dead one's", with_dead_holder, call_try, check_acquired, 0},
	{"outlive a dying one", with_dying_holder, call_outlive, check_outlived, 0},
	{"try what is busy", with_busy, call_try, NULL, DBLOCK_BUSY},
	{"wait for what is busy", with_busy, call_wait, NULL, DBLOCK_TIMEOUT},
	{"wait for any", with_both_busy, call_wait_for_any, NULL, DBLOCK_TIMEOUT},
	{"take any", with_busy, call_take_any, check_any, 0},
	{"wait for a thread of ours", with_own_thread, call_wait_in_memory, check_none_in_memory,
	 DBLOCK_TIMEOUT},
	{"drive a wait", with_client, call_drive, check_acquired, 0},
	{"end a wait in line", with_busy, call_end_in_queue, check_not_in_queue, 0},
	{"re-entry", with_lock, call_reenter, check_still_held, 0},
	{"extend", with_lease, call_extend, check_still_held, 0},
	{"extend by token", with_lease, call_extend_token, check_still_held, 0},
	{"release", with_lock, call_release, NULL, 0},
	{"release a lease", with_lease, call_release, NULL, 0},
	{"release by token", with_lease, call_release_token, NULL, 0},
	{"list", with_values, call_list, check_still_held, 0},
	{"show", with_values, call_show, check_still_held, 0},
	{"break", with_lock, call_break, NULL, 0},
	{"ask", with_lock, call_request, NULL, 0},
	{"show who asks", with_request, call_show_request, NULL, 0},
	{"single flight", with_client, call_single_flight, check_flight, 0},
	{"number permits", with_client, call_numbered, NULL, 0},
	{"a pool", with_client, call_pool, NULL, 0},
	{"latch", with_client, call_latch, NULL, 0},
	{"wait for a latch", with_client, call_wait_for_latch, NULL, DBLOCK_TIMEOUT},
	{"barrier", with_client, call_barrier, check_barrier, 0},
	{"reap", with_client, call_reap, NULL, 0},
	{"reap a dying one's", with_dying_holder, call_reap, NULL, 0},
	{"update by version", with_article, call_update, check_update, 0},
	{"take of a rate", with_rate, call_rate, check_rate, 0},
	{"list rates", with_client, call_rates, NULL, 0},
	{"doctor", NULL, call_doctor, NULL, 0},
	{"migration status", NULL, call_status, NULL, 0},
	{"migrate", with_new_tables, call_migrate, NULL, 0},
};

/* SQLite makes thousands of requests, most of them alike, so each scene tries only a part of them.
 * A scene with few requests tries all; what one scene leaves out another tries, since each has its
 * own stride and start. A shortage that lasts is much like a single one. */
static int stride_of(struct stage *s, const struct scene *scene, enum shortage_of of, bool lasts)
{
	enum { TRIED = 60, TRIED_LASTING = 20 };

	if (tries_all())
		return 1;
	if (of != SHORT_OF_SQLITE_MEMORY)
		return lasts ? 5 : 1;
	(void)play(s, scene, of, SHORTAGE_NEVER, false);
	return 1 + shortage.made / (lasts ? TRIED_LASTING : TRIED);
}

/* Returns the next request to try after `n`. On a server five of six are left out besides
 * (support/thin.h). */
static int next_one(enum shortage_of of, int n, int stride)
{
	do
		n += stride;
	while (of == SHORT_OF_MEMORY && !tries_here((unsigned)(n / stride), 6));
	return n;
}

/* Returns how many requests the call makes, or a few less if some are left out. */
static int play_some(struct stage *s, const struct scene *scene, enum shortage_of of, bool lasts)
{
	int stride = stride_of(s, scene, of, lasts);
	int n = 1 + (of == SHORT_OF_SQLITE_MEMORY ? (int)(scene - scenes) % stride : 0);

	while (play(s, scene, of, n, lasts) > 0)
		n = next_one(of, n, stride);
	return n - 1;
}

static int play_all(struct stage *s, const struct scene *scene, enum shortage_of of)
{
	int n = play_some(s, scene, of, false);

	play_some(s, scene, of, true);
	return n;
}

static void play_scenes(struct stage *s, enum shortage_of of)
{
	for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
		int64_t begun = clock_ms();
		int n = play_all(s, &scenes[i], of);

		print_message("%s: %d requests, %lld ms\n", scenes[i].name, n,
			      (long long)(clock_ms() - begun));
	}
}

static void any_allocation_may_fail(void **state)
{
	play_scenes(*state, SHORT_OF_MEMORY);
}

static void any_allocation_of_sqlite_may_fail(void **state)
{
	play_scenes(*state, SHORT_OF_SQLITE_MEMORY);
}

static void any_thread_may_fail_to_start(void **state)
{
	int n = play_all(*state, &scenes[0], SHORT_OF_THREADS);

	/* These are the heartbeat thread, the watchdog and the release thread; on MySQL also a
	 * guard for each connection. */
	assert_int_equal(n, on_backend("mysql") ? 5 : 3);
	/* Nor may those that make a call for a loop. */
	for (int i = 1; i <= 3; i++)
		assert_true(play_all(*state, &scenes[i], SHORT_OF_THREADS) > 0);
}

/* Nothing works without them: each one that is refused must be told. */
static void any_mutex_or_condition_may_fail(void **state)
{
	struct stage *s = *state;
	struct dblock_error err = {0};
	int n = 0, refused;

	do {
		shortage_begin(SHORT_OF_SYNC, ++n, false);
		(void)call_open(s, &err);
		refused = shortage_end();
		if (refused) {
			assert_int_equal(err.code, DBLOCK_E_NOMEM);
			assert_null(s->client);
		}
	} while (refused);
	assert_non_null(s->client);
	dblock_close(s->client, NULL);
	s->client = NULL;
	/* They belong to the link, the session and the locks; on MySQL also to a guard for each
	 * connection. */
	assert_true(n > (on_backend("mysql") ? 12 : 8));
}

/* ---- close ---------------------------------------------------------------------------------- */

/* A close cannot say that it had no memory. What it could not give back ends with its session, at
 * the latest after its ttl; nothing stays for ever. */
static int close_short(struct stage *s, enum shortage_of of, int n, bool lasts)
{
	struct dblock_client *client = open_one(300);
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	int refused;

	/* The session is short, so a machine that sleeps for as long loses it. */
	while (dblock_try(client, "x", NULL, &lock, &err) ||
	       dblock_try(client, "y", NULL, &lock, &err))
		assert_int_equal(err.code, DBLOCK_LOST);
	shortage_begin(of, n, lasts);
	dblock_close(client, NULL);
	refused = shortage_end();
	expect(OK, dblock_acquire(s->helper, "x", NULL, &lock, &err));
	give(lock);
	expect(OK, dblock_acquire(s->helper, "y", NULL, &lock, &err));
	give(lock);
	return refused;
}

static void close_gives_back_all(void **state)
{
	int n = 1;

	while (close_short(*state, SHORT_OF_MEMORY, n, false) > 0)
		n++;
	for (int m = 1; m < n; m++)
		close_short(*state, SHORT_OF_MEMORY, m, true);
}

/* A release that could not be delivered is not forgotten, even if all memory was gone, and does not
 * wait for the next heartbeat, which is hours away. */
static void a_failed_release_is_made_up_for(void **state)
{
	struct stage *s = *state;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	with_lease(s);
	shortage_begin(SHORT_OF_MEMORY, 1, true);
	expect(E_NOMEM, call_release(s, &err));
	assert_true(shortage_end() > 0);
	options.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(s->helper, "x", &options, &lock, &err));
	give(lock);
	dblock_close(s->client, NULL);
	nothing_held(s);
}

static int set_up(void **state)
{
	static struct stage stage;

	stage = (struct stage){.helper = open_one(0), .raw = raw_open(NULL)};
	*state = &stage;
	return 0;
}

static int tear_down(void **state)
{
	struct stage *s = *state;

	raw_close(s->raw);
	dblock_close(s->helper, NULL);
	return 0;
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(any_allocation_may_fail),         CASE(any_thread_may_fail_to_start),
		CASE(any_mutex_or_condition_may_fail), CASE(close_gives_back_all),
		CASE(a_failed_release_is_made_up_for), CASE(it_goes_from_thread_to_thread),
	};
	const struct CMUnitTest sqlite_tests[] = {
		CASE(any_allocation_of_sqlite_may_fail),
	};
	bool on_sqlite = on_backend("sqlite");
	int failed = 0;

	if (on_sqlite && !shortage_of_sqlite())
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (on_sqlite)
		failed += cmocka_run_group_tests(sqlite_tests, NULL, NULL);
	return failed;
}
