/* SPDX-License-Identifier: MIT */
/* The public transaction, and what its entry points check. Inside src/api. */
#ifndef DBL_API_TX_H
#define DBL_API_TX_H

#include <dblock/tx.h>

#include "api/client.h"
#include "link/tx.h"
#include "row/run.h"

/* Is there a transaction, and does it belong to this process? */
int dbl_tx_check(const struct dblock_tx *, struct dblock_error *err);

/* Convert at most DBLOCK_VALUES_MAX values to ours. */
int dbl_values_read(struct dbl_value *ours, const struct dblock_value *, size_t n,
		    struct dblock_error *err);

/* Check the options of dblock_tx_run(), and fill a dbl_run. retry: the default time, us. */
int dbl_run_read(struct dbl_run *, const struct dblock_tx_options *, int64_t retry,
		 struct dblock_error *err);

/* The `ctx` of dbl_values_pass(): where to pass rows on to, as public values. */
struct dbl_reader {
	int (*row)(void *arg, const struct dblock_value *row, size_t n);
	void *arg;
	struct dblock_error *err;
};

int dbl_values_pass(void *reader, const struct dbl_value *row, unsigned n);

/* The common part of the functions that adopt a connection. */
int dbl_tx_adopt_handle(const char *dialect, void *handle, const struct dblock_tx_from_options *,
			const struct dbl_env *, struct dblock_tx **, struct dblock_error *err);

/* The client library's handle, if the connection is of that dialect. */
void *dbl_tx_handle_of(struct dblock_tx *, const char *dialect);

#endif
