/* SPDX-License-Identifier: MIT */
/*
 * Which locks others have just been handed by this client. Who wants one of those back at once need
 * not ask whether it is free, only to be refused: he joins the queue. A guess, and no more: it ends
 * by itself after a moment, and where it is wrong the lock is had from the queue, by one statement
 * more. Inside src/lock.
 */
#ifndef DBL_LOCK_EXPECT_H
#define DBL_LOCK_EXPECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { DBL_EXPECTED = 64 };

/* A few names, by their hash: one that comes later may take the place of another. All zero: none.
 */
struct dbl_expected {
	_Atomic uint64_t all[DBL_EXPECTED];
	_Atomic int64_t until; /* nothing is expected after that */
};

/* Somebody else has it now. */
void dbl_expect_held(struct dbl_expected *, const char *name, int64_t now);

/* For the next one: where something is expected. */
bool dbl_expects_held_now(const struct dbl_expected *, uint64_t hash, int64_t now);

/* Was that so, a moment ago? */
static inline bool dbl_expects_held(const struct dbl_expected *expected, uint64_t hash, int64_t now)
{
	return now < atomic_load(&expected->until) && dbl_expects_held_now(expected, hash, now);
}

#endif
