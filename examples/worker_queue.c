/* SPDX-License-Identifier: MIT */
/*
 * A table as a work queue: worker_queue URL add N | work [--die AFTER] | count
 *
 * Any number of workers, on any number of machines, share a table of jobs. Each takes the first job
 * that no other one has (SKIP LOCKED), does it, and marks it, in one transaction. If a worker dies
 * on the way the database rolls its transaction back: the job is the next one's, nothing is lost
 * and nothing done twice. No queue server, no clean-up job, no "stuck since" column.
 *
 * --die AFTER: with so many jobs done, end in the midst of the next one, as a crash would.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dblock/rows.h>

enum { WORK_MS = 5 };

struct worker {
	int64_t id; /* of the job at hand */
	char what[64];
	int done, die_after;
};

static int query(struct dblock_tx *tx, const char *sql, const struct dblock_value *values,
		 unsigned n, struct dblock_error *err)
{
	return dblock_tx_query(tx, sql, values, n, NULL, NULL, NULL, err);
}

/* ---- jobs come ------------------------------------------------------------------------------- */

static int add(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	int n = *(int *)arg, rc = DBLOCK_OK;

	for (int i = 1; rc == DBLOCK_OK && i <= n; i++) {
		struct dblock_value values[] = {dblock_int(i), dblock_text("say hello")};

		rc = query(tx, "INSERT INTO jobs (id, what, done) VALUES ($1, $2, 0)", values, 2,
			   err);
	}
	return rc;
}

/* ---- and are done ---------------------------------------------------------------------------- */

static int look_at(void *arg, const struct dblock_value *row, size_t n)
{
	struct worker *worker = arg;

	(void)n;
	worker->id = row[0].i;
	snprintf(worker->what, sizeof(worker->what), "%.*s", (int)row[1].len, row[1].text);
	return DBLOCK_OK;
}

/* One job, in one transaction. */
static int do_one(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	static const char *const key[] = {"id"}, *const columns[] = {"what"};
	struct dblock_rows_wanted wanted = DBLOCK_ROWS_WANTED_INIT;
	struct worker *worker = arg;
	struct dblock_value id;
	int rc;

	wanted.table = "jobs";
	wanted.key = key;
	wanted.n_key = 1;
	wanted.columns = columns;
	wanted.n_columns = 1;
	wanted.where = "done = 0";
	rc = dblock_rows_take(tx, &wanted, look_at, worker, NULL, err);
	if (rc != DBLOCK_OK)
		return rc;
	poll(NULL, 0, WORK_MS); /* here it would do worker->what */
	id = dblock_int(worker->id);
	rc = query(tx, "UPDATE jobs SET done = done + 1 WHERE id = $1", &id, 1, err);
	if (rc == DBLOCK_OK && worker->done == worker->die_after)
		_exit(1);
	return rc;
}

static int work(struct dblock_client *client, struct worker *worker, struct dblock_error *err)
{
	struct dblock_tx_options options = DBLOCK_TX_OPTIONS_INIT;
	int rc;

	options.retry_ms = 60000;
	while ((rc = dblock_tx_run(client, &options, do_one, worker, err)) == DBLOCK_OK) {
		worker->done++;
		printf("%s %" PRId64 "\n", worker->what, worker->id);
		fflush(stdout);
	}
	/* None that nobody else has: a real worker would wait a while, and ask again. */
	return rc == DBLOCK_GONE ? DBLOCK_OK : rc;
}

/* ---- counts ---------------------------------------------------------------------------------- */

static int print_counts(void *arg, const struct dblock_value *row, size_t n)
{
	(void)arg, (void)n;
	printf("jobs: %" PRId64 ", open: %" PRId64 ", done more than once: %" PRId64 "\n", row[0].i,
	       row[1].i, row[2].i);
	return DBLOCK_OK;
}

static int count(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	(void)arg;
	return dblock_tx_query(tx,
			       "SELECT COUNT(*), COUNT(CASE WHEN done = 0 THEN 1 END), "
			       "COUNT(CASE WHEN done > 1 THEN 1 END) FROM jobs",
			       NULL, 0, NULL, print_counts, NULL, err);
}

static int make_table(struct dblock_client *client, struct dblock_error *err)
{
	struct dblock_tx *tx;
	int rc = dblock_tx_open(client, &tx, err);

	if (rc == DBLOCK_OK)
		rc = query(tx,
			   "CREATE TABLE IF NOT EXISTS jobs (id BIGINT PRIMARY KEY, what "
			   "VARCHAR(60) NOT NULL, done INT NOT NULL)",
			   NULL, 0, err);
	dblock_tx_close(tx);
	return rc;
}

static int run(struct dblock_client *client, int argc, char **argv, struct dblock_error *err)
{
	struct worker worker = {.die_after = -1};
	int rc = make_table(client, err), n;

	if (rc != DBLOCK_OK)
		return rc;
	if (strcmp(argv[2], "add") == 0 && argc == 4) {
		n = atoi(argv[3]);
		return dblock_tx_run(client, NULL, add, &n, err);
	}
	if (strcmp(argv[2], "count") == 0)
		return dblock_tx_run(client, NULL, count, NULL, err);
	if (argc == 5)
		worker.die_after = atoi(argv[4]);
	return work(client, &worker, err);
}

int main(int argc, char **argv)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client;
	struct dblock_error err;
	int rc;

	if (argc < 3) {
		fprintf(stderr, "usage: worker_queue URL add N | work [--die AFTER] | count\n");
		return 2;
	}
	options.app = "worker_queue";
	options.auto_migrate = 1;
	rc = dblock_open(argv[1], &options, &client, &err);
	if (rc == DBLOCK_OK)
		rc = run(client, argc, argv, &err);
	dblock_close(client, NULL);
	if (rc != DBLOCK_OK)
		fprintf(stderr, "worker_queue: %s\n", err.message);
	return rc != DBLOCK_OK;
}
