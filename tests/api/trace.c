/* SPDX-License-Identifier: MIT */
/* `trace`: a span for each call that is over, each hold, each heartbeat; thresholds. */
#include "support/call.h"

enum { ROOM = 200 };

/* What was told, in order; any thread tells. */
struct told {
	pthread_mutex_t mutex;
	int n;
	struct {
		struct dblock_span span;
		char name[64];
		pthread_t by;
		int rc; /* of closing the client in the callback, if `close` */
	} list[ROOM];
	struct dblock_client *close;
};

static void note(void *arg, const struct dblock_span *span)
{
	struct told *told = arg;

	pthread_mutex_lock(&told->mutex);
	if (told->n < ROOM) {
		told->list[told->n].span = *span;
		snprintf(told->list[told->n].name, sizeof(told->list[0].name), "%s", span->name);
		told->list[told->n].by = pthread_self();
		if (told->close)
			told->list[told->n].rc = (dblock_close)(told->close, NULL);
		told->n++;
	}
	pthread_mutex_unlock(&told->mutex);
}

static struct dblock_client *traced(struct told *told, int64_t slow_wait_ms, int64_t long_hold_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	*told = (struct told){.mutex = PTHREAD_MUTEX_INITIALIZER};
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	options.trace = note;
	options.trace_arg = told;
	options.slow_wait_ms = slow_wait_ms;
	options.long_hold_ms = long_hold_ms;
	return client_with(&options);
}

/* The only span of that phase, or NULL. */
static const struct dblock_span *only(struct told *told, enum dblock_phase phase)
{
	const struct dblock_span *found = NULL;

	pthread_mutex_lock(&told->mutex);
	for (int i = 0; i < told->n; i++) {
		if (told->list[i].span.phase != phase)
			continue;
		assert_null(found);
		found = &told->list[i].span;
		assert_true(found->size == sizeof(*found));
		assert_true(found->start_us <= found->end_us);
		assert_true(found->start_us > 1500000000000000LL);
		if (phase != DBLOCK_PHASE_HEARTBEAT)
			assert_true(pthread_equal(told->list[i].by, pthread_self()));
	}
	pthread_mutex_unlock(&told->mutex);
	return found;
}

static const char *name_of(const struct told *told, enum dblock_phase phase)
{
	for (int i = 0; i < told->n; i++) {
		if (told->list[i].span.phase == phase)
			return told->list[i].name;
	}
	return "none";
}

static void a_lock_from_its_try_to_its_release(void **state)
{
	struct dblock_acquire_options leased = DBLOCK_ACQUIRE_OPTIONS_INIT;
	const struct dblock_span *hold;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;
	static struct told told;
	int64_t token;

	(void)state;
	client = traced(&told, 0, 0);
	leased.lease_ms = PLENTY_MS;
	expect(OK, dblock_try(client, "x", &leased, &lock, &err));
	token = dblock_token(lock);
	sleep_ms(20);
	expect(OK, dblock_extend(lock, PLENTY_MS, &err));
	assert_null(only(&told, DBLOCK_PHASE_HOLD));
	give(lock);
	assert_int_equal(only(&told, DBLOCK_PHASE_TRY)->token, token);
	assert_int_equal(only(&told, DBLOCK_PHASE_EXTEND)->token, token);
	assert_int_equal(only(&told, DBLOCK_PHASE_RELEASE)->token, token);
	assert_string_equal(name_of(&told, DBLOCK_PHASE_TRY), "x");
	assert_string_equal(name_of(&told, DBLOCK_PHASE_RELEASE), "x");
	assert_string_equal(name_of(&told, DBLOCK_PHASE_HOLD), "x");
	hold = only(&told, DBLOCK_PHASE_HOLD);
	assert_int_equal(hold->token, token);
	assert_int_equal(hold->outcome, DBLOCK_OK);
	assert_true(hold->end_us - hold->start_us >= 20000);
	assert_null(only(&told, DBLOCK_PHASE_ACQUIRE));
	dblock_close(client, NULL);
}

/* Whoever makes the call: here one of the client's own threads. */
static void what_a_loop_begins_is_told(void **state)
{
	struct dblock_acquire_options leased = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_lock *lock, *none;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_wait *wait;
	static struct told told;

	(void)state;
	client = traced(&told, 0, 0);
	leased.lease_ms = PLENTY_MS;
	expect(OK, dblock_try(client, "x", &leased, &lock, &err));
	expect(OK, dblock_extend_begin(lock, PLENTY_MS, &wait, &err));
	expect(OK, dblock_wait_finish(wait, &none, &err));
	dblock_wait_end(wait);
	assert_string_equal(name_of(&told, DBLOCK_PHASE_EXTEND), "x");
	expect(OK, dblock_release_begin(lock, &wait, &err));
	expect(OK, dblock_wait_finish(wait, &none, &err));
	dblock_wait_end(wait);
	assert_string_equal(name_of(&told, DBLOCK_PHASE_RELEASE), "x");
	assert_string_equal(name_of(&told, DBLOCK_PHASE_HOLD), "x");
	dblock_close(client, NULL);
}

