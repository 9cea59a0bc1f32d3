/* SPDX-License-Identifier: MIT */
/* How many connections and threads a client has, as docs/user/guarantees.md and docs/user/api.md say. */
#include <dirent.h>

#include "support/steps.h"

static int threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int n = 0;

	assert_non_null(tasks);
	while (readdir(tasks))
		n++;
	closedir(tasks);
	return n - 2;
}

static int keep_count(void *arg, const struct dblock_value *row, size_t n)
{
	assert_int_equal(n, 1);
	*(int64_t *)arg = row[0].i;
	return 0;
}

/* Of others than who asks, to this test's database. */
static int64_t connections(struct dblock_tx *tx)
{
	const char *sql = on_backend("mysql")
				  ? "SELECT count(*) - 1 FROM information_schema.processlist "
				    "WHERE db = database()"
				  : "SELECT count(*) - 1 FROM pg_stat_activity "
				    "WHERE datname = current_database()";
	struct dblock_error err = {0};
	int64_t n = -1;

	expect(OK, dblock_tx_query(tx, sql, NULL, 0, NULL, keep_count, &n, &err));
	return n;
}

/* A server forgets a connection some time after its end. */
static void has_connections(struct dblock_tx *tx, int64_t wanted)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (connections(tx) != wanted && clock_ms() < until)
		sleep_ms(20);
	assert_int_equal(connections(tx), wanted);
}

static void has_threads(int wanted)
{
	int64_t until = clock_ms() + PLENTY_MS;

	while (threads() != wanted && clock_ms() < until)
		sleep_ms(20);
	assert_int_equal(threads(), wanted);
}

/* One for requests, one for heartbeats; the channel once a call has waited; one for each open
 * transaction, which is kept for the next. */
static void connections_of_a_client(void **state)
{
	struct dblock_client *observer = client_new(0), *client;
	struct dblock_error err = {0};
	struct dblock_tx *eyes, *tx;
	struct dblock_lock *taken;
	struct dblock_wait *wait;
	int64_t before;

	(void)state;
	if (on_backend("sqlite"))
		return; /* a file has none to be counted; what is opened are descriptors */
	expect(OK, dblock_tx_open(observer, &eyes, &err));
	taken = take(observer, "x");
	before = connections(eyes);
	client = client_new(0);
	give(take(client, "y"));
	has_connections(eyes, before + 2);
	wait = wait_in_queue(client, "x");
	has_connections(eyes, before + 3);
	expect(OK, dblock_tx_open(client, &tx, &err));
	has_connections(eyes, before + 4);
	dblock_tx_close(tx);
	has_connections(eyes, before + 4);
	dblock_wait_end(wait);
	assert_int_equal((dblock_close)(client, NULL), DBLOCK_OK);
	has_connections(eyes, before);
	give(taken);
	dblock_tx_close(eyes);
	dblock_close(observer, NULL);
}

/* The heartbeat thread and the watchdog; a listener, and on a server the channel's, once a call
 * waits; a worker, once one was begun. On MySQL each connection has one that ends what takes too
 * long. */
static void threads_of_a_client(void **state)
{
	struct dblock_client *other = client_new(0), *client;
	struct dblock_lock *taken = take(other, "x");
	struct dblock_wait *wait;
	int before = threads();

	(void)state;
	client = client_new(0);
	has_threads(before + (on_backend("mysql") ? 4 : 2));
	wait = wait_in_queue(client, "x");
	has_threads(before + (on_backend("sqlite") ? 4 : on_backend("mysql") ? 8 : 5));
	dblock_wait_end(wait);
	assert_int_equal((dblock_close)(client, NULL), DBLOCK_OK);
	has_threads(before);
	give(taken);
	dblock_close(other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connections_of_a_client),
		cmocka_unit_test(threads_of_a_client),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
