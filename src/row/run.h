/* SPDX-License-Identifier: MIT */
/* A transaction that is run again where it lost a conflict. */
#ifndef DBL_ROW_RUN_H
#define DBL_ROW_RUN_H

#include "link/tx.h"

struct dbl_run {
	int isolation;
	bool read_only;
	int64_t retry; /* us: for how long it is begun anew */
	int attempts;  /* at most so many; 0: no limit */
	int (*fn)(void *arg, struct dblock_tx *, struct dblock_error *);
	void *arg;
	/* Which outcomes of fn are a reason to run it again; NULL: those of the database. */
	bool (*again)(int rc);
	int runs; /* out: how often it was run */
};

/* See dblock_tx_run(). */
int dbl_run_tx(struct dbl_pool *, int64_t timeout, struct dbl_run *, struct dblock_error *err);

#endif
