/* SPDX-License-Identifier: MIT */
/*
 * Does a fence hold? fence LOG URL OTHER_URL [STATEMENT | CUT JOIN]: through the first URL a lock is acquired
 * with a short lease, and fenced in a transaction that stays open beyond the lease's end. Through the
 * other one somebody waits for the lock, fences it as well, and writes. Then the first one commits
 * what it wrote. With a statement, which is run through the other URL and lets the first one's server
 * fall behind, the first one fences only after the other has committed. With two commands, the first
 * one's server is cut off as soon as it has fenced, and joined before it commits; one round of that
 * does. Written down as the witness's events (record.h), and
 *     wrote    a transaction that had fenced the lock was committed, with that token
 * Both write rows of their own: nothing but the fence keeps them apart.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include <dblock/dblock.h>

#include "engines/record.h"

enum { ROUNDS = 3, LEASE_MS = 1000, WAIT_MS = 4000, WAIT_FOR_CUT_MS = 60000 };

struct side {
	int number;
	struct dblock_client *client;
	struct dblock_tx *tx;
	struct dblock_lock *lock;
	int64_t token, wait_ms;
};

static struct dblock_error err;

static void must(int rc, const char *what)
{
	if (rc == DBLOCK_OK)
		return;
	fprintf(stderr, "fence: %s: %s\n", what, err.message);
	exit(1);
}

static void open_side(struct side *s, int number, const char *url)
{
	s->number = number;
	s->wait_ms = WAIT_MS;
	must(dblock_open(url, NULL, &s->client, &err), "open");
	must(dblock_tx_open(s->client, &s->tx, &err), "open a transaction");
}

static int acquire(struct side *s)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	int rc;

	options.wait_ms = s->wait_ms;
	options.lease_ms = LEASE_MS;
	record(record_now(), s->number, "asked", "fenced", 0, DBLOCK_OK);
	rc = dblock_acquire(s->client, "fenced", &options, &s->lock, &err);
	if (rc) {
		record(record_now(), s->number, "failed", "fenced", 0, rc);
		return rc;
	}
	s->token = dblock_token(s->lock);
	record(record_now(), s->number, "granted", "fenced", s->token, rc);
	/* It is not used as a lock, only as a fence. */
	record(record_now(), s->number, "until", "fenced", s->token, rc);
	return rc;
}

/* That it cannot be fenced any more is what a fence is for. */
static bool fence(struct side *s)
{
	int rc;

	must(dblock_tx_begin(s->tx, NULL, &err), "begin");
	rc = dblock_fence(s->tx, s->lock, &err);
	if (rc == DBLOCK_OK)
		return true;
	fprintf(stderr, "fence: of token %lld: %s\n", (long long)s->token, err.message);
	dblock_tx_rollback(s->tx, NULL);
	(void)dblock_release(s->lock, NULL);
	return false;
}

static void insert(struct side *s)
{
	struct dblock_value token = dblock_int(s->token);

	must(dblock_tx_query(s->tx, "INSERT INTO fenced_rows (token) VALUES ($1)", &token, 1, NULL,
			     NULL, NULL, &err),
	     "insert");
}

/* Nor committed. */
static void commit(struct side *s)
{
	int rc = dblock_tx_commit(s->tx, &err);

	if (rc == DBLOCK_OK)
		record(record_now(), s->number, "wrote", "fenced", s->token, rc);
	else
		fprintf(stderr, "fence: commit of token %lld: %s\n", (long long)s->token,
			err.message);
	(void)dblock_release(s->lock, NULL);
}

static void fence_and_write(struct side *s)
{
	if (!fence(s))
		return;
	insert(s);
	commit(s);
}

static void fence_beyond_the_lease(struct side *first, struct side *second)
{
	int rc;

	must(acquire(first), "acquire");
	if (!fence(first))
		exit(1);
	insert(first);
	rc = acquire(second);
	if (rc == DBLOCK_OK)
		fence_and_write(second);
	commit(first);
	if (rc == DBLOCK_OK)
		return;
	must(acquire(second), "acquire what is free now");
	fence_and_write(second);
}

static void fence_after_the_lease(struct side *first, struct side *second, const char *statement)
{
	struct timespec lease = {LEASE_MS / 1000, 100000000};

	must(acquire(first), "acquire");
	nanosleep(&lease, NULL);
	must(dblock_tx_query(second->tx, statement, NULL, 0, NULL, NULL, NULL, &err), statement);
	must(acquire(second), "acquire what is free again");
	fence_and_write(second);
	fence_and_write(first);
}

static void run(const char *command)
{
	if (system(command) == 0)
		return;
	fprintf(stderr, "fence: %s failed\n", command);
	exit(1);
}

static void fence_while_cut_off(struct side *first, struct side *second, const char *cut,
				const char *join)
{
	second->wait_ms = WAIT_FOR_CUT_MS;
	must(acquire(first), "acquire");
	if (!fence(first))
		exit(1);
	insert(first);
	run(cut);
	must(acquire(second), "acquire from one that is cut off");
	fence_and_write(second);
	run(join);
	commit(first);
}

int main(int argc, char **argv)
{
	struct side first = {0}, second = {0};

	if (argc < 4 || argc > 6) {
		fprintf(stderr, "usage: fence LOG URL OTHER_URL [STATEMENT | CUT JOIN]\n");
		return 64;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	record_open(argv[1]);
	open_side(&first, 1, argv[2]);
	open_side(&second, 2, argv[3]);
	must(dblock_tx_query(first.tx,
			     "CREATE TABLE IF NOT EXISTS fenced_rows (token BIGINT PRIMARY KEY)",
			     NULL, 0, NULL, NULL, NULL, &err),
	     "create a table");
	for (int i = 0; i < (argc > 5 ? 1 : ROUNDS); i++) {
		if (argc > 5)
			fence_while_cut_off(&first, &second, argv[4], argv[5]);
		else if (argc > 4)
			fence_after_the_lease(&first, &second, argv[4]);
		else
			fence_beyond_the_lease(&first, &second);
	}
	record(record_now(), 0, "over", "-", 0, DBLOCK_OK);
	dblock_tx_close(first.tx);
	dblock_tx_close(second.tx);
	(void)dblock_close(first.client, NULL);
	(void)dblock_close(second.client, NULL);
	return 0;
}
