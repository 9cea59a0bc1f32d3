/* SPDX-License-Identifier: MIT */
/*
 * An order in one database, the stock in another, both or none:
 * order ORDERS STOCK fill ARTICLE PIECES | buy NUMBER ARTICLE
 *
 * By two-phase commit. STOCK prepares its part: it can commit it whatever happens, and keeps its
 * rows locked until it is told. Then ORDERS commits, and with the order the decision; then STOCK is
 * told. So ORDERS may be anything, SQLite too; STOCK is PostgreSQL, MySQL or MariaDB. Whoever dies
 * in between leaves rows of STOCK locked, until somebody has run
 *
 *     dblock recover -u ORDERS -u STOCK
 *
 * which belongs on a timer, each minute: do not use this without. docs/user/transactions.md tells
 * when to take it, and when messages instead (outbox_mail.c, order_saga.c).
 *
 * buy ends with 0: sold; 3: no piece was left, and there is no order; 4: nobody knows yet; 1: it
 * failed, and is not sold.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dblock/dblock.h>

enum {
	WAIT_MS = 30000,
	TRIES = 10,
	SOLD_OUT = 100 /* an outcome of our own */
};

struct sale {
	struct dblock_client *orders, *stock;
	const char *number, *article;
	struct dblock_lock *lock; /* of the article, in STOCK */
	struct dblock_tx *order, *piece;
};

static int query(struct dblock_tx *tx, const char *sql, const struct dblock_value *values, size_t n,
		 struct dblock_error *err)
{
	return dblock_tx_query(tx, sql, values, n, NULL, NULL, NULL, err);
}

/* ---- what is sold ---------------------------------------------------------------------------- */

static int take_int(void *arg, const struct dblock_value *row, size_t n)
{
	(void)n;
	*(int64_t *)arg = row[0].i;
	return DBLOCK_OK;
}

/* What is read is still so when it is written: whoever sells this article has its lock first. The
 * fence proves that it is ours until STOCK has committed, even if we slept for an hour in between. */
static int take_piece(struct sale *sale, struct dblock_error *err)
{
	struct dblock_value values[] = {dblock_text(sale->article), dblock_int(0)};
	int64_t pieces = 0;
	int rc = dblock_fence(sale->piece, sale->lock, err);

	if (rc == DBLOCK_OK)
		rc = dblock_tx_query(sale->piece, "SELECT pieces FROM stock WHERE article = $1",
				     values, 1, NULL, take_int, &pieces, err);
	if (rc != DBLOCK_OK)
		return rc;
	if (pieces == 0) {
		snprintf(err->message, sizeof(err->message), "no '%s' is left", sale->article);
		return err->code = SOLD_OUT;
	}
	values[1] = dblock_int(pieces - 1);
	return query(sale->piece, "UPDATE stock SET pieces = $2 WHERE article = $1", values, 2,
		     err);
}

static int write_order(struct sale *sale, struct dblock_error *err)
{
	struct dblock_value values[] = {dblock_int(atoll(sale->number)),
					dblock_text(sale->article)};

	return query(sale->order, "INSERT INTO orders (number, article) VALUES ($1, $2)", values, 2,
		     err);
}

/* ---- both or none ---------------------------------------------------------------------------- */

/* DBLOCK_OK: it is sold, whatever happens to us or to STOCK from now on. DBLOCK_E_UNSURE: do not
 * tell the customer yes, nor no, nor sell it to him once more: ask when the recovery has run. Any
 * other outcome: it is rolled back in both. */
static int commit(struct sale *sale, struct dblock_global *global, struct dblock_error *err)
{
	int rc = dblock_global_commit(global, err);

	if (rc == DBLOCK_OK && dblock_global_unfinished(global) > 0)
		fprintf(stderr,
			"order: STOCK has yet to be told, and keeps '%s' locked: run "
			"dblock recover -u ORDERS -u STOCK\n",
			sale->article);
	if (rc == DBLOCK_E_UNSURE)
		fprintf(stderr,
			"order: nobody knows yet: run dblock recover -u ORDERS -u STOCK, which "
			"calls it %s, and then look whether order %s is there\n",
			dblock_global_id(global), sale->number);
	return rc;
}

/* What has the lock is joined last: branches are committed in their order, so that nobody gets the
 * lock while another database has yet to be told. (Here there is only one.) */
