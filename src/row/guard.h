/* SPDX-License-Identifier: MIT */
/* A row beside the data that remembers the largest token; see dblock/guard.h. */
#ifndef DBL_ROW_GUARD_H
#define DBL_ROW_GUARD_H

#include "link/tx.h"

int dbl_guard(struct dblock_tx *, const char *name, int64_t token, struct dblock_error *err);

#endif
