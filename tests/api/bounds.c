/* SPDX-License-Identifier: MIT */
/* Each bound that a header tells of: at it the call is taken, beyond it it is refused, by a message
 * that names the thing. */
#include "api/bounded_cluster.h"
#include "api/bounded_latch.h"
#include "api/bounded_messages.h"
#include "api/bounded_names.h"
#include "api/bounded_rate.h"

#include <limits.h>

#define NONE INT64_MIN

static int none_told(void *arg, const struct dblock_metric *metric)
{
	(void)arg;
	(void)metric;
	return 0;
}

static int metrics_names(struct stage *s, int64_t v, struct dblock_error *err)
{
	struct dblock_metrics_options options = DBLOCK_METRICS_OPTIONS_INIT;

	options.names = v;
	return dblock_metrics(s->client, &options, none_told, NULL, err);
}

static int pool_resize(struct stage *s, int64_t v, struct dblock_error *err)
{
	return dblock_pool_resize(s->client, "bounded", v, err);
}

static const struct bound {
	int (*call)(struct stage *, int64_t, struct dblock_error *);
	const char *said;
	int64_t least, below; /* the least, and one that is less; 0 is the default of most */
	int64_t most;
} bounds[] = {
	{client_ttl, "ttl_ms", DBLOCK_TTL_MIN_MS, DBLOCK_TTL_MIN_MS - 1, DBLOCK_TTL_MAX_MS},
	{client_timeout, "timeout_ms", 1000, -1, DBLOCK_TIMEOUT_MAX_MS},
	{client_local_turns, "local_turns", 1, NONE, DBLOCK_LOCAL_TURNS_MAX},
	{client_app, "app", 1, NONE, DBLOCK_APP_MAX},
	{client_prefix, "prefix", 1, 0, DBLOCK_PREFIX_MAX},
	{client_schema, "schema", 1, 0, DBLOCK_SCHEMA_MAX},
	{acquire_wait, "wait_ms", DBLOCK_NO_WAIT, -3, NONE},
	{acquire_lease, "lease_ms", DBLOCK_LEASE_MIN_MS, DBLOCK_LEASE_MIN_MS - 1,
	 DBLOCK_LEASE_MAX_MS},
	{acquire_at_least, "at_least_ms", 1, -1, DBLOCK_LEASE_MAX_MS},
	{acquire_priority, "priority", DBLOCK_PRIORITY_MIN, DBLOCK_PRIORITY_MIN - 1,
	 DBLOCK_PRIORITY_MAX},
	{acquire_idle, "idle_ms", 1, -1, DBLOCK_LEASE_MAX_MS},
	{acquire_waiting_every, "waiting_every_ms", DBLOCK_WAITING_EVERY_MIN_MS,
	 DBLOCK_WAITING_EVERY_MIN_MS - 1, DBLOCK_LEASE_MAX_MS},
	{acquire_deadlock, "deadlock_ms", -1, NONE, DBLOCK_LEASE_MAX_MS},
	{acquire_capacity, "capacity", 1, 0, DBLOCK_CAPACITY_MAX},
	{acquire_permits, "permits", 1, -1, 7},
	{acquire_numbered, "permits", 1, -1, DBLOCK_NUMBERED_MAX},
	{pool_resize, "capacity", 0, -1, DBLOCK_CAPACITY_MAX},
	{acquire_value, "value", 0, NONE, DBLOCK_VALUE_MAX},
	{acquire_name, "name", 1, 0, DBLOCK_NAME_MAX},
	{acquire_names, "names", 1, 0, DBLOCK_NAMES_MAX},
	{acquire_depth, "names", 1, NONE, DBLOCK_TREE_DEPTH_MAX},
	{extend, "lease_ms", DBLOCK_LEASE_MIN_MS, DBLOCK_LEASE_MIN_MS - 1, DBLOCK_LEASE_MAX_MS},
	{upgrade_wait, "wait_ms", DBLOCK_NO_WAIT, -3, NONE},
	{break_wait, "wait_ms", DBLOCK_NO_WAIT, -3, NONE},
	{watch_wait, "wait_ms", DBLOCK_NO_WAIT, -3, NONE},
	{watch_every, "every_ms", DBLOCK_EVERY_MIN_MS, DBLOCK_EVERY_MIN_MS - 1,
	 DBLOCK_TIMEOUT_MAX_MS},
	{elect_wait, "wait_ms", DBLOCK_NO_WAIT, -3, NONE},
	{slot, "slot", 1, 0, DBLOCK_SLOT_MAX},
	{quorum_members, "members", 3, 2, DBLOCK_QUORUM_MAX},
	{quorum_cluster, "cluster's name", 1, 0, DBLOCK_CLUSTER_MAX},
	{quorum_max_ttl, "max_ttl_ms", DBLOCK_TTL_MIN_MS, DBLOCK_TTL_MIN_MS - 1, DBLOCK_TTL_MAX_MS},
	{reason, "reason", 0, NONE, DBLOCK_REASON_MAX},
	{list_limit, "limit", 0, -1, NONE},
	{waiters_limit, "limit", 0, -1, NONE},
	{metrics_names, "names", 0, -1, DBLOCK_METRICS_NAMES_MAX},
	{purge_after, "purge_after_ms", -1, NONE, DBLOCK_LEASE_MAX_MS},
	{keep_marks, "keep_marks_ms", -1, NONE, DBLOCK_LEASE_MAX_MS},
	{max_time, "max_time_ms", -1, NONE, DBLOCK_LEASE_MAX_MS},
	{flight_key, "key", 1, 0, DBLOCK_FLIGHT_KEY_MAX},
	{flight_result, "bytes", 0, NONE, DBLOCK_RESULT_MAX},
	{flight_fresh, "fresh_ms", 1, -1, DBLOCK_FRESH_MAX_MS},
	{flight_wait, "wait_ms", DBLOCK_NO_WAIT, -3, NONE},
	{tx_retry, "retry_ms", 1, -1, DBLOCK_TIMEOUT_MAX_MS},
	{tx_attempts, "attempts", 0, -1, NONE},
	{tx_values, "values", 1, NONE, DBLOCK_VALUES_MAX},
	{take_limit, "limit", 0, -1, DBLOCK_TAKE_MAX},
	{take_wait, "wait_ms", DBLOCK_NO_WAIT, -3, NONE},
	{put_topic, "topic", 1, 0, DBLOCK_TOPIC_MAX},
	{put_key, "key", 1, 0, DBLOCK_MESSAGE_KEY_MAX},
	{put_headers, "headers", 0, NONE, DBLOCK_HEADERS_MAX},
	{put_body, "body", 0, NONE, DBLOCK_BODY_MAX},
	{seen_source, "source", 1, 0, DBLOCK_MESSAGE_KEY_MAX},
	{seen_number, "number", 1, 0, NONE},
	{failures_topic, "topic", 1, 0, DBLOCK_TOPIC_MAX},
	{messages_topic, "topic", 1, 0, DBLOCK_TOPIC_MAX},
	{messages_key, "key", 1, 0, DBLOCK_MESSAGE_KEY_MAX},
	{retry_topic, "topic", 1, 0, DBLOCK_TOPIC_MAX},
	{retry_key, "key", 1, 0, DBLOCK_MESSAGE_KEY_MAX},
	{drop_topic, "topic", 1, 0, DBLOCK_TOPIC_MAX},
	{drop_key, "key", 1, 0, DBLOCK_MESSAGE_KEY_MAX},
	{drop_number, "number", 1, 0, NONE},
	{rate_rate, "rate", 1, 0, DBLOCK_RATE_MAX},
	{rate_burst, "burst", 1, 0, DBLOCK_RATE_MAX},
	{rate_n, "n", 1, 0, 9},
	{rate_period, "period_ms", 1, -1, DBLOCK_RATE_PERIOD_MAX_MS},
	{rate_span, "burst", 1, 0, DBLOCK_RATE_SPAN_MAX_MS / RATE_LONG_MS},
	{rate_wait, "wait_ms", DBLOCK_NO_WAIT, -3, NONE},
	{rate_name, "name", 1, 0, DBLOCK_NAME_MAX},
	{latch_name, "name", 1, 0, DBLOCK_LATCH_NAME_MAX},
	{latch_count, "count", 1, 0, DBLOCK_LATCH_MAX},
	{latch_down, "n", 1, 0, DBLOCK_LATCH_MAX},
	{latch_request, "request", 0, -1, NONE},
	{latch_reset, "count", 0, -1, DBLOCK_LATCH_MAX},
	{latch_wait, "wait_ms", DBLOCK_NO_WAIT, -3, NONE},
	{latch_generation, "generation", 0, -1, NONE},
	{barrier_name, "name", 1, 0, DBLOCK_BARRIER_NAME_MAX},
	{barrier_parties, "parties", 1, 0, DBLOCK_PARTIES_MAX},
	{barrier_wait, "wait_ms", DBLOCK_NO_WAIT, -3, NONE},
};

