/* SPDX-License-Identifier: MIT */
/* One lock, as read, in words. */
#ifndef DBL_CLI_HOLDER_H
#define DBL_CLI_HOLDER_H

#include <dblock/admin.h>
#include <dblock/request.h>

#include "cli/ui/json.h"
#include "cli/ui/table.h"

/* The columns that dbl_holder_row() fills. */
extern const char *const dbl_holder_heads[];

/* For dblock_list(): one more row of a struct dbl_table. */
int dbl_holder_row(void *table, const struct dblock_holder *);

/* To be printed with dbl_json_line(), or freed. NULL: out of memory. */
json_t *dbl_holder_json(const struct dblock_holder *);

/* One `key: value` line for each thing known; not 0: out of memory. */
int dbl_holder_lines(const struct dblock_holder *);

#endif
