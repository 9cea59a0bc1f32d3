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

void dbl_latch_init(struct dbl_latch *); /* 0 */

/* Not 0 for ever after, and its waiter is woken. */
void dbl_latch_set(struct dbl_latch *, uint32_t);

/* The two halves of that: for who has to set it under a mutex. */
void dbl_latch_put(struct dbl_latch *, uint32_t);
void dbl_latch_wake(struct dbl_latch *);

uint32_t dbl_latch_get(const struct dbl_latch *);

/* Wait until it is not `seen` (0 at first), or until `until` (CLOCK_BOOTTIME, us) has come; what it
 * is then. */
uint32_t dbl_latch_wait(struct dbl_latch *, uint32_t seen, const struct dbl_env *, int64_t until);

#endif
