/* SPDX-License-Identifier: MIT */
/* Operations: named statements with a checked shape, one text per dialect. */
#ifndef DBL_SQL_OP_H
#define DBL_SQL_OP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "driver/driver.h"

enum dbl_op {
#define OP(name, args, columns, kind) DBL_OP_##name,
#include "sql/ops.def"
	DBL_OP_COUNT
};

enum dbl_op_kind { DBL_KIND_READ, DBL_KIND_AGAIN, DBL_KIND_ONCE, DBL_KIND_SCRIPT };

struct dbl_op_info {
	const char *name;
	const char *args;
	const char *columns;
	enum dbl_op_kind kind;
};

extern const struct dbl_op_info dbl_ops[DBL_OP_COUNT];

enum { DBL_ARGS_MAX = 20, DBL_COLUMNS_MAX = 40 };

/* The arguments of an operation, $1 first, and how many. */
struct dbl_args {
	const struct dbl_value *list;
	unsigned n;
};

/* The arguments from an array; from one value; from a list of values. All of these must live as
 * long as the result is used. */
#define DBL_ARGS(array) ((struct dbl_args){(array), sizeof(array) / sizeof(*(array))})
#define DBL_ARG(value)  ((struct dbl_args){&(value), 1})
#define DBL_ARGS_OF(...)                                                                           \
	((struct dbl_args){(struct dbl_value[]){__VA_ARGS__},                                      \
			   sizeof((struct dbl_value[]){__VA_ARGS__}) / sizeof(struct dbl_value)})
#define DBL_NO_ARGS ((struct dbl_args){NULL, 0})

/* One call of an operation: what higher floors ask for, and what they get. */
struct dbl_request {
	enum dbl_op op;
	struct dbl_args args; /* at least as many as the operation takes, else DBLOCK_E_BUG */
	/* Called for each row; its texts live until it returns. Not 0 ends the rows, and
	 * dbl_db_run() returns it. May be NULL where the operation has no columns. */
	int (*row)(void *ctx, const struct dbl_value *row);
	void *ctx;
	int64_t deadline; /* on env->now() */
	bool patient;     /* a link retries it until then also while it meets a lock */

	int64_t changed; /* out: rows changed */
	int64_t rows;    /* out: rows given to the callback */
	bool certain;    /* out: no earlier request of this link can still be carried out */
	bool resent;     /* out: an earlier copy was sent, and may have been carried out */
};

/* How many arguments the operation takes. */
static inline unsigned dbl_op_takes(enum dbl_op op)
{
	return (unsigned)strlen(dbl_ops[op].args);
}

#endif
