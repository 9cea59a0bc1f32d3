/* SPDX-License-Identifier: MIT */
/* Chance that can be repeated: everything that happens in a world follows from its seed. */
#ifndef TESTS_SIM_RANDOM_H
#define TESTS_SIM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

/* This is SplitMix64. */
static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Returns a number from lo to hi, both included. */
static inline int64_t rng_between(struct rng *r, int64_t lo, int64_t hi)
{
	return lo + (int64_t)(rng_next(r) % (uint64_t)(hi - lo + 1));
}

static inline bool rng_chance(struct rng *r, int per_mille)
{
	return per_mille > 0 && (int)(rng_next(r) % 1000) < per_mille;
}

static inline bool rng_one_in(struct rng *r, unsigned n)
{
	return rng_next(r) % n == 0;
}

#endif
