/* SPDX-License-Identifier: MIT */
#include "lock/core/expect.h"

/* A contended lock is mostly held for less than this. After it, an acquire asks first, which costs
 * one statement if the lock is still held. */
#define EXPECT_US 20000

/* Less than two hand-overs take, of a server that syncs each. */
#define JUST_US 1000

/* A cell has a part of the hash above a time: 2 to the 40th ms are 35 years of uptime. */
#define TIME_BITS 40
#define TIME_MASK ((UINT64_C(1) << TIME_BITS) - 1)

static uint64_t cell_of(uint64_t hash, int64_t until)
{
	return (hash & ~TIME_MASK) | ((uint64_t)until / 1000 & TIME_MASK);
}

void dbl_expect_held(struct dbl_expected *expected, uint64_t hash, int64_t now)
{
	atomic_store(&expected->all[hash % DBL_EXPECTED], cell_of(hash, now + EXPECT_US));
	atomic_store(&expected->until, now + EXPECT_US);
}

bool dbl_handed_just_now(const struct dbl_expected *expected, uint64_t hash, int64_t now)
{
	return dbl_expects_held_now(expected, hash, now + EXPECT_US - JUST_US);
}

/* A cell of what is so until it is seen otherwise has the hash. */
static bool has(const _Atomic uint64_t cells[DBL_EXPECTED], uint64_t hash)
{
	return hash && atomic_load(&cells[hash % DBL_EXPECTED]) == hash;
}

static void note(_Atomic uint64_t cells[DBL_EXPECTED], uint64_t hash, bool is)
{
	if (is || has(cells, hash))
		atomic_store(&cells[hash % DBL_EXPECTED], is ? hash : 0);
}

void dbl_expect_crowd(struct dbl_expected *expected, uint64_t hash, bool is)
{
	note(expected->crowds, hash, is);
}

bool dbl_expects_crowd(const struct dbl_expected *expected, uint64_t hash)
{
	return has(expected->crowds, hash);
}

void dbl_expect_others(struct dbl_expected *expected, uint64_t hash, bool in_the_way)
{
	note(expected->others, hash, in_the_way);
}

bool dbl_expects_others(const struct dbl_expected *expected, uint64_t hash)
{
	return has(expected->others, hash);
}

bool dbl_expects_held_now(const struct dbl_expected *expected, uint64_t hash, int64_t now)
{
	uint64_t cell = atomic_load(&expected->all[hash % DBL_EXPECTED]);

	return cell > cell_of(hash, now) && (cell & ~TIME_MASK) == (hash & ~TIME_MASK);
}
