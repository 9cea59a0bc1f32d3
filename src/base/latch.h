/* SPDX-License-Identifier: MIT */
/* A word that one thread waits for and another one sets, once: a futex(2), without mutex or
 * condition, so that the woken thread waits for nobody else. The setter does not touch it
 * afterwards, so the waiter may free it as soon as it has seen the new value. */
#ifndef DBL_BASE_LATCH_H
#define DBL_BASE_LATCH_H

#include <stdatomic.h>

#include "base/env.h"

struct dbl_latch {
	_Atomic uint32_t word;
};

/* The value; a new latch, zeroed, has 0. */
static inline uint32_t dbl_latch_get(const struct dbl_latch *latch)
{
	return atomic_load_explicit(&latch->word, memory_order_acquire);
}

/* The two steps of setting a latch, for a caller that sets it under a mutex: put a value that is
 * not 0, and wake the waiter. */
static inline void dbl_latch_put(struct dbl_latch *latch, uint32_t value)
{
	atomic_store_explicit(&latch->word, value, memory_order_release);
}

void dbl_latch_wake(struct dbl_latch *);

static inline void dbl_latch_set(struct dbl_latch *latch, uint32_t value)
{
	dbl_latch_put(latch, value);
	dbl_latch_wake(latch);
}

/* Wait until the value is not `seen`, or until `until` (CLOCK_BOOTTIME, us); returns the value. */
uint32_t dbl_latch_wait(struct dbl_latch *, uint32_t seen, const struct dbl_env *, int64_t until);

#endif
