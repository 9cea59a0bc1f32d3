/* SPDX-License-Identifier: MIT */
/* What a shop has anyway: three databases, and their tables. */
#ifndef SHOP_H
#define SHOP_H

#include <dblock/dblock.h>

enum place { ORDERS, PAYMENT, STOCK, PLACES };

struct shop {
	struct dblock_client *at[PLACES];
};

/* Connect to the three, and make what tables are missing. */
int shop_open(struct shop *shop, char **urls, struct dblock_error *err);
void shop_close(struct shop *shop);

/* CUSTOMER MONEY ARTICLE PIECES */
int shop_fill(const struct shop *shop, char **words, struct dblock_error *err);

/* How many orders are neither done nor cancelled. */
int shop_count_open(const struct shop *shop, int64_t *open, struct dblock_error *err);

#endif
