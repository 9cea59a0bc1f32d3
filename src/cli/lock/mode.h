/* SPDX-License-Identifier: MIT */
/* How a lock is held, or wanted, in words. */
#ifndef DBL_CLI_MODE_H
#define DBL_CLI_MODE_H

#include <dblock/lock.h>

#include "cli/ui/json.h"

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

#endif
