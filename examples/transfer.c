/* SPDX-License-Identifier: MIT */
/*
 * Money from one account to another, behind a lock whose holder may be stopped at any time: each
 * transaction proves by a fence that the lock is still held.
 *
 *     transfer [URL]        default: sqlite:transfer.db
 *
 * Four workers, each with its own thread, move 1 from account 1 to account 2, ten times each. The
 * lock is kept over several transactions; what makes that safe is the fence in each of them.
 */
#include <dblock/dblock.h>
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 4, MOVES = 10 };

static int run(struct dblock_tx *tx, const char *sql, struct dblock_error *err)
{
	return dblock_tx_query(tx, sql, NULL, 0, NULL, NULL, NULL, err);
}

/* One transaction; it may run again where the database found a conflict. */
static int move_one(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	struct dblock_lock *lock = arg;
	int rc = dblock_fence(tx, lock, err);

	if (rc == DBLOCK_OK)
		rc = run(tx, "UPDATE account SET balance = balance - 1 WHERE id = 1", err);
	if (rc == DBLOCK_OK)
		rc = run(tx, "UPDATE account SET balance = balance + 1 WHERE id = 2", err);
	return rc;
}

static void *work(void *arg)
{
	struct dblock_client *client = arg;
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	for (int moved = 0; moved < MOVES;) {
		int rc = dblock_acquire(client, "accounts", NULL, &lock, &err);

		/* As many as we may until somebody takes the lock over, or we have done enough. */
		while (rc == DBLOCK_OK && moved < MOVES) {
			rc = dblock_tx_run(client, NULL, move_one, lock, &err);
			moved += rc == DBLOCK_OK;
		}
		if (lock)
			(void)dblock_release(lock, NULL);
		if (rc < 0) {
			fprintf(stderr, "transfer: %s\n", err.message);
			return NULL;
		}
	}
	return NULL;
}

static int set_up(struct dblock_tx *tx, struct dblock_error *err)
{
	int rc = run(tx, "DROP TABLE IF EXISTS account", err);

	if (rc == DBLOCK_OK)
		rc = run(tx,
			 "CREATE TABLE account (id INTEGER PRIMARY KEY, balance BIGINT NOT NULL)",
			 err);
	return rc ? rc : run(tx, "INSERT INTO account VALUES (1, 100), (2, 0)", err);
}

static int print_row(void *arg, const struct dblock_value *row, size_t n)
{
	(void)arg;
	if (n == 2)
		printf("account %lld has %lld\n", (long long)row[0].i, (long long)row[1].i);
	return 0;
}

int main(int argc, char **argv)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_client *client = NULL;
	struct dblock_tx *tx = NULL;
	struct dblock_error err = {0};
	pthread_t workers[WORKERS];
	int n = 0, rc;

	options.auto_migrate = 1;
	rc = dblock_open(argc > 1 ? argv[1] : "sqlite:transfer.db", &options, &client, &err);
	if (rc == DBLOCK_OK)
		rc = dblock_tx_open(client, &tx, &err);
	if (rc == DBLOCK_OK)
		rc = set_up(tx, &err);
	while (rc == DBLOCK_OK && n < WORKERS && !pthread_create(&workers[n], NULL, work, client))
		n++;
	while (n > 0)
		pthread_join(workers[--n], NULL);
	if (rc == DBLOCK_OK)
		rc = dblock_tx_query(tx, "SELECT id, balance FROM account ORDER BY id", NULL, 0,
				     NULL, print_row, NULL, &err);
	if (rc != DBLOCK_OK)
		fprintf(stderr, "transfer: %s\n", err.message);
	dblock_tx_close(tx);
	dblock_close(client, NULL);
	return rc != DBLOCK_OK;
}