static void what_is_refused_and_what_is_lost(void **state)
{
	struct dblock_acquire_options soon = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *other = client_new(0), *client;
	struct dblock_lock *lock = take(other, "x"), *none;
	struct dblock_error err = {0};
	static struct told told;

	(void)state;
	client = traced(&told, 0, 0);
	soon.wait_ms = 30;
	expect(TIMEOUT, dblock_acquire(client, "x", &soon, &none, &err));
	assert_int_equal(only(&told, DBLOCK_PHASE_ACQUIRE)->outcome, DBLOCK_TIMEOUT);
	assert_int_equal(only(&told, DBLOCK_PHASE_ACQUIRE)->token, 0);
	assert_true(only(&told, DBLOCK_PHASE_ACQUIRE)->end_us -
			    only(&told, DBLOCK_PHASE_ACQUIRE)->start_us >=
		    30000);
	give(lock);
	lock = take(client, "y");
	expect(OK, break_by_force(other, "y", 0, 0, &err));
	expect(LOST, dblock_release(lock, &err));
	assert_int_equal(only(&told, DBLOCK_PHASE_HOLD)->outcome, DBLOCK_LOST);
	assert_int_equal(only(&told, DBLOCK_PHASE_RELEASE)->outcome, DBLOCK_LOST);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

/* Of several releases of one handle only the last ends the hold. */
static void reentry_is_one_hold(void **state)
{
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock, *again;
	static struct told told;

	(void)state;
	client = traced(&told, 0, 0);
	lock = take(client, "x");
	expect(OK, dblock_acquire(client, "x", NULL, &again, &err));
	give(again);
	assert_null(only(&told, DBLOCK_PHASE_HOLD));
	give(lock);
	assert_non_null(only(&told, DBLOCK_PHASE_HOLD));
	dblock_close(client, NULL);
}

/* The release's own round trip is no part of the hold. Both ends are counted back from two readings of
 * the wall clock, between which a slow machine may do other things: so it is played some times. */
static void a_hold_ends_when_its_release_begins(void **state)
{
	const struct dblock_span *hold, *release;
	struct dblock_client *client;
	static struct told told;
	bool before = false;

	(void)state;
	client = traced(&told, 0, 0);
	for (int i = 0; i < 100 && !before; i++) {
		struct dblock_lock *lock = take(client, "x");

		told.n = 0;
		give(lock);
		hold = only(&told, DBLOCK_PHASE_HOLD);
		release = only(&told, DBLOCK_PHASE_RELEASE);
		before = hold->end_us <
			 release->start_us + (release->end_us - release->start_us) / 2;
	}
	assert_true(before);
	dblock_close(client, NULL);
}

static void only_what_took_long(void **state)
{
	struct dblock_acquire_options soon = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *other = client_new(0), *client;
	struct dblock_error err = {0};
	struct dblock_lock *lock, *none;
	static struct told told;

	(void)state;
	client = traced(&told, PLENTY_MS, PLENTY_MS);
	give(take(client, "x"));
	assert_int_equal(told.n, 0);
	dblock_close(client, NULL);
	client = traced(&told, PLENTY_MS, 30);
	lock = take(client, "x");
	sleep_ms(30);
	give(lock);
	assert_non_null(only(&told, DBLOCK_PHASE_HOLD));
	assert_int_equal(told.n, 1);
	dblock_close(client, NULL);
	client = traced(&told, 30, PLENTY_MS);
	lock = take(other, "y");
	soon.wait_ms = 30;
	expect(TIMEOUT, dblock_acquire(client, "y", &soon, &none, &err));
	assert_non_null(only(&told, DBLOCK_PHASE_ACQUIRE));
	give(lock);
	dblock_close(client, NULL);
	dblock_close(other, NULL);
}

static void several_names_are_one_span(void **state)
{
	const struct dblock_lock_spec wants[] = {{.name = "y"}, {.name = "x"}};
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;
	static struct told told;

	(void)state;
	client = traced(&told, 0, 0);
	expect(OK, dblock_try_all(client, wants, 2, NULL, &lock, &err));
	give(lock);
	assert_int_equal(only(&told, DBLOCK_PHASE_TRY)->outcome, DBLOCK_OK);
	assert_string_equal(name_of(&told, DBLOCK_PHASE_TRY), "x, y");
	assert_string_equal(name_of(&told, DBLOCK_PHASE_HOLD), "x, y");
	dblock_close(client, NULL);
}

/* No mutex is held: what the callback may call does not wait for itself; closing is refused. */
static void the_callback_may_look(void **state)
{
	struct dblock_client *client;
	static struct told told;

	(void)state;
	client = traced(&told, 0, 0);
	told.close = client;
	give(take(client, "x"));
	told.close = NULL;
	for (int i = 0; i < told.n; i++)
		assert_int_equal(told.list[i].rc, DBLOCK_E_INVALID);
	assert_true(told.n >= 3);
	dblock_close(client, NULL);
}

static void bounds(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err = {0};

	(void)state;
	options.auto_migrate = 1;
	options.slow_wait_ms = -1;
	expect(E_INVALID, dblock_open(test_url(), &options, &client, &err));
	message_has("slow_wait_ms");
	options.slow_wait_ms = 0;
	options.long_hold_ms = DBLOCK_LEASE_MAX_MS + 1;
	expect(E_INVALID, dblock_open(test_url(), &options, &client, &err));
	message_has("long_hold_ms");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_from_its_try_to_its_release),
		cmocka_unit_test(what_a_loop_begins_is_told),
		cmocka_unit_test(what_is_refused_and_what_is_lost),
		cmocka_unit_test(reentry_is_one_hold),
		cmocka_unit_test(a_hold_ends_when_its_release_begins),
		cmocka_unit_test(only_what_took_long),
		cmocka_unit_test(several_names_are_one_span),
		cmocka_unit_test(the_callback_may_look),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
