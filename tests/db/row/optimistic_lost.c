/* SPDX-License-Identifier: MIT */
/* The lost update: two callers read the same, and the second overwrites what the first has written.
 */
#include "support/versioned.h"

enum { CLIENTS = 2, THREADS = 8, EACH = 4, ALL = CLIENTS * THREADS * EACH };

static struct dblock_client *clients[CLIENTS];
static _Atomic int problems, runs;
static pthread_barrier_t meet;

/* ---- threads --------------------------------------------------------------------------------- */

/* Naive: it reads, thinks, and writes. All begin together, so that some read the same. */
static void *add_naively(void *arg)
{
	struct dblock_client *client = arg;
	struct dblock_value key[2], value;
	struct dblock_versioned_row row = article_row(key, 1, DBLOCK_BY_VERSION);
	struct dblock_error err = {0};
	struct dblock_tx *tx;
	int64_t stock, version;

	if (dblock_tx_open(client, &tx, &err)) {
		note_problem(&problems, "open", &err);
		return NULL;
	}
	/* Nearly every PostgreSQL is set up like this, but not this one. */
	if (on_backend("postgresql") &&
	    dblock_tx_query(tx, "SET default_transaction_isolation = 'read committed'", NULL, 0,
			    NULL, NULL, NULL, &err))
		note_problem(&problems, "isolation", &err);
	if (article_read_stock(tx, &row, &stock, &version, &err))
		note_problem(&problems, "read", &err);
	pthread_barrier_wait(&meet);
	value = dblock_int(stock + 1);
	if (dblock_tx_query(tx, "UPDATE article SET stock = $1 WHERE id = 1", &value, 1, NULL, NULL,
			    NULL, &err))
		note_problem(&problems, "write", &err);
	dblock_tx_close(tx);
	return NULL;
}

struct adder {
	struct dblock_client *client;
	enum dblock_version_kind kind;
};

static int add_one(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	const struct adder *adder = arg;
	struct dblock_value key[2];
	struct dblock_versioned_row row = article_row(key, 1, adder->kind);
	int64_t stock, version;
	int rc = article_read_stock(tx, &row, &stock, &version, err);

	runs++;
	return rc ? rc : article_set_stock(tx, &row, stock + 1, &version, err);
}

/* Adds in a transaction per attempt, until it succeeds. */
static void *add_in_runs(void *arg)
{
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	struct adder *adder = arg;
	struct dblock_error err = {0};

	options.attempts = 100000;
	options.retry_ms = PLENTY_MS;
	for (int i = 0; i < EACH; i++) {
		if (dblock_versioned_run(adder->client, &options, add_one, adder, &err))
			note_problem(&problems, "run", &err);
	}
	return NULL;
}

/* Adds in no transaction: each statement alone, with the new version after a STALE. */
static void *add_alone(void *arg)
{
	struct adder *adder = arg;
	struct dblock_error err = {0};
	struct dblock_tx *tx;

	if (dblock_tx_open(adder->client, &tx, &err)) {
		note_problem(&problems, "open", &err);
		return NULL;
	}
	for (int i = 0; i < EACH; i++) {
		int rc;

		do {
			rc = add_one(adder, tx, &err);
		} while (rc == DBLOCK_STALE || rc == DBLOCK_E_CONFLICT);
		if (rc)
			note_problem(&problems, "alone", &err);
	}
	dblock_tx_close(tx);
	return NULL;
}

static void crowd(void *(*body)(void *), struct adder adders[CLIENTS])
{
	struct crew crew = {.n = 0};

	for (int c = 0; c < CLIENTS; c++) {
		for (int t = 0; t < THREADS; t++)
			crew_add(&crew, body, adders ? (void *)&adders[c] : clients[c]);
	}
	crew_join(&crew);
	assert_int_equal(problems, 0);
}

static int64_t stock_now(void)
{
	struct dblock_tx *tx = tx_open(clients[0]);
	int64_t stock = article_stock(tx, 1);

	dblock_tx_close(tx);
	return stock;
}

static void naively_some_are_lost(void **state)
{
	int64_t before = stock_now();

	(void)state;
	pthread_barrier_init(&meet, NULL, CLIENTS * THREADS);
	crowd(add_naively, NULL);
	pthread_barrier_destroy(&meet);
	assert_int_equal(stock_now(), before + 1);
}

static void by_version_none_is_lost(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		enum dblock_version_kind kind = i / 2 ? DBLOCK_BY_UPDATED_AT : DBLOCK_BY_VERSION;
		struct adder adders[CLIENTS] = {{clients[0], kind}, {clients[1], kind}};
		int64_t before = stock_now();

		runs = 0;
		crowd(i & 1 ? add_alone : add_in_runs, adders);
		assert_int_equal(stock_now(), before + ALL);
		print_message("%s, %s: %d updates in %d runs\n", i / 2 ? "time" : "number",
			      i & 1 ? "alone" : "in transactions", ALL, runs);
	}
}

/* ---- a slow writer --------------------------------------------------------------------------- */

static struct dblock_client *slow_open(void)
{
	struct dblock_client *client = client_new(0);
	struct dblock_tx *tx = tx_open(client);

	article_make(tx, 1);
	dblock_tx_close(tx);
	return client;
}

/* Runs as a process that stops itself between read and update, and at no other place. Returns 0 if
 * it was told STALE, with the new version. */
static int slow_writer(void)
{
	struct dblock_client *client = slow_open();
	struct dblock_tx *tx = tx_open(client);
	struct dblock_value key[2];
	struct dblock_versioned_row row = article_row(key, 1, DBLOCK_BY_VERSION);
	struct dblock_error err = {0};
	int64_t stock, version, was;
	int rc;

	if (article_read_stock(tx, &row, &stock, &version, &err))
		return 2;
	was = version;
	raise(SIGSTOP);
	rc = article_set_stock(tx, &row, stock - 100, &version, &err);
	dblock_tx_close(tx);
	dblock_close(client, NULL);
	return rc == DBLOCK_STALE && version == was + 2 ? 0 : 1;
}

static void change_twice(void)
{
	struct dblock_client *client = client_new(0);
	struct dblock_tx *tx = tx_open(client);
	struct dblock_value key[2];
	struct dblock_versioned_row row = article_row(key, 1, DBLOCK_BY_VERSION);
	struct dblock_error err = {0};
	int64_t stock, version;

	expect(OK, article_read_stock(tx, &row, &stock, &version, &err));
	expect(OK, article_set_stock(tx, &row, stock + 1, &version, &err));
	expect(OK, article_set_stock(tx, &row, stock + 2, &version, &err));
	dblock_tx_close(tx);
	dblock_close(client, NULL);
}

static void a_slow_writer_is_told(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(slow_writer());
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	change_twice();
	kill(pid, SIGCONT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int set_up(void **state)
{
	(void)state;
	for (int c = 0; c < CLIENTS; c++)
		clients[c] = client_new(0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (int c = 0; c < CLIENTS; c++)
		dblock_close(clients[c], NULL);
	return 0;
}

int main(void)
{
	const struct CMUnitTest slow[] = {cmocka_unit_test(a_slow_writer_is_told)};
	const struct CMUnitTest fast[] = {
		cmocka_unit_test(naively_some_are_lost),
		cmocka_unit_test(by_version_none_is_lost),
	};
	/* The first one forks, so there must be no client yet. */
	int failed = cmocka_run_group_tests(slow, NULL, NULL);

	return failed + cmocka_run_group_tests(fast, set_up, tear_down);
}