enum { N = sizeof(bounds) / sizeof(*bounds) };

static int set_up(void **state)
{
	static struct stage stage;
	struct dblock_acquire_options lease = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};

	stage.client = client_new(0);
	stage.held = take(stage.client, "held");
	lease.lease_ms = 600000;
	expect(OK, dblock_try(stage.client, "leased", &lease, &stage.lease, &err));
	expect(OK, dblock_tx_open(stage.client, &stage.tx, &err));
	*state = &stage;
	return 0;
}

static int tear_down(void **state)
{
	struct stage *s = *state;
	int rc;

	dblock_tx_close(s->tx);
	/* Extended to the least that can be, it may be over. */
	rc = dblock_release(s->lease, NULL);
	assert_true(rc == DBLOCK_OK || rc == DBLOCK_LOST);
	return (dblock_close)(s->client, NULL);
}

/* Which schema there is to name is another matter. */
static bool applies(const struct bound *b)
{
	return b->call != client_schema || !on_backend("sqlite");
}

static void is_taken(struct stage *s, const struct bound *b, int64_t value)
{
	struct dblock_error err = {0};

	if (value != NONE && b->call(s, value, &err) == DBLOCK_E_INVALID)
		fail_msg("%s, %lld: %s", b->said, (long long)value, err.message);
}

