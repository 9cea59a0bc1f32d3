/* SPDX-License-Identifier: MIT */
/* The session's states, as the listener is told them, and as dblock_connection_state_of() says them. */
#include "support/fault.h"
#include "support/raw.h"
#include "support/waiting.h"

enum { ROOM = 100 };

struct heard {
	struct dbl_mutex mutex;
	int n;
	enum dblock_connection_state states[ROOM];
	char why[ROOM][300];
	int codes[ROOM];
	struct dblock_client *close;
	_Atomic bool stay; /* the listener does not return */
	_Atomic int inside;
};

static void listen_to(void *arg, enum dblock_connection_state state, const struct dblock_error *why)
{
	struct heard *heard = arg;

	dbl_lock(&heard->mutex);
	heard->states[heard->n] = state;
	heard->codes[heard->n] = why ? why->code : 0;
	snprintf(heard->why[heard->n], sizeof(heard->why[0]), "%.299s", why ? why->message : "");
	heard->n += heard->n < ROOM - 1;
	dbl_unlock(&heard->mutex);
	if (heard->close)
		assert_int_equal((dblock_close)(heard->close, NULL), DBLOCK_E_INVALID);
	heard->inside++;
	while (heard->stay)
		sleep_ms(2);
	heard->inside--;
}

static int count(struct heard *heard)
{
	int n;

	dbl_lock(&heard->mutex);
	n = heard->n;
	dbl_unlock(&heard->mutex);
	return n;
}

/* The next state that it hears is that one. */
static void hears(struct heard *heard, int *at, enum dblock_connection_state state)
{
	wait_until(count(heard) > *at);
	assert_int_equal(heard->states[*at], state);
	++*at;
}

static struct heard heard;

static struct dblock_client *listening(void)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	heard.n = 0;
	heard.close = NULL;
	heard.stay = false;
	options.timeout_ms = PLENTY_MS;
	options.ttl_ms = PLENTY_MS;
	options.auto_migrate = 1;
	options.state_changed = listen_to;
	options.state_changed_arg = &heard;
	EXPECT_OPEN(dbl_client_open(test_url(), &options, fault_env(), &client, &err));
	return client;
}

static void beat_now(struct dblock_client *client)
{
	dbl_session_hurry(client->locks->session);
}

static void a_heartbeat_fails_and_the_next_gets_through(void **state)
{
	struct dblock_client *client = listening();
	struct dblock_lock *lock = take(client, "x");
	struct dblock_stats stats = DBLOCK_STATS_INIT;
	struct dblock_error err = {0};
	char before[DBLOCK_SESSION_ID_SIZE], after[DBLOCK_SESSION_ID_SIZE];
	int at = 0;

	(void)state;
	assert_int_equal(dblock_connection_state_of(client), DBLOCK_STATE_CONNECTED);
	expect(OK, dblock_session_id(client, before, &err));
	assert_string_equal(show(client, "x").session, before);
	fault_set("heartbeat", FAULT_LOCKED, 1000000);
	beat_now(client);
	hears(&heard, &at, DBLOCK_STATE_SUSPENDED);
	assert_int_equal(heard.codes[0], DBLOCK_E_BLOCKED);
	assert_non_null(strstr(heard.why[0], "in a test"));
	assert_non_null(
		strstr(heard.why[0], "; it is tried again until the session's ttl is over"));
	assert_int_equal(dblock_connection_state_of(client), DBLOCK_STATE_SUSPENDED);
	assert_true(dblock_valid(lock, 0));
	fault_set("", FAULT_NONE, 0);
	beat_now(client);
	hears(&heard, &at, DBLOCK_STATE_RECONNECTED);
	assert_int_equal(heard.codes[1], 0);
	assert_int_equal(dblock_connection_state_of(client), DBLOCK_STATE_RECONNECTED);
	expect(OK, dblock_session_id(client, after, &err));
	assert_string_equal(before, after);
	give(lock);
	expect(OK, dblock_stats_of(client, &stats, &err));
	assert_int_equal(stats.sessions, 1);
	assert_true(stats.heartbeats_failed > 0 && stats.heartbeats > 0);
	dblock_close(client, NULL);
	assert_int_equal(heard.n, 2);
}

/* More beats fail, or get through: nothing is told anew. */
static void only_changes_are_told(void **state)
{
	struct dblock_client *client = listening();
	struct dblock_stats stats = DBLOCK_STATS_INIT;
	struct dblock_error err = {0};
	int at = 0;

	(void)state;
	fault_set("heartbeat", FAULT_LOCKED, 1000000);
	for (int i = 1; i <= 3; i++) {
		beat_now(client);
		wait_until(fault_seen() >= i);
	}
	hears(&heard, &at, DBLOCK_STATE_SUSPENDED);
	fault_set("", FAULT_NONE, 0);
	do {
		beat_now(client);
		sleep_ms(2);
		expect(OK, dblock_stats_of(client, &stats, &err));
	} while (stats.heartbeats < 3);
	hears(&heard, &at, DBLOCK_STATE_RECONNECTED);
	dblock_close(client, NULL);
	assert_int_equal(heard.n, 2);
}

