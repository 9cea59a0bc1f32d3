/* SPDX-License-Identifier: MIT */
/* Operations: named statements with a checked shape, one text per dialect. */
#ifndef DBL_SQL_OP_H
#define DBL_SQL_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/driver.h"

enum dbl_op {
#define OP(name, args, columns, kind) DBL_OP_##name,
#include "sql/ops.def"
#undef OP
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

enum { DBL_ARGS_MAX = 16, DBL_COLUMNS_MAX = 32 };

/* One call of an operation: what floors above hand down, and what they get back. */
struct dbl_request {
	enum dbl_op op;
	const struct dbl_value *args; /* as many as the operation takes */
	/* Called for each row; its texts live until it returns. Not 0 ends the rows: the call
	 * returns that. May be NULL where the operation has no columns. */
	int (*row)(void *ctx, const struct dbl_value *row);
	void *ctx;
	int64_t deadline; /* on env->now() */

	int64_t changed; /* out: rows changed */
	int64_t rows;    /* out: rows handed over */
	bool certain;    /* out: no earlier request of this link can still be carried out */
	bool resent;     /* out: an earlier copy was sent, and its fate is unknown */
};

#endif
