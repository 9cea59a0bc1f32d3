/* SPDX-License-Identifier: MIT */
/* Who waits in line, as read, in words. */
#ifndef DBL_CLI_WAITER_H
#define DBL_CLI_WAITER_H

#include <dblock/admin.h>

#include "cli/ui/json.h"
#include "cli/ui/table.h"

/* The columns of lines of many names, which dbl_waiter_row() fills, */
extern const char *const dbl_waiter_heads[];
/* and of one line. */
extern const char *const dbl_waiter_heads_of_one[];

/* For dblock_waiters(): one more row of a struct dbl_table with one of these heads. */
int dbl_waiter_row(void *table, const struct dblock_waiter *);

/* To be printed with dbl_json_line(), or freed. NULL: out of memory. */
json_t *dbl_waiter_json(const struct dblock_waiter *);

#endif
