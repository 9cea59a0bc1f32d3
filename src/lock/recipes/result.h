/* SPDX-License-Identifier: MIT */
/* Results that many share: the bytes are there once in a process. Inside src/lock. */
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
	bool ready;  /* nothing of it changes any more */
};

/* Empty, with one share, not ready; NULL: no memory. */
struct dblock_result *dbl_result_new(void);
struct dblock_result *dbl_result_share(struct dblock_result *);
void dbl_result_drop(struct dblock_result *); /* NULL is allowed */

/* Copy them in, instead of what is there. */
int dbl_result_set(struct dblock_result *, const void *bytes, size_t size,
		   struct dblock_error *err);

/* As it is stored: a text where it can be one, so that people can read it; else base64. The value
 * may borrow from the result. *own is to be freed. false: no memory. */
bool dbl_result_encode(const struct dblock_result *, bool *coded, struct dbl_value *, char **own);

/* The other way round; NULL: no memory, or it is no result of ours (*garbled). */
struct dblock_result *dbl_result_decode(bool coded, const struct dbl_value *, bool *garbled);

#endif
