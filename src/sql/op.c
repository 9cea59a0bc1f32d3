/* SPDX-License-Identifier: MIT */
#include "sql/op.h"

const struct dbl_op_info dbl_ops[DBL_OP_COUNT] = {
#define OP(name, args, columns, kind) {#name, args, columns, DBL_KIND_##kind},
#include "sql/ops.def"
};
