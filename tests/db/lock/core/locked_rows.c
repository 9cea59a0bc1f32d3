/* SPDX-License-Identifier: MIT */
/*
 * Somebody's open transaction has the lock's row (a fence may, for minutes; on SQLite the whole
 * file). Nobody waits for it inside SQL beyond a bound, and every call that can wait goes on when
 * it ends.
 */
#include "support/call.h"
#include "support/raw.h"

/* "x" exists and is free; `raw` may lock its row. */
struct scene {
	struct dblock_client *client;
	struct raw *raw;
};

static int set_up(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->client = client_new(0);
	s->raw = raw_open(NULL);
	is_free(s->client, "x");
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	raw_close(s->raw);
	dblock_close(s->client, NULL);
	free(s);
	return 0;
}

static void *commit_after_a_while(void *arg)
{
	sleep_ms(700);
	raw_exec(arg, "COMMIT");
	return NULL;
}

/* Every call here must return long before a request's own deadline, which is a minute. */
static void within_bound(int64_t begun)
{
	assert_true(clock_ms() - begun < PLENTY_MS / 2);
}

static void a_try_is_busy(void **state)
{
	struct scene *s = *state;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *none;

	/* On SQLite a long transaction cannot be told from a crowd before the request's end; on
	 * MySQL the answer takes up to two seconds. */
	options.timeout_ms = on_backend("sqlite") ? 2000 : PLENTY_MS / 4;
	client = client_with(&options);
	raw_lock_row(s->raw, "x");
	expect(BUSY, dblock_try(client, "x", NULL, &none, &err));
	message_has("'x'");
	message_has("open transaction");
	raw_exec(s->raw, "COMMIT");
	is_free(client, "x");
	dblock_close(client, NULL);
}

static void waiting_ends_in_time(void **state)
{
	struct scene *s = *state;
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *none;
	int64_t begun;

	raw_lock_row(s->raw, "x");
	options.wait_ms = 300;
	begun = clock_ms();
	expect(TIMEOUT, dblock_acquire(s->client, "x", &options, &none, &err));
	assert_true(clock_ms() - begun >= 300);
	within_bound(begun);
	raw_exec(s->raw, "COMMIT");
}

static void waiting_goes_on_when_it_ends(void **state)
{
	struct scene *s = *state;
	struct dblock_error err = {0};
	struct crew crew = {.n = 0};
	struct dblock_lock *lock;
	int64_t begun = clock_ms();

	raw_lock_row(s->raw, "x");
	crew_add(&crew, commit_after_a_while, s->raw);
	expect(OK, dblock_acquire(s->client, "x", NULL, &lock, &err));
	assert_true(clock_ms() - begun >= 700);
	crew_join(&crew);
	give(lock);
}

static void a_release_is_patient(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->client, "x");
	struct crew crew = {.n = 0};
	int64_t begun = clock_ms();

	raw_lock_row(s->raw, "x");
	crew_add(&crew, commit_after_a_while, s->raw);
	give(lock);
	assert_true(clock_ms() - begun >= 700);
	crew_join(&crew);
	is_free(s->client, "x");
}

/* The row is free only after the client's timeout: it goes on trying with its heartbeats. */
static void a_release_that_could_not_be_delivered(void **state)
{
	struct scene *s = *state;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	options.ttl_ms = SLOWLY_MS(6000);
	options.timeout_ms = SLOWLY_MS(500);
	client = client_with(&options);
	lock = take(client, "x");
	raw_lock_row(s->raw, "x");
	assert_true(dblock_release(lock, &err) < 0);
	raw_exec(s->raw, "COMMIT");
	how.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(s->client, "x", &how, &lock, &err));
	give(lock);
	dblock_close(client, NULL);
}

#define until(condition)                                                                           \
	do {                                                                                       \
		int64_t end_ = clock_ms() + PLENTY_MS;                                             \
		while (!(condition)) {                                                             \
			assert_true(clock_ms() < end_);                                            \
			sleep_ms(1);                                                               \
		}                                                                                  \
	} while (0)

