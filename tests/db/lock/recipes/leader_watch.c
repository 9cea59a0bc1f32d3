/* SPDX-License-Identifier: MIT */
/* Watching a leader: no change is missed between two calls, and each change wakes those who wait
 * for it. */
#include "support/call.h"
#include "support/kit.h"
#include "support/spy.h"

/* A watcher with its own client, whose statements are counted. */
struct watcher {
	struct spy *spy;
	struct dblock_client *client;
	struct dblock_watch_options options;
	struct dblock_leader leader;
	_Atomic bool stop;
};

static struct watcher *watcher_new(void)
{
	struct watcher *w = calloc(1, sizeof(*w));

	w->spy = spy_new();
	w->client = spy_client(w->spy, 0);
	w->options = (struct dblock_watch_options)DBLOCK_WATCH_OPTIONS_INIT;
	w->options.every_ms = 10;
	w->options.wait_ms = PLENTY_MS;
	w->leader = (struct dblock_leader)DBLOCK_LEADER_INIT;
	return w;
}

static void watcher_free(struct watcher *w)
{
	dblock_close(w->client, NULL);
	spy_free(w->spy);
	free(w);
}

static int watch(void *arg, struct dblock_error *err)
{
	struct watcher *w = arg;

	return dblock_leader_watch(w->client, "x", &w->options, &w->leader, err);
}

static int wants_to_stop(void *arg)
{
	return ((struct watcher *)arg)->stop;
}

/* Waits until it has looked, and seen nothing new, at least twice. */
static void until_it_watches(struct watcher *w)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (w->spy->runs_of[DBL_OP_show] < 2) {
		assert_true(clock_ms() < until);
		sleep_ms(1);
	}
}

static void watch_begins(struct watcher *w, struct call *call)
{
	spy_reset(w->spy);
	call_start(call, watch, w);
	until_it_watches(w);
	assert_false(call->done);
}

static void each_change_wakes(void **state)
{
	struct dblock_elect_options how = DBLOCK_ELECT_OPTIONS_INIT;
	struct dblock_client *a = client_new(0);
	struct watcher *w = watcher_new();
	struct dblock_error err = {0};
	struct dblock_lock *lock;
	struct call call;
	int64_t token;

	(void)state;
	/* Somebody becomes the leader. */
	watch_begins(w, &call);
	how.value = "one";
	expect(OK, dblock_elect(a, "x", &how, &lock, &err));
	assert_int_equal(call_end(&call), DBLOCK_OK);
	assert_string_equal(w->leader.value, "one");
	token = dblock_token(lock);
	assert_int_equal(w->leader.token, token);
	/* The leader changes its value. Naive: only the token is compared. */
	watch_begins(w, &call);
	expect(OK, dblock_proclaim(lock, "two", &err));
	assert_int_equal(call_end(&call), DBLOCK_OK);
	assert_string_equal(w->leader.value, "two");
	assert_int_equal(w->leader.token, token);
	/* The leader ends. */
	watch_begins(w, &call);
	give(lock);
	assert_int_equal(call_end(&call), DBLOCK_STALE);
	assert_int_equal(w->leader.token, 0);
	assert_string_equal(w->leader.value, "");
	dblock_close(a, NULL);
	watcher_free(w);
}

/* Another leader with the same value comes between two calls. Naive: each watch begins anew with
 * what it sees first. */
static void what_changed_between_two_calls_is_told_at_once(void **state)
{
	struct dblock_client *a = client_new(0);
	struct watcher *w = watcher_new();
	struct dblock_error err = {0};
	struct dblock_lock *lock = take(a, "x");
	int64_t token;

	(void)state;
	expect(OK, dblock_leader_of(w->client, "x", &w->leader, &err));
	give(lock);
	lock = take(a, "x");
	token = dblock_token(lock);
	spy_reset(w->spy);
	expect(OK, watch(w, &err));
	assert_int_equal(w->spy->runs, 1);
	assert_int_equal(w->leader.token, token);
	give(lock);
	expect(STALE, watch(w, &err));
	assert_int_equal(w->spy->runs, 2);
	dblock_close(a, NULL);
	watcher_free(w);
}

static void it_ends_by_time_or_will(void **state)
{
	struct dblock_client *a = client_new(0);
	struct watcher *w = watcher_new();
	struct dblock_lock *lock = take(a, "x");
	struct dblock_error err = {0};
	struct call call;
	int64_t begun;

	(void)state;
	expect(OK, watch(w, &err));
	w->options.wait_ms = 50;
	begun = clock_ms();
	expect(TIMEOUT, watch(w, &err));
	assert_true(clock_ms() - begun >= 49);
	assert_int_equal(w->leader.token, dblock_token(lock));
	/* A watch with a long pause still notices that. */
	w->options.wait_ms = 0;
	w->options.every_ms = 3600 * 1000;
	w->options.canceled = wants_to_stop;
	w->options.canceled_arg = w;
	call_start(&call, watch, w);
	sleep_ms(20);
	w->stop = true;
	assert_int_equal(call_end(&call), DBLOCK_CANCELED);
	give(lock);
	dblock_close(a, NULL);
	watcher_free(w);
}

/* A look is one statement, and there are no more looks than were asked for. */
static void what_it_costs(void **state)
{
	struct dblock_client *a = client_new(0);
	struct watcher *w = watcher_new();
	struct dblock_lock *lock = take(a, "x");
	struct dblock_error err = {0};

	(void)state;
	expect(OK, watch(w, &err));
	spy_reset(w->spy);
	w->options.wait_ms = 300;
	w->options.every_ms = 100;
	expect(TIMEOUT, watch(w, &err));
	assert_true(w->spy->runs >= 2 && w->spy->runs <= 5);
	assert_int_equal(w->spy->runs, w->spy->runs_of[DBL_OP_show]);
	give(lock);
	dblock_close(a, NULL);
	watcher_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_change_wakes),
		cmocka_unit_test(what_changed_between_two_calls_is_told_at_once),
		cmocka_unit_test(it_ends_by_time_or_will),
		cmocka_unit_test(what_it_costs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