static void its_time_is_over(void **state)
{
	struct dblock_client *client = listening();
	struct dblock_lock *lock = take(client, "x");
	char before[DBLOCK_SESSION_ID_SIZE], after[DBLOCK_SESSION_ID_SIZE];
	struct dblock_stats stats = DBLOCK_STATS_INIT;
	struct dblock_error err = {0};
	int at = 0;

	(void)state;
	expect(OK, dblock_session_id(client, before, &err));
	fault_set("session_open", FAULT_LOCKED, 1000000);
	fault_jump_ms(PLENTY_MS);
	assert_int_equal(dblock_connection_state_of(client), DBLOCK_STATE_LOST);
	assert_false(dblock_valid(lock, 0));
	beat_now(client);
	hears(&heard, &at, DBLOCK_STATE_LOST);
	assert_int_equal(heard.codes[0], DBLOCK_LOST);
	assert_non_null(strstr(heard.why[0], before));
	assert_non_null(strstr(heard.why[0], "no heartbeat got through in time"));
	fault_set("", FAULT_NONE, 0);
	beat_now(client);
	hears(&heard, &at, DBLOCK_STATE_CONNECTED);
	assert_int_equal(dblock_connection_state_of(client), DBLOCK_STATE_CONNECTED);
	expect(OK, dblock_session_id(client, after, &err));
	assert_string_not_equal(before, after);
	expect(LOST, dblock_release(lock, &err));
	expect(OK, dblock_stats_of(client, &stats, &err));
	assert_int_equal(stats.sessions, 2);
	assert_int_equal(stats.losses[DBLOCK_LOSS_UNREACHABLE], 1);
	dblock_close(client, NULL);
	assert_int_equal(heard.n, 2);
}

static void it_is_declared_dead(void **state)
{
	struct dblock_client *client = listening();
	struct raw *raw = raw_open(NULL);
	int at = 0;

	(void)state;
	raw_exec(raw, "UPDATE dblock_session SET dead = %s",
		 on_backend("postgresql") ? "true" : "1");
	beat_now(client);
	hears(&heard, &at, DBLOCK_STATE_LOST);
	assert_non_null(strstr(heard.why[0], "declared dead"));
	hears(&heard, &at, DBLOCK_STATE_CONNECTED);
	raw_close(raw);
	dblock_close(client, NULL);
}

/* Naive: the listener runs on the thread that sends heartbeats, which then stop while it runs. */
static void a_listener_that_stays_keeps_no_heartbeat(void **state)
{
	struct dblock_client *client = listening();
	struct dblock_stats stats = DBLOCK_STATS_INIT;
	struct dblock_error err = {0};
	int at = 0;

	(void)state;
	heard.stay = true;
	fault_set("heartbeat", FAULT_LOCKED, 1000000);
	beat_now(client);
	hears(&heard, &at, DBLOCK_STATE_SUSPENDED);
	for (int i = 0; i < 5; i++) {
		int64_t beats;

		expect(OK, dblock_stats_of(client, &stats, &err));
		beats = stats.heartbeats;
		fault_set("", FAULT_NONE, 0);
		beat_now(client);
		wait_until(dblock_stats_of(client, &stats, &err) == 0 && stats.heartbeats > beats);
		/* Then it is lost. */
		fault_jump_ms(PLENTY_MS);
		beat_now(client);
		wait_until(dblock_stats_of(client, &stats, &err) == 0 && stats.sessions == i + 2);
	}
	assert_int_equal(count(&heard), 1);
	heard.stay = false;
	/* The rest comes, the newest of all; what was left out is not that it was lost. */
	wait_until(count(&heard) == 5);
	for (int i = 1; i < 4; i++)
		hears(&heard, &at, DBLOCK_STATE_LOST);
	hears(&heard, &at, DBLOCK_STATE_CONNECTED);
	dblock_close(client, NULL);
}

static void it_cannot_close_the_client(void **state)
{
	struct dblock_client *client = listening();
	int at = 0;

	(void)state;
	heard.close = client;
	fault_set("heartbeat", FAULT_LOCKED, 1000000);
	beat_now(client);
	hears(&heard, &at, DBLOCK_STATE_SUSPENDED);
	fault_set("", FAULT_NONE, 0);
	beat_now(client);
	hears(&heard, &at, DBLOCK_STATE_RECONNECTED);
	dblock_close(client, NULL);
}

static void who_has_no_session(void **state)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	char id[DBLOCK_SESSION_ID_SIZE] = "x";
	struct dblock_error err = {0};
	struct dblock_client *client;

	(void)state;
	dblock_close(client_new(0), NULL);
	options.observe = 1;
	client = client_with(&options);
	assert_int_equal(dblock_connection_state_of(client), DBLOCK_STATE_NONE);
	expect(E_INVALID, dblock_session_id(client, id, &err));
	assert_string_equal(id, "");
	assert_int_equal(dblock_connection_state_of(NULL), DBLOCK_STATE_NONE);
	expect(E_INVALID, dblock_session_id(NULL, id, &err));
	expect(E_INVALID, dblock_session_id(client, NULL, &err));
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_heartbeat_fails_and_the_next_gets_through),
		cmocka_unit_test(only_changes_are_told),
		cmocka_unit_test(its_time_is_over),
		cmocka_unit_test(it_is_declared_dead),
		cmocka_unit_test(a_listener_that_stays_keeps_no_heartbeat),
		cmocka_unit_test(it_cannot_close_the_client),
		cmocka_unit_test(who_has_no_session),
	};

	assert_int_equal(dbl_mutex_init(&heard.mutex), 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