static int sell(struct sale *sale, struct dblock_error *err)
{
	struct dblock_global *global = NULL;
	int rc = dblock_global_begin(sale->order, &global, err);

	if (rc == DBLOCK_OK)
		rc = dblock_global_join(global, sale->piece, err);
	if (rc == DBLOCK_OK)
		rc = write_order(sale, err);
	if (rc == DBLOCK_OK)
		rc = take_piece(sale, err);
	if (rc == DBLOCK_OK)
		rc = commit(sale, global, err);
	dblock_global_close(global); /* rolls back both, unless they are committed */
	return rc;
}

static int buy(struct sale *sale, struct dblock_error *err)
{
	struct dblock_acquire_options options = DBLOCK_ACQUIRE_OPTIONS_INIT;
	char name[80];
	int rc, tries = 0;

	snprintf(name, sizeof(name), "article/%s", sale->article);
	options.wait_ms = WAIT_MS;
	rc = dblock_acquire(sale->stock, name, &options, &sale->lock, err);
	if (rc == DBLOCK_OK)
		rc = dblock_tx_open(sale->orders, &sale->order, err);
	if (rc == DBLOCK_OK)
		rc = dblock_tx_open(sale->stock, &sale->piece, err);
	if (rc == DBLOCK_OK)
		do /* a database took it back so that another transaction could go on */
			rc = sell(sale, err);
		while (rc == DBLOCK_E_CONFLICT && ++tries < TRIES);
	dblock_tx_close(sale->piece);
	dblock_tx_close(sale->order);
	/* Where STOCK has yet to be told, that fails, and the lock is free once our client is closed
	 * and the recovery has run. */
	if (sale->lock)
		(void)dblock_release(sale->lock, NULL);
	return rc;
}

/* ---- tables, and the command line ------------------------------------------------------------ */

static int fill(void *arg, struct dblock_tx *tx, struct dblock_error *err)
{
	char **words = arg;
	struct dblock_value values[] = {dblock_text(words[0]), dblock_int(atoll(words[1]))};
	int rc = query(tx, "DELETE FROM stock WHERE article = $1", values, 1, err);

	return rc ? rc
		  : query(tx, "INSERT INTO stock (article, pieces) VALUES ($1, $2)", values, 2,
			  err);
}

static int open_with_table(const char *url, const char *sql, struct dblock_client **client,
			   struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_tx *tx = NULL;
	int rc;

	options.auto_migrate = 1;
	rc = dblock_open(url, &options, client, err);
	if (rc == DBLOCK_OK)
		rc = dblock_tx_open(*client, &tx, err);
	if (rc == DBLOCK_OK)
		rc = query(tx, sql, NULL, 0, err);
	dblock_tx_close(tx);
	return rc;
}

static int act(struct sale *sale, char **argv, struct dblock_error *err)
{
	int rc = open_with_table(argv[1],
				 "CREATE TABLE IF NOT EXISTS orders (number BIGINT PRIMARY KEY, "
				 "article VARCHAR(60) NOT NULL)",
				 &sale->orders, err);

	if (rc == DBLOCK_OK)
		rc = open_with_table(argv[2],
				     "CREATE TABLE IF NOT EXISTS stock (article VARCHAR(60) "
				     "PRIMARY KEY, pieces BIGINT NOT NULL)",
				     &sale->stock, err);
	if (rc != DBLOCK_OK)
		return rc;
	if (strcmp(argv[3], "fill") == 0)
		return dblock_tx_run(sale->stock, NULL, fill, argv + 4, err);
	return buy(sale, err);
}

int main(int argc, char **argv)
{
	struct dblock_error err = {0};
	struct sale sale = {0};
	int rc;

	if (argc != 6 || (strcmp(argv[3], "fill") != 0 && strcmp(argv[3], "buy") != 0)) {
		fprintf(stderr,
			"usage: order ORDERS STOCK fill ARTICLE PIECES | buy NUMBER ARTICLE\n");
		return 2;
	}
	sale.number = argv[4];
	sale.article = argv[5];
	rc = act(&sale, argv, &err);
	if (rc != DBLOCK_OK && rc != DBLOCK_E_UNSURE)
		fprintf(stderr, "order: %s\n", err.message);
	dblock_close(sale.stock, NULL);
	dblock_close(sale.orders, NULL);
	return rc == SOLD_OUT ? 3 : rc == DBLOCK_E_UNSURE ? 4 : rc != DBLOCK_OK;
}