static void is_refused(struct stage *s, const struct bound *b, int64_t value)
{
	struct dblock_error err = {0};
	int rc = b->call(s, value, &err);

	if (rc != DBLOCK_E_INVALID)
		fail_msg("%s, %lld: %s", b->said, (long long)value, dblock_outcome_name(rc));
	message_has(b->said);
}

static void at_the_bounds(void **state)
{
	for (int i = 0; i < N; i++) {
		if (!applies(&bounds[i]))
			continue;
		is_taken(*state, &bounds[i], bounds[i].least);
		is_taken(*state, &bounds[i], bounds[i].most == NONE ? INT_MAX : bounds[i].most);
	}
}

static void beyond_the_bounds(void **state)
{
	for (int i = 0; i < N; i++) {
		if (!applies(&bounds[i]))
			continue;
		if (bounds[i].below != NONE)
			is_refused(*state, &bounds[i], bounds[i].below);
		if (bounds[i].most != NONE)
			is_refused(*state, &bounds[i], bounds[i].most + 1);
	}
}

/* Each number of a header that is a bound stands above. */
static void none_is_left_out(void **state)
{
	char command[1024], name[128];
	int found = 0;
	FILE *names;

	(void)state;
	snprintf(command, sizeof(command),
		 "cd '%s' && sed -nE 's/^#define (DBLOCK_[A-Z_]+_(MIN|MAX)(_MS)?) .*/\\1/p' "
		 "include/dblock/*.h | while read -r name; do "
		 "grep -q \"\\<$name\\>\" tests/api/bounds.c || echo \"$name\"; echo ok; done",
		 test_env("DBLOCK_SOURCE_DIR"));
	names = popen(command, "r");
	assert_non_null(names);
	while (fscanf(names, "%127s", name) == 1) {
		if (strcmp(name, "ok") != 0)
			fail_msg("%s is not looked at", name);
		found++;
	}
	pclose(names);
	assert_true(found > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(at_the_bounds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(beyond_the_bounds, set_up, tear_down),
		cmocka_unit_test(none_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
