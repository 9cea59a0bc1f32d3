/* SPDX-License-Identifier: MIT */
/*
 * A word that one thread waits for and another one sets, once: a futex(2), without mutex or
 * condition, so that who is woken waits for nobody else. Who sets it does not touch it afterwards,
 * so the one that waits may free it as soon as it has seen the new value.
 */
#ifndef DBL_BASE_LATCH_H
#define DBL_BASE_LATCH_H

#include <stdatomic.h>

#include "base/env.h"

struct dbl_latch {
	_Atomic uint32_t word;
};

/* At first it is 0, and so is one that nobody has touched. */
static inline uint32_t dbl_latch_get(const struct dbl_latch *latch)
{
	return atomic_load_explicit(&latch->word, memory_order_acquire);
}

/* The two halves of setting it, for who has to do that under a mutex: not 0 for ever after; its
 * waiter is woken. */
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

/* Wait until it is not `seen` (0 at first), or until `until` (CLOCK_BOOTTIME, us) has come; what it
 * is then. */
uint32_t dbl_latch_wait(struct dbl_latch *, uint32_t seen, const struct dbl_env *, int64_t until);

#endif
