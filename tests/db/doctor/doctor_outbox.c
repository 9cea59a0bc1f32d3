/* SPDX-License-Identifier: MIT */
/* The doctor on messages that nobody delivers, on keys that are parked, and on who keeps what was deleted. */
#include "api/client.h"
#include "support/findings.h"
#include "support/raw.h"
#include "support/tx.h"
#include "support/waiting.h"

enum { HOUR_S = 3600, DAY_S = 24 * HOUR_S };

static struct findings examine(const struct dbl_env *env)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct findings findings = {.n = 0};
	struct dblock_error err = {0};

	options.timeout_ms = PLENTY_MS;
	expect(OK, dbl_client_doctor(test_url(), &options, env, keep_finding, &findings, &err));
	return findings;
}

struct world {
	struct dblock_client *client;
	struct raw *raw;
};

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->client = client_new(0);
	w->raw = raw_open(NULL);
	raw_exec(w->raw, "DELETE FROM dblock_outbox");
	raw_exec(w->raw, "DELETE FROM dblock_outbox_failure");
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	raw_close(w->raw);
	dblock_close(w->client, NULL);
	free(w);
	return 0;
}

/* Its messages are put by the database's clock, so many seconds ago. */
static void put(const struct world *w, const char *topic, const char *key, int64_t seconds_ago)
{
	struct dblock_tx *tx = tx_begin(w->client);
	struct dblock_error err = {0};

	expect(OK, dblock_outbox_put(tx, topic, key, "b", NULL, NULL, &err));
	tx_commit(tx);
	raw_exec(w->raw,
		 "UPDATE dblock_outbox SET put_at = put_at - %lld WHERE topic = '%s' AND msg_key = "
		 "'%s'",
		 (long long)seconds_ago * 1000000, topic, key);
}

static void park(const struct world *w, const char *topic, const char *key)
{
	raw_exec(w->raw,
		 "INSERT INTO dblock_outbox_failure (topic, msg_key, shard, number, tries, since, "
		 "due, error)"
		 " SELECT topic, msg_key, shard, number, 10, 1, NULL, 'no' FROM dblock_outbox"
		 " WHERE topic = '%s' AND msg_key = '%s'",
		 topic, key);
}

static void what_waits(void **state)
{
	const struct world *w = *state;
	struct findings findings = examine(dbl_env_system());

	must_say(&findings, OK, "outbox", "no message has waited");
	put(w, "young", "a", HOUR_S - 600);
	findings = examine(dbl_env_system());
	must_say(&findings, OK, "outbox", "no message has waited");
	put(w, "hour", "a", 2 * HOUR_S);
	put(w, "half", "a", 4 * DAY_S);
	put(w, "week", "a", 7 * DAY_S);
	findings = examine(dbl_env_system());
	must_say(&findings, WARNING, "outbox",
		 "topic 'hour': a message has waited for 2 h 0 min: nobody");
	must_say(&findings, WARNING, "outbox", "topic 'half': a message has waited for 4 days");
	must_say(&findings, WRONG, "outbox", "topic 'week': a message has waited for 7 days");
	assert_null(find_finding(&findings, "outbox", "young"));
	assert_null(find_finding(&findings, "outbox", "no message has waited"));
}

/* What is old for that reason is no other finding. */
static void keys_that_are_parked(void **state)
{
	const struct world *w = *state;
	struct findings findings;

	put(w, "mail", "a", 2 * HOUR_S);
	put(w, "mail", "b", 5);
	park(w, "mail", "a");
	findings = examine(dbl_env_system());
	must_say(&findings, WARNING, "outbox", "topic 'mail': keys that are parked: 1:");
	assert_null(find_finding(&findings, "outbox", "a message has waited"));
	raw_exec(w->raw, "UPDATE dblock_outbox SET number = 2 WHERE msg_key = 'a'");
	findings = examine(dbl_env_system());
	assert_null(find_finding(&findings, "outbox", "parked:"));
	must_say(&findings, WARNING, "outbox", "topic 'mail': a message has waited for 2 h");
}

/* ---- what keeps deleted rows ------------------------------------------------------------------ */

/* A driver for which an hour is over at once, and nothing is few. */
static struct dbl_driver driver;
static const struct dbl_driver *real_driver;

static int run_soon(struct dbl_stmt *stmt, const struct dbl_value *args, unsigned n,
		    int64_t *changed, struct dblock_error *err)
{
	struct dbl_value soon[DBL_ARGS_MAX];

	for (unsigned i = 0; i < n; i++) {
		soon[i] = args[i];
		if (args[i].type == DBL_INT &&
		    (args[i].i == HOUR_S * INT64_C(1000000) || args[i].i == 1000000))
			soon[i].i = 0;
	}
	return real_driver->run(stmt, soon, n, changed, err);
}

static const struct dbl_driver *intercept(void *ctx, const struct dbl_driver *real)
{
	(void)ctx;
	real_driver = real;
	driver = *real;
	driver.run = run_soon;
	return &driver;
}

/* InnoDB shows transactions as they were the last time, until nobody has looked for a tenth of a second. */
static struct findings examine_soon(void)
{
	struct dbl_env env = *dbl_env_system();

	if (on_backend("mysql"))
		sleep_ms(200);
	env.intercept = intercept;
	return examine(&env);
}

static void an_open_transaction(void **state)
{
	const struct world *w = *state;
	char part[64] = "kept by";
	struct findings findings;
	struct dblock_tx *tx;

	if (on_backend("sqlite"))
		return; /* a writer keeps the file, which is another finding */
	put(w, "mail", "a", 5);
	tx = tx_begin(w->client);
	tx_exec(tx, "UPDATE dblock_outbox SET body = 'c'");
	if (on_backend(
		    "mysql")) /* other tests on this server have some, too: not all are told of */
		snprintf(part, sizeof(part), "kept by a transaction of connection ");
	if (on_backend("postgresql"))
		snprintf(part, sizeof(part), "(pid %lld,",
			 (long long)tx_int(tx, "SELECT pg_backend_pid()"));
	findings = examine_soon();
	tx_rollback(tx);
	must_say(&findings, WARNING, "outbox", part);
	findings = examine(dbl_env_system());
	assert_null(find_finding(&findings, "outbox", "kept by a transaction"));
}

/* Another program's; of dblock's own the recovery, and `dblock doctor` under "global", take care. */
static void a_prepared_transaction(void **state)
{
	const struct world *w = *state;
	struct findings findings;

	if (!on_backend("postgresql"))
		return; /* MySQL does not tell how old one is; a file has none */
	raw_exec(w->raw, "BEGIN");
	raw_exec(w->raw, "DELETE FROM dblock_outbox");
	raw_exec(w->raw, "PREPARE TRANSACTION 'somebody''s'");
	findings = examine_soon();
	raw_exec(w->raw, "ROLLBACK PREPARED 'somebody''s'");
	must_say(&findings, WARNING, "outbox", "kept by a prepared transaction 'somebody's'");
}

static void it_is_over(void **state)
{
	struct findings findings = examine_soon();

	(void)state;
	if (!on_backend("mysql"))
		assert_null(find_finding(&findings, "outbox", "kept by a transaction"));
	else
		must_say(&findings, WARNING, "outbox", "kept by a history list of ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_waits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(keys_that_are_parked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_open_transaction, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_prepared_transaction, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_is_over, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
