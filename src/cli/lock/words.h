/* SPDX-License-Identifier: MIT */
/* Locks, and who waits for them, as read, in words. */
#ifndef DBL_CLI_LOCK_WORDS_H
#define DBL_CLI_LOCK_WORDS_H

#include <dblock/admin.h>
#include <dblock/request.h>

#include "cli/ui/print.h"

/* ---- how a lock is held, or wanted: mode.c --------------------------------------------------- */

/* The column that says so; left out of a table where all of them are dbl_mode_usual. */
#define DBL_MODE_HEAD "MODE"
extern const char dbl_mode_usual[];

/* "shared"; of a semaphore "permits" */
const char *dbl_mode_name(enum dblock_mode);

/* "shared", "3 of 10" */
enum { DBL_MODE_TEXT = 48 };
void dbl_mode_text(enum dblock_mode, int64_t permits, int64_t capacity, char *text, size_t size);

/* Keys of an object: mode, permits, capacity; null if it is not held at all. */
void dbl_mode_json(json_t *object, bool held, enum dblock_mode, int64_t permits, int64_t capacity);

/* ---- who has it: holder.c -------------------------------------------------------------------- */

/* The columns that dbl_holder_row() fills. */
extern const char *const dbl_holder_heads[];

/* For dblock_list(): one more row of a struct dbl_table. */
int dbl_holder_row(void *table, const struct dblock_holder *);

/* To be printed with dbl_json_line(), or freed. NULL: out of memory. */
json_t *dbl_holder_json(const struct dblock_holder *);

/* One `key: value` line for each thing known; not 0: out of memory. */
int dbl_holder_lines(const struct dblock_holder *);

/* ---- who waits in line: waiter.c ------------------------------------------------------------- */

/* The columns of lines of many names, which dbl_waiter_row() fills, */
extern const char *const dbl_waiter_heads[];
/* and of one line. */
extern const char *const dbl_waiter_heads_of_one[];

/* For dblock_waiters(): one more row of a struct dbl_table with one of these heads. */
int dbl_waiter_row(void *table, const struct dblock_waiter *);

/* To be printed with dbl_json_line(), or freed. NULL: out of memory. */
json_t *dbl_waiter_json(const struct dblock_waiter *);

#endif
