/* SPDX-License-Identifier: MIT */
/* The queue of calls that really wait, as it is listed: in order, with all that is known of them.
 */
#include "db/lock/admin/waiters_kit.h"

/* A thread that waits for a lock, gives it back, and ends. */
struct sleeper {
	struct dblock_client *client;
	const char *name, *value;
	int64_t lease_ms;
	pthread_t thread;
	pid_t tid;
	struct dblock_error err;
	int rc;
};

static void *sleep_body(void *arg)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct sleeper *s = arg;
	struct dblock_lock *lock;

	options.value = s->value;
	options.lease_ms = s->lease_ms;
	s->tid = gettid();
	s->rc = dblock_acquire(s->client, s->name, &options, &lock, &s->err);
	if (s->rc == 0)
		s->rc = dblock_release(lock, &s->err);
	return NULL;
}

/* Returns when the row is there and has been announced, before the next one begins. */
static void sleeper_begin(struct sleeper *s)
{
	int64_t before = show(client, s->name).h.waiting;
	int64_t until = clock_ms() + PLENTY_MS;

	assert_int_equal(pthread_create(&s->thread, NULL, sleep_body, s), 0);
	while (show(client, s->name).h.waiting == before && clock_ms() < until)
		sleep_ms(5);
	assert_int_equal(show(client, s->name).h.waiting, before + 1);
}

static void sleeper_end(struct sleeper *s)
{
	pthread_join(s->thread, NULL);
	expect_at(s->rc, DBLOCK_OK, &s->err, "a sleeper", __FILE__, __LINE__);
}

static void is_seen(int i, const char *name, int64_t place, const struct sleeper *s)
{
	struct timespec now;
	char host[256];

	gethostname(host, sizeof(host));
	clock_gettime(CLOCK_REALTIME, &now);
	assert_string_equal(seen.row[i].name, name);
	assert_int_equal(seen.row[i].w.place, place);
	assert_string_equal(seen.row[i].value, s->value ? s->value : "");
	assert_int_equal(seen.row[i].w.lease_ms, s->lease_ms);
	assert_int_equal(seen.row[i].w.pid, getpid());
	assert_int_equal(seen.row[i].w.thread, s->tid);
	assert_string_equal(seen.row[i].host, host);
	assert_string_equal(seen.row[i].app, "the sleepers");
	assert_int_equal(strlen(seen.row[i].session), 32);
	assert_false(seen.row[i].w.session_dead);
	assert_false(seen.row[i].w.session_missing);
	assert_false(seen.row[i].w.session_late);
	assert_true(llabs(seen.row[i].w.since_us / 1000000 - now.tv_sec) < 120);
	assert_true(seen.row[i].w.waiting_ms >= 0 && seen.row[i].w.waiting_ms < 120000);
}

static void who_waits_in_order(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_lock *x = take(client, "x"), *y = take(client, "y");
	struct sleeper s[] = {{.name = "y", .value = "first of y"},
			      {.name = "x"},
			      {.name = "x", .value = "second of x", .lease_ms = 5000},
			      {.name = "y"},
			      {.name = "x"}};

	(void)state;
	options.app = "the sleepers";
	options.timeout_ms = PLENTY_MS;
	for (int i = 0; i < 5; i++) {
		s[i].client = client_with(&options);
		sleeper_begin(&s[i]);
	}
	list(NULL);
	assert_int_equal(seen.n, 5);
	is_seen(0, "x", 1, &s[1]);
	is_seen(1, "x", 2, &s[2]);
	is_seen(2, "x", 3, &s[4]);
	is_seen(3, "y", 1, &s[0]);
	is_seen(4, "y", 2, &s[3]);
	assert_true(seen.row[0].w.ticket < seen.row[1].w.ticket);
	assert_true(seen.row[1].w.ticket < seen.row[2].w.ticket);
	/* Who came earlier has waited for longer. */
	assert_true(seen.row[0].w.waiting_ms >= seen.row[2].w.waiting_ms);
	list("y");
	assert_int_equal(seen.n, 2);
	is_seen(0, "y", 1, &s[0]);
	is_seen(1, "y", 2, &s[3]);
	assert_int_equal(show(client, "x").h.waiting, 3);
	give(x);
	give(y);
	for (int i = 0; i < 5; i++)
		sleeper_end(&s[i]);
	list(NULL);
	assert_int_equal(seen.n, 0);
	assert_int_equal(show(client, "x").h.waiting, 0);
	for (int i = 0; i < 5; i++)
		dblock_close(s[i].client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(who_waits_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
