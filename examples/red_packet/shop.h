/* SPDX-License-Identifier: MIT */
/* The shop of the demo: its own tables, its own connection, and nothing about locks. An error ends
 * the process with a message, which keeps the demo short; a real shop would do better. */
#ifndef SHOP_H
#define SHOP_H

#include <stdint.h>

struct shop;

/* The same URLs as dblock_open() takes. A connection must not cross fork(). */
struct shop *shop_open(const char *url);
void shop_close(struct shop *);

/* Make the tables if they are missing, and put a new bonus of so many gifts on sale. */
int64_t shop_add_bonus(struct shop *, int64_t gifts);

/* How many gifts the shop believes to have left. */
int64_t shop_left(struct shop *, int64_t bonus);

/* Give gift `number` to a customer of `drawer`, and write down that number - 1 are left. */
void shop_give(struct shop *, int64_t bonus, int64_t number, int64_t drawer);

/* What the books say afterwards: gifts given, and how many different ones they were. */
int64_t shop_given(struct shop *, int64_t bonus);
int64_t shop_different(struct shop *, int64_t bonus);

/* One database: all that differs between them. */
struct shop_driver {
	const char *const *schemes; /* what its URLs begin with; ends with NULL */
	void *(*open)(const char *url);
	/* Statements without parameters or rows. */
	void (*script)(void *db, const char *sql);
	/* One statement; each ? stands for a number. The first number of its first row, or 0. */
	int64_t (*run)(void *db, const char *sql, const int64_t *args, int count);
	void (*close)(void *db);
};

extern const struct shop_driver shop_sqlite, shop_postgresql, shop_mysql;

enum { SHOP_ARGS_MAX = 4 };

/* Print what went wrong, and end the process. */
_Noreturn void shop_fail(const char *what, const char *why);

#endif