static void a_break_says_who_is_in_the_way(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->client, "x");
	struct dblock_client *admin = client_new(0);
	struct dblock_error err = {0};
	int64_t begun, pid = 0;
	char blocker[64] = "another connection";

	if (on_backend("postgresql"))
		pid = raw_int(s->raw, "SELECT pg_backend_pid()");
	if (pid)
		snprintf(blocker, sizeof(blocker), "pid %lld ", (long long)pid);
	/* The oldest transaction of the server may belong to another test. */
	if (on_backend("mysql"))
		snprintf(blocker, sizeof(blocker), "perhaps that of connection ");
	raw_lock_row(s->raw, "x");
	begun = clock_ms();
	expect(BUSY, break_by_force(admin, "x", 0, 300, &err));
	/* The call may end before a pause of 25 ms for which no time is left. */
	assert_true(clock_ms() - begun >= 300 - 26);
	within_bound(begun);
	message_has("'x'");
	message_has(blocker);
	/* On SQLite the transaction has the whole file: the holder could not be told. */
	message_has(on_backend("sqlite") ? "was not broken" : "is broken, but not free yet");
	raw_exec(s->raw, "COMMIT");
	if (on_backend("sqlite")) {
		give(lock);
	} else {
		until(!dblock_valid(lock, 0));
		expect(LOST, dblock_release(lock, &err));
	}
	dblock_close(admin, NULL);
}

static void a_break_waits_for_its_end(void **state)
{
	struct scene *s = *state;
	struct dblock_lock *lock = take(s->client, "x");
	struct dblock_client *admin = client_new(0);
	struct crew crew = {.n = 0};
	struct dblock_error err = {0};
	int64_t begun = clock_ms();

	raw_lock_row(s->raw, "x");
	crew_add(&crew, commit_after_a_while, s->raw);
	expect(OK, break_by_force(admin, "x", dblock_token(lock), PLENTY_MS, &err));
	assert_true(clock_ms() - begun >= 700);
	crew_join(&crew);
	expect(LOST, dblock_release(lock, &err));
	is_free(admin, "x");
	dblock_close(admin, NULL);
}

/* A caller whose acquire would wait for an hour. */
struct patient {
	struct dblock_client *client;
	int force;
	_Atomic bool enough;
	_Atomic int asked;
};

static int is_enough(void *arg)
{
	struct patient *p = arg;

	p->asked++;
	return p->enough;
}

static int break_for_an_hour(void *arg, struct dblock_error *err)
{
	struct dblock_break_options how = DBLOCK_BREAK_OPTIONS_INIT;
	struct patient *p = arg;

	how.wait_ms = 3600000;
	how.force = p->force;
	how.canceled = is_enough;
	how.canceled_arg = p;
	return dblock_break(p->client, "x", &how, err);
}

/* On SQLite the transaction has the whole file: the holder could not be told. */
static void says_what_stands(const struct call *call)
{
	struct dblock_error err = call->err;

	message_has("'x'");
	message_has("was canceled");
	message_has(on_backend("sqlite") ? "it may still be held" : "it is taken away");
}

/* Naive: the break waits for the row's transaction, whatever the caller says. */
static void a_break_ends(struct scene *s, bool by_shutdown)
{
	struct patient p = {.client = client_new(0), .force = 1};
	struct dblock_lock *lock = take(s->client, "x");
	struct dblock_error err = {0};
	struct call call;

	raw_lock_row(s->raw, "x");
	call_start(&call, break_for_an_hour, &p);
	until(p.asked > 2);
	assert_false(call.done);
	if (by_shutdown)
		dblock_shutdown(p.client);
	else
		p.enough = true;
	assert_int_equal(call_end(&call), DBLOCK_CANCELED);
	says_what_stands(&call);
	raw_exec(s->raw, "COMMIT");
	assert_true(on_backend("sqlite") || !dblock_valid(lock, 0));
	(void)dblock_release(lock, &err);
	dblock_close(p.client, NULL);
}

static void a_break_can_be_canceled(void **state)
{
	a_break_ends(*state, false);
}

static void a_shutdown_ends_a_break(void **state)
{
	a_break_ends(*state, true);
}

/* On servers, where a row is locked alone, other names are not touched. */
static void other_names_go_on(void **state)
{
	struct scene *s = *state;
	struct dblock_client *other = client_new(0);

	raw_lock_row(s->raw, "x");
	if (!on_backend("sqlite")) {
		is_free(other, "y");
		is_free(other, "z");
	}
	raw_exec(s->raw, "COMMIT");
	is_free(other, "y");
	dblock_close(other, NULL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_try_is_busy),
		CASE(waiting_ends_in_time),
		CASE(waiting_goes_on_when_it_ends),
		CASE(a_release_is_patient),
		CASE(a_release_that_could_not_be_delivered),
		CASE(a_break_says_who_is_in_the_way),
		CASE(a_break_waits_for_its_end),
		CASE(a_break_can_be_canceled),
		CASE(a_shutdown_ends_a_break),
		CASE(other_names_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
