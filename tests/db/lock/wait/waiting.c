/* SPDX-License-Identifier: MIT */
/* The callback of a waiting call: what it is told, how often, and at what cost. */
#include "support/raw.h"
#include "support/spy.h"

enum { EVERY_MS = 200 };

/* What was told, and when. */
struct told {
	_Atomic int n;
	_Atomic int64_t place; /* as told last, and so are these: */
	_Atomic int64_t waiters;
	_Atomic int64_t token;
	_Atomic int64_t holders;
	int64_t first_at, last_at, least_gap;
	struct dblock_waiting w;
	char name[256], host[256], app[64];
	pthread_t thread;
	_Atomic bool stop;
};

struct sleeper {
	struct dblock_client *client;
	struct told told;
	struct dblock_acquire_options options;
	struct dblock_error err;
	pthread_t thread;
	int64_t begun, got;
	int rc;
};

static void note(void *arg, const struct dblock_waiting *waiting)
{
	struct told *told = arg;
	int64_t now = clock_ms();

	told->w = *waiting;
	snprintf(told->name, sizeof(told->name), "%s", waiting->name);
	snprintf(told->host, sizeof(told->host), "%s", waiting->host);
	snprintf(told->app, sizeof(told->app), "%s", waiting->app);
	told->thread = pthread_self();
	if (told->n == 0)
		told->first_at = now;
	else if (told->n == 1 || now - told->last_at < told->least_gap)
		told->least_gap = now - told->last_at;
	told->last_at = now;
	told->place = waiting->place;
	told->waiters = waiting->waiters;
	told->token = waiting->token;
	told->holders = waiting->holders;
	told->n++;
}

static int is_stopped(void *arg)
{
	return ((struct told *)arg)->stop;
}

static void *sleep_body(void *arg)
{
	struct sleeper *s = arg;
	struct dblock_lock *lock;

	s->begun = clock_ms();
	s->rc = dblock_acquire(s->client, "x", &s->options, &lock, &s->err);
	s->got = clock_ms();
	if (s->rc == 0)
		dblock_release(lock, NULL);
	return NULL;
}

/* Returns when the call is in the queue. */
static void sleeper_begin(struct sleeper *s, struct dblock_client *looker, bool asks)
{
	int64_t before = show(looker, "x").h.waiting, until = clock_ms() + PLENTY_MS;

	s->options.size = sizeof(s->options);
	s->options.wait_ms = PLENTY_MS;
	s->options.canceled = is_stopped;
	s->options.canceled_arg = &s->told;
	if (asks) {
		s->options.waiting = note;
		s->options.waiting_arg = &s->told;
		s->options.waiting_every_ms = EVERY_MS;
	}
	assert_int_equal(pthread_create(&s->thread, NULL, sleep_body, s), 0);
	while (show(looker, "x").h.waiting == before && clock_ms() < until)
		sleep_ms(5);
}

static void sleeper_end(struct sleeper *s, int outcome)
{
	pthread_join(s->thread, NULL);
	expect_at(s->rc, outcome, &s->err, "a sleeper", __FILE__, __LINE__);
}

static void wait_until_told(const struct told *told, int64_t place, int64_t waiters)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while ((told->place != place || told->waiters != waiters) && clock_ms() < until)
		sleep_ms(5);
	assert_int_equal(told->place, place);
	assert_int_equal(told->waiters, waiters);
}

static void for_whom_and_at_which_place(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *a, *b = client_new(0), *c = client_new(0);
	struct sleeper before = {.client = b}, s = {.client = c}, after = {.client = b};
	struct dblock_lock *lock;
	struct timespec now;
	char host[256];

	(void)state;
	options.app = "the holder";
	options.timeout_ms = PLENTY_MS;
	a = client_with(&options);
	lock = take(a, "x");
	gethostname(host, sizeof(host));
	sleeper_begin(&before, a, false);
	sleeper_begin(&s, a, true);
	wait_until_told(&s.told, 2, 2);
	sleeper_begin(&after, a, false);
	wait_until_told(&s.told, 2, 3);
	/* The waiter before it leaves. */
	before.told.stop = true;
	sleeper_end(&before, DBLOCK_CANCELED);
	wait_until_told(&s.told, 1, 2);
	give(lock);
	sleeper_end(&s, DBLOCK_OK);
	sleeper_end(&after, DBLOCK_OK);

	clock_gettime(CLOCK_REALTIME, &now);
	assert_true(s.told.w.size == sizeof(s.told.w));
	assert_string_equal(s.told.name, "x");
	assert_true(s.told.w.held);
	assert_string_equal(s.told.host, host);
	assert_string_equal(s.told.app, "the holder");
	assert_int_equal(s.told.holders, 1);
	assert_int_equal(s.told.w.pid, getpid());
	assert_true(s.told.w.token > 0);
	assert_true(llabs(s.told.w.acquired_us / 1000000 - now.tv_sec) < 120);
	assert_true(s.told.w.held_ms >= EVERY_MS && s.told.w.held_ms < 120000);
	assert_true(s.told.w.waited_ms >= 3 * EVERY_MS);
	assert_true(s.told.w.waited_ms <= s.got - s.begun);
	assert_true(pthread_equal(s.told.thread, s.thread));
	/* The first callback does not come at once, and the next ones not more often than that. */
	assert_true(s.told.first_at - s.begun >= EVERY_MS);
	assert_true(s.told.least_gap >= EVERY_MS);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	dblock_close(c, NULL);
}

