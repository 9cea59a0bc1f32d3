/* SPDX-License-Identifier: MIT */
/* A transaction that is run again if it lost a conflict. */
#ifndef DBL_ROW_RUN_H
#define DBL_ROW_RUN_H

#include "link/tx.h"

struct dbl_run {
	int isolation;
	bool read_only;
	int64_t retry;    /* us during which new attempts begin */
	int64_t attempts; /* at most so many; 0: no limit */
	int (*fn)(void *arg, struct dblock_tx *, struct dblock_error *);
	void *arg;
	/* Whether an outcome of fn is a reason to run it again; NULL: only conflicts are. */
	bool (*again)(int rc);
	int runs; /* out: how often it was run */
};

/* Runs run->fn in a transaction, as dblock_tx_run(). */
int dbl_run_tx(struct dbl_pool *, int64_t timeout, struct dbl_run *, struct dblock_error *err);

#endif
