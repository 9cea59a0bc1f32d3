/* SPDX-License-Identifier: MIT */
/* The shop's statements: the same on every database. */
#include "shop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shop {
	const struct shop_driver *driver;
	void *db;
};

static const char tables[] = "CREATE TABLE IF NOT EXISTS t_bonus ("
			     " id BIGINT PRIMARY KEY,"
			     " left_count BIGINT NOT NULL,"
			     " version BIGINT NOT NULL)";

/* Each gift given. No UNIQUE (bonus_id, number): it would keep the shop from giving a gift twice,
 * and what keeps it from that is what the demo is about. */
static const char books[] = "CREATE TABLE IF NOT EXISTS t_gift ("
			    " bonus_id BIGINT NOT NULL,"
			    " number BIGINT NOT NULL,"
			    " drawer BIGINT NOT NULL)";

static const struct shop_driver *const drivers[] = {
#ifdef SHOP_WITH_SQLITE
	&shop_sqlite,
#endif
#ifdef SHOP_WITH_POSTGRESQL
	&shop_postgresql,
#endif
#ifdef SHOP_WITH_MYSQL
	&shop_mysql,
#endif
	NULL,
};

void shop_fail(const char *what, const char *why)
{
	fprintf(stderr, "red_packet: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

static const struct shop_driver *driver_of(const char *url)
{
	for (const struct shop_driver *const *d = drivers; *d; d++)
		for (const char *const *scheme = (*d)->schemes; *scheme; scheme++)
			if (strncmp(url, *scheme, strlen(*scheme)) == 0)
				return *d;
	shop_fail("URL", "begins like none of the databases that this program was built for");
}

struct shop *shop_open(const char *url)
{
	struct shop *shop = malloc(sizeof(*shop));

	if (!shop)
		shop_fail("shop", "out of memory");
	shop->driver = driver_of(url);
	shop->db = shop->driver->open(url);
	return shop;
}

void shop_close(struct shop *shop)
{
	shop->driver->close(shop->db);
	free(shop);
}

int64_t shop_add_bonus(struct shop *shop, int64_t gifts)
{
	int64_t id;

	shop->driver->script(shop->db, tables);
	shop->driver->script(shop->db, books);
	id = shop->driver->run(shop->db, "SELECT coalesce(max(id), 0) + 1 FROM t_bonus", NULL, 0);
	shop->driver->run(shop->db,
			  "INSERT INTO t_bonus (id, left_count, version) VALUES (?, ?, 1)",
			  (int64_t[]){id, gifts}, 2);
	return id;
}

int64_t shop_left(struct shop *shop, int64_t bonus)
{
	return shop->driver->run(shop->db, "SELECT left_count FROM t_bonus WHERE id = ?", &bonus,
				 1);
}

void shop_give(struct shop *shop, int64_t bonus, int64_t number, int64_t drawer)
{
	shop->driver->script(shop->db, "BEGIN");
	shop->driver->run(shop->db,
			  "UPDATE t_bonus SET left_count = ?, version = version + 1 WHERE id = ?",
			  (int64_t[]){number - 1, bonus}, 2);
	shop->driver->run(shop->db,
			  "INSERT INTO t_gift (bonus_id, number, drawer) VALUES (?, ?, ?)",
			  (int64_t[]){bonus, number, drawer}, 3);
	shop->driver->script(shop->db, "COMMIT");
}

int64_t shop_given(struct shop *shop, int64_t bonus)
{
	return shop->driver->run(shop->db, "SELECT count(*) FROM t_gift WHERE bonus_id = ?", &bonus,
				 1);
}

int64_t shop_different(struct shop *shop, int64_t bonus)
{
	return shop->driver->run(shop->db,
				 "SELECT count(DISTINCT number) FROM t_gift WHERE bonus_id = ?",
				 &bonus, 1);
}