/* A lock that only its minimum hold keeps has no holder. */
static void a_lock_at_rest(void **state)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *a = client_new(0), *b = client_new(0);
	struct sleeper s = {.client = b};
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	(void)state;
	options.at_least_ms = PLENTY_MS;
	expect(OK, dblock_try(a, "x", &options, &lock, &err));
	give(lock);
	sleeper_begin(&s, a, true);
	wait_until_told(&s.told, 1, 1);
	assert_false(s.told.w.held);
	assert_int_equal(s.told.holders, 0);
	expect(OK, break_by_force(a, "x", 0, 0, &err));
	sleeper_end(&s, DBLOCK_OK);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
}

static struct dblock_lock *share(struct dblock_client *client)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	options.mode = DBLOCK_SHARED;
	expect(OK, dblock_try(client, "x", &options, &lock, &err));
	return lock;
}

static void wait_until_holders(const struct told *told, int64_t holders)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (told->holders != holders && clock_ms() < until)
		sleep_ms(5);
	assert_int_equal(told->holders, holders);
}

/* The holder that came first is named, until it ends; the last holder of the lock's own row is not.
 */
static void several_hold_it(void **state)
{
	struct dblock_client_options first_options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *a, *b = client_new(0), *c = client_new(0);
	struct sleeper s = {.client = c};
	struct dblock_lock *first, *second;
	int64_t tokens[2];

	(void)state;
	first_options.app = "the first";
	first_options.timeout_ms = PLENTY_MS;
	a = client_with(&first_options);
	is_free(b, "x");
	first = share(a);
	second = share(b);
	tokens[0] = dblock_token(first);
	tokens[1] = dblock_token(second);
	sleeper_begin(&s, b, true);
	wait_until_told(&s.told, 1, 1);
	wait_until_holders(&s.told, 2);
	assert_true(s.told.w.held);
	assert_int_equal(s.told.token, tokens[0]);
	assert_string_equal(s.told.app, "the first");
	give(first);
	wait_until_holders(&s.told, 1);
	assert_int_equal(s.told.token, tokens[1]);
	give(second);
	sleeper_end(&s, DBLOCK_OK);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	dblock_close(c, NULL);
}

/* The cost is one statement each time, and none if nobody asked. */
static void what_it_costs(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = client_new(0), *b = spy_client(spy, 0);
	struct dblock_lock *lock = take(a, "x");
	struct sleeper mute = {.client = b}, s = {.client = b};
	int64_t until;

	(void)state;
	sleeper_begin(&mute, a, false);
	until = clock_ms() + PLENTY_MS;
	while (spy->runs_of[DBL_OP_look] < 3 && clock_ms() < until)
		sleep_ms(20);
	assert_true(spy->runs_of[DBL_OP_look] >= 3);
	assert_int_equal(spy->runs_of[DBL_OP_place], 0);
	mute.told.stop = true;
	sleeper_end(&mute, DBLOCK_CANCELED);

	sleeper_begin(&s, a, true);
	until = clock_ms() + PLENTY_MS;
	while (s.told.n < 3 && clock_ms() < until)
		sleep_ms(5);
	give(lock);
	sleeper_end(&s, DBLOCK_OK);
	assert_true(s.told.n >= 3);
	assert_true(spy->runs_of[DBL_OP_place] >= s.told.n);
	assert_true(spy->runs_of[DBL_OP_place] <= (s.got - s.begun) / EVERY_MS);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	spy_free(spy);
}

/* The statement of a look fails: the wait goes on. */
static enum spy_fate lose_places(struct spy *spy, enum dbl_op op)
{
	(void)spy;
	return op == DBL_OP_place ? SPY_LOST_BEFORE : SPY_PASS;
}

static void a_failure_is_not_the_waits(void **state)
{
	struct spy *spy = spy_new();
	struct dblock_client *a = client_new(0), *b = spy_client_with(spy, 0, SLOWLY_MS(500));
	struct dblock_lock *lock = take(a, "x");
	struct sleeper s = {.client = b};
	int64_t until = clock_ms() + PLENTY_MS;

	(void)state;
	spy->fate = lose_places;
	sleeper_begin(&s, a, true);
	while (spy->runs_of[DBL_OP_place] < 2 && clock_ms() < until)
		sleep_ms(5);
	assert_true(spy->runs_of[DBL_OP_place] >= 2);
	give(lock);
	sleeper_end(&s, DBLOCK_OK);
	assert_int_equal(s.told.n, 0);
	dblock_close(a, NULL);
	dblock_close(b, NULL);
	spy_free(spy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_whom_and_at_which_place),
		cmocka_unit_test(a_lock_at_rest),
		cmocka_unit_test(several_hold_it),
		cmocka_unit_test(what_it_costs),
		cmocka_unit_test(a_failure_is_not_the_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
