/* SPDX-License-Identifier: MIT */
/* The shop of the demo: its tables and its statements, and nothing about locks. */
#ifndef SHOP_H
#define SHOP_H

#include "red_packet.h"

/* How many gifts the shop believes to have left. */
int shop_look(struct clerk *clerk, int64_t *left, struct dblock_error *err);

/* Give gift `number` away: write down that one less is left, and who got it. */
int shop_give(struct clerk *clerk, int64_t number, struct dblock_error *err);

/* Only the second half of it. */
int shop_write_down(struct clerk *clerk, int64_t number, struct dblock_error *err);

/* A callback for one row of one number. */
int shop_keep_number(void *arg, const struct dblock_value *row, size_t n);

/* Make the tables if they are missing, and put a new bonus of so many gifts on sale; its id. */
int64_t shop_add_bonus(const char *url, int64_t gifts);

/* What the books say afterwards: gifts given, and how many different ones they were. */
void shop_read_books(const char *url, int64_t bonus, int64_t *given, int64_t *different);

#endif
