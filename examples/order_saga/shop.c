/* SPDX-License-Identifier: MIT */
#include "shop.h"

#include <stdlib.h>

static const struct {
	enum place place;
	const char *sql;
} tables[] = {
	{ORDERS, "CREATE TABLE IF NOT EXISTS orders (number BIGINT PRIMARY KEY, "
		 "customer VARCHAR(59) NOT NULL, state VARCHAR(20) NOT NULL)"},
	{PAYMENT, "CREATE TABLE IF NOT EXISTS account (customer VARCHAR(59) PRIMARY KEY, "
		  "money BIGINT NOT NULL)"},
	{PAYMENT, "CREATE TABLE IF NOT EXISTS payment (number BIGINT PRIMARY KEY, "
		  "customer VARCHAR(59) NOT NULL, state VARCHAR(20) NOT NULL)"},
	{STOCK, "CREATE TABLE IF NOT EXISTS stock (article VARCHAR(59) PRIMARY KEY, "
		"pieces BIGINT NOT NULL)"},
	{STOCK, "CREATE TABLE IF NOT EXISTS piece (number BIGINT PRIMARY KEY, "
		"article VARCHAR(59) NOT NULL, state VARCHAR(20) NOT NULL)"},
};

/* A transaction of its own. */
static int run(struct dblock_client *client, const char *sql, const struct dblock_value *values,
	       int (*row)(void *, const struct dblock_value *, size_t), void *arg,
	       struct dblock_error *err)
{
	struct dblock_tx *tx;
	int rc = dblock_tx_open(client, &tx, err);

	if (rc == DBLOCK_OK)
		rc = dblock_tx_query(tx, sql, values, values ? 2 : 0, NULL, row, arg, err);
	dblock_tx_close(tx);
	return rc;
}

int shop_open(struct shop *shop, char **urls, struct dblock_error *err)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	int rc = DBLOCK_OK;

	options.auto_migrate = 1;
	for (int i = 0; rc == DBLOCK_OK && i < PLACES; i++)
		rc = dblock_open(urls[i], &options, &shop->at[i], err);
	for (size_t i = 0; rc == DBLOCK_OK && i < sizeof(tables) / sizeof(tables[0]); i++)
		rc = run(shop->at[tables[i].place], tables[i].sql, NULL, NULL, NULL, err);
	return rc;
}

void shop_close(struct shop *shop)
{
	for (int i = 0; i < PLACES; i++)
		dblock_close(shop->at[i], NULL);
}

int shop_fill(const struct shop *shop, char **words, struct dblock_error *err)
{
	struct dblock_value money[] = {dblock_text(words[0]), dblock_int(atoll(words[1]))};
	struct dblock_value pieces[] = {dblock_text(words[2]), dblock_int(atoll(words[3]))};
	int rc = run(shop->at[PAYMENT], "INSERT INTO account (customer, money) VALUES ($1, $2)",
		     money, NULL, NULL, err);

	return rc ? rc
		  : run(shop->at[STOCK], "INSERT INTO stock (article, pieces) VALUES ($1, $2)",
			pieces, NULL, NULL, err);
}

static int keep(void *arg, const struct dblock_value *row, size_t n)
{
	(void)n;
	*(int64_t *)arg = row[0].i;
	return DBLOCK_OK;
}

int shop_count_open(const struct shop *shop, int64_t *open, struct dblock_error *err)
{
	return run(shop->at[ORDERS],
		   "SELECT count(*) FROM orders WHERE state IN ('open', 'cancelling')", NULL, keep,
		   open, err);
}
