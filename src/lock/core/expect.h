/* SPDX-License-Identifier: MIT */
/*
 * The locks that this client has just handed over to others. An acquire of one of those need not
 * ask whether it is free, only to be refused: it joins the queue. This is only a guess. It ends by
 * itself after a moment; where it is wrong the acquire costs one statement more. Likewise whether it
 * will stand behind two others there, for which joining has a statement that costs less; and whether
 * it can be had beside those who have it, in a mode for several. Inside src/lock.
 */
#ifndef DBL_LOCK_EXPECT_H
#define DBL_LOCK_EXPECT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { DBL_EXPECTED = 64 };

/* A few names, by their hash; a later one may overwrite an earlier one. All zero: none. */
struct dbl_expected {
	_Atomic uint64_t all[DBL_EXPECTED];
	_Atomic uint64_t crowds[DBL_EXPECTED];
	_Atomic uint64_t others[DBL_EXPECTED];
	_Atomic int64_t until; /* from then on no lock is expected to be held */
};

/* Somebody else has been given the lock. */
void dbl_expect_held(struct dbl_expected *, uint64_t hash, int64_t now);

/* It was handed over so short a while ago that those who stood there then stand there still. */
bool dbl_handed_just_now(const struct dbl_expected *, uint64_t hash, int64_t now);

/* Whoever joins the lock's queue now will stand behind two others, as it was when we joined; or will not. */
void dbl_expect_crowd(struct dbl_expected *, uint64_t hash, bool is);
bool dbl_expects_crowd(const struct dbl_expected *, uint64_t hash);

/* It could not be had beside others, in a mode for several; or it could have been. So it is until
 * somebody of ours has seen it otherwise: a wrong guess costs one statement. */
void dbl_expect_others(struct dbl_expected *, uint64_t hash, bool in_the_way);
bool dbl_expects_others(const struct dbl_expected *, uint64_t hash);

/* The slow part of dbl_expects_held(). */
bool dbl_expects_held_now(const struct dbl_expected *, uint64_t hash, int64_t now);

/* The lock was handed to somebody else a moment ago, and is probably still held. */
static inline bool dbl_expects_held(const struct dbl_expected *expected, uint64_t hash, int64_t now)
{
	return now < atomic_load(&expected->until) && dbl_expects_held_now(expected, hash, now);
}

#endif
