/* SPDX-License-Identifier: MIT */
/* The shop's statements: the same on every database. */
#include "shop.h"

#include <stdlib.h>

static const char bonuses[] = "CREATE TABLE IF NOT EXISTS t_bonus ("
			      " id BIGINT PRIMARY KEY,"
			      " left_count BIGINT NOT NULL,"
			      " version BIGINT NOT NULL)";

/* Each gift given. No UNIQUE (bonus_id, number): it would keep the shop from giving a gift twice,
 * and what keeps it from that is what the demo is about. */
static const char books[] = "CREATE TABLE IF NOT EXISTS t_gift ("
			    " bonus_id BIGINT NOT NULL,"
			    " number BIGINT NOT NULL,"
			    " drawer BIGINT NOT NULL)";

void fail(const char *what, const char *why)
{
	fprintf(stderr, "red_packet: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

int shop_keep_number(void *arg, const struct dblock_value *row, size_t n)
{
	(void)n;
	*(int64_t *)arg = row[0].i;
	return DBLOCK_OK;
}

static int change(struct dblock_tx *tx, const char *sql, const struct dblock_value *values,
		  unsigned n, struct dblock_error *err)
{
	return dblock_tx_query(tx, sql, values, n, NULL, NULL, NULL, err);
}

static int read_number(struct dblock_tx *tx, const char *sql, const struct dblock_value *values,
		       unsigned n, int64_t *number, struct dblock_error *err)
{
	return dblock_tx_query(tx, sql, values, n, NULL, shop_keep_number, number, err);
}

int shop_look(struct clerk *clerk, int64_t *left, struct dblock_error *err)
{
	const struct dblock_value id = dblock_int(clerk->bonus);

	return read_number(clerk->tx, "SELECT left_count FROM t_bonus WHERE id = $1", &id, 1, left,
			   err);
}

int shop_write_down(struct clerk *clerk, int64_t number, struct dblock_error *err)
{
	const struct dblock_value gift[] = {dblock_int(clerk->bonus), dblock_int(number),
					    dblock_int(clerk->number)};

	return change(clerk->tx,
		      "INSERT INTO t_gift (bonus_id, number, drawer) VALUES ($1, $2, $3)", gift, 3,
		      err);
}

int shop_give(struct clerk *clerk, int64_t number, struct dblock_error *err)
{
	const struct dblock_value values[] = {dblock_int(number - 1), dblock_int(clerk->bonus)};
	int rc = change(clerk->tx,
			"UPDATE t_bonus SET left_count = $1, version = version + 1 WHERE id = $2",
			values, 2, err);

	return rc ? rc : shop_write_down(clerk, number, err);
}

static int add_bonus(struct dblock_tx *tx, int64_t gifts, int64_t *id, struct dblock_error *err)
{
	int rc = change(tx, bonuses, NULL, 0, err);

	if (rc == DBLOCK_OK)
		rc = change(tx, books, NULL, 0, err);
	if (rc == DBLOCK_OK)
		rc = read_number(tx, "SELECT coalesce(max(id), 0) + 1 FROM t_bonus", NULL, 0, id,
				 err);
	return rc ? rc
		  : change(tx, "INSERT INTO t_bonus (id, left_count, version) VALUES ($1, $2, 1)",
			   (struct dblock_value[]){dblock_int(*id), dblock_int(gifts)}, 2, err);
}

int64_t shop_add_bonus(const char *url, int64_t gifts)
{
	struct dblock_client *client;
	struct dblock_tx *tx;
	struct dblock_error err;
	int64_t id = 0;

	if (dblock_open(url, NULL, &client, &err) || dblock_tx_open(client, &tx, &err) ||
	    add_bonus(tx, gifts, &id, &err))
		fail("a new bonus", err.message);
	dblock_tx_close(tx);
	dblock_close(client, NULL); /* before fork(): no connection may cross it */
	return id;
}

void shop_read_books(const char *url, int64_t bonus, int64_t *given, int64_t *different)
{
	const struct dblock_value id = dblock_int(bonus);
	struct dblock_client *client;
	struct dblock_tx *tx;
	struct dblock_error err;

	if (dblock_open(url, NULL, &client, &err) || dblock_tx_open(client, &tx, &err) ||
	    read_number(tx, "SELECT count(*) FROM t_gift WHERE bonus_id = $1", &id, 1, given,
			&err) ||
	    read_number(tx, "SELECT count(DISTINCT number) FROM t_gift WHERE bonus_id = $1", &id, 1,
			different, &err))
		fail("the books", err.message);
	dblock_tx_close(tx);
	dblock_close(client, NULL);
}
