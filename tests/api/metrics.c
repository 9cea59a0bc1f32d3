/* SPDX-License-Identifier: MIT */
/* Counting: what there is and what there is none of, by mode and by what holds it; who may, and how it ends. */
#include "support/kit.h"

struct seen {
	int64_t grants[4], others; /* held by a session, by mode; held by anything else */
	int64_t leases, alive, version;
	int tables, kinds, n;
	int stop_at; /* the callback ends it with 7 at this one; 0: never */
	struct dblock_client *use;
};

static int note(void *arg, const struct dblock_metric *stat)
{
	struct seen *seen = arg;

	assert_true(stat->size == sizeof(*stat));
	seen->kinds |= 1 << stat->kind;
	if (stat->kind == DBLOCK_METRIC_GRANTS && strcmp(stat->state, "session") == 0)
		seen->grants[stat->mode] = stat->value;
	else if (stat->kind == DBLOCK_METRIC_GRANTS && strcmp(stat->state, "lease") == 0)
		seen->leases += stat->value;
	else if (stat->kind == DBLOCK_METRIC_GRANTS)
		seen->others += stat->value;
	if (stat->kind == DBLOCK_METRIC_SESSIONS && strcmp(stat->state, "alive") == 0)
		seen->alive = stat->value;
	if (stat->kind == DBLOCK_METRIC_TABLES_VERSION)
		seen->version = stat->value;
	seen->tables += stat->kind == DBLOCK_METRIC_ROWS && *stat->name;
	if (seen->use)
		(void)show(seen->use, "x");
	return ++seen->n == seen->stop_at ? 7 : 0;
}

static struct seen count(struct dblock_client *client)
{
	struct dblock_error err = {0};
	struct seen seen = {.n = 0};

	expect(OK, dblock_metrics(client, NULL, note, &seen, &err));
	return seen;
}

static struct dblock_lock *take_in(struct dblock_client *client, const char *name,
				   enum dblock_mode mode)
{
	struct dblock_acquire_options o = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	o.mode = mode;
	o.capacity = mode == DBLOCK_PERMITS ? 5 : 0;
	expect(OK, dblock_try(client, name, &o, &lock, &err));
	return lock;
}

static void by_mode_and_by_what_holds_it(void **state)
{
	struct dblock_acquire_options lease = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_client *client = client_new(0), *other = client_new(0);
	struct dblock_error err = {0};
	struct dblock_lock *first = take(client, "x"), *leased;
	struct seen seen;
	int64_t known;

	(void)state;
	lease.lease_ms = PLENTY_MS;
	take(client, "y");
	take_in(client, "s", DBLOCK_SHARED);
	take_in(other, "s", DBLOCK_SHARED);
	take_in(client, "u", DBLOCK_UPDATE);
	take_in(other, "p", DBLOCK_PERMITS);
	expect(OK, dblock_try(client, "l", &lease, &leased, &err));
	seen = count(client);
	assert_int_equal(seen.grants[DBLOCK_EXCLUSIVE], 2);
	assert_int_equal(seen.grants[DBLOCK_SHARED], 2);
	assert_int_equal(seen.grants[DBLOCK_UPDATE], 1);
	assert_int_equal(seen.grants[DBLOCK_PERMITS], 1);
	assert_int_equal(seen.leases, 1);
	assert_int_equal(seen.others, 0);
	assert_int_equal(seen.alive, 2);
	assert_int_equal(seen.tables, 16);
	(void)dblock_tables_version(client, &known);
	assert_int_equal(seen.version, known);
	give(first);
	dblock_close(other, NULL);
	seen = count(client);
	assert_int_equal(seen.grants[DBLOCK_EXCLUSIVE], 1);
	assert_int_equal(seen.grants[DBLOCK_SHARED], 1);
	assert_int_equal(seen.grants[DBLOCK_PERMITS], 0);
	assert_int_equal(seen.alive, 1);
	dblock_close(client, NULL);
}

/* Without a session there is no heartbeat: that is left out, and all else is told, as 0. */
static void what_there_is_none_of(void **state)
{
	struct dblock_client_options only_to_look = DBLOCK_CLIENT_OPTIONS_INIT;
	int all = (1 << DBLOCK_METRIC_NAME_WAITERS) - 1;
	int beats = 1 << DBLOCK_METRIC_LAST_HEARTBEAT_US | 1 << DBLOCK_METRIC_OLDEST_HEARTBEAT_US;
	struct dblock_client *client;
	struct seen seen;

	(void)state;
	dblock_close(client_new(0), NULL); /* makes the tables */
	only_to_look.observe = 1;
	client = client_with(&only_to_look);
	seen = count(client);
	assert_int_equal(seen.kinds, all & ~beats);
	assert_int_equal(seen.alive, 0);
	dblock_close(client, NULL);
	client = client_new(0);
	assert_int_equal(count(client).kinds, all);
	dblock_close(client, NULL);
}

static void the_callback_may_end_it_and_use_the_client(void **state)
{
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct seen seen = {.stop_at = 3};

	(void)state;
	take(client, "x");
	seen.use = client;
	assert_int_equal(dblock_metrics(client, NULL, note, &seen, &err), 7);
	assert_int_equal(seen.n, 3);
	dblock_close(client, NULL);
}

static void bad_input(void **state)
{
	struct dblock_metrics_options options = DBLOCK_METRICS_OPTIONS_INIT;
	struct dblock_client *client = client_new(0);
	struct dblock_error err = {0};
	struct seen seen = {.n = 0};

	(void)state;
	options.names = -1;
	expect(E_INVALID, dblock_metrics(client, &options, note, &seen, &err));
	message_has("names is -1");
	options.names = DBLOCK_METRICS_NAMES_MAX + 1;
	expect(E_INVALID, dblock_metrics(client, &options, note, &seen, &err));
	options.names = DBLOCK_METRICS_NAMES_MAX;
	expect(E_INVALID, dblock_metrics(client, &options, NULL, NULL, &err));
	expect(E_INVALID, dblock_metrics(NULL, &options, note, &seen, &err));
	assert_int_equal(seen.n, 0);
	expect(OK, dblock_metrics(client, &options, note, &seen, &err));
	dblock_close(client, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_there_is_none_of),
		cmocka_unit_test(by_mode_and_by_what_holds_it),
		cmocka_unit_test(the_callback_may_end_it_and_use_the_client),
		cmocka_unit_test(bad_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
