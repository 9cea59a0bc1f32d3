/* SPDX-License-Identifier: MIT */
/* Results that are shared, so that a process has the bytes once. Inside src/lock. */
#ifndef DBL_LOCK_RESULT_H
#define DBL_LOCK_RESULT_H

#include <dblock/single_flight.h>

#include <stdatomic.h>

#include "driver/value.h"

struct dblock_result {
	atomic_int shares;
	int64_t token; /* of the grant under which it was made */
	size_t size;
	char *bytes; /* with a NUL behind them; NULL: there are none */
	bool ready;  /* nothing here changes any more, but for `shares` */
};

/* A new result is empty, has one share, and is not ready. NULL: no memory. */
struct dblock_result *dbl_result_new(void);
struct dblock_result *dbl_result_share(struct dblock_result *);
void dbl_result_drop(struct dblock_result *); /* NULL is allowed */

/* Copy the bytes into a result that is not ready, in the place of those that it has. */
int dbl_result_set(struct dblock_result *, const void *bytes, size_t size,
		   struct dblock_error *err);

/* Make the value that is stored: a text where the bytes are one, so that people can read it; else
 * base64 (*coded). It may borrow from the result. The caller frees *own. False: no memory. */
bool dbl_result_encode(const struct dblock_result *, bool *coded, struct dbl_value *, char **own);

/* Make a result of a value that was stored. NULL: no memory, or it is not base64 (*garbled). */
struct dblock_result *dbl_result_decode(bool coded, const struct dbl_value *, bool *garbled);

#endif
