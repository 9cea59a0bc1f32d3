/* SPDX-License-Identifier: MIT */
/* Up to 64 ns each has its bucket; from there each power of two has 64 buckets. */
#include "histogram.h"

#include <math.h>

#define SUB 64

static int bucket_of(int64_t ns)
{
	int power, bucket;

	if (ns < SUB)
		return ns < 0 ? 0 : (int)ns;
	power = 63 - __builtin_clzll((unsigned long long)ns); /* at least 6 */
	bucket = (power - 5) * SUB + (int)(ns >> (power - 6)) - SUB;
	return bucket < BENCH_BUCKETS ? bucket : BENCH_BUCKETS - 1;
}

/* Returns the middle of a bucket. */
static int64_t middle_of(int bucket)
{
	int power = bucket / SUB + 5;
	int64_t width;

	if (bucket < SUB)
		return bucket;
	width = (int64_t)1 << (power - 6);
	return (bucket % SUB + SUB) * width + width / 2;
}

void bench_histogram_add(struct bench_histogram *h, int64_t ns)
{
	h->n++;
	if (ns > h->longest)
		h->longest = ns;
	h->buckets[bucket_of(ns)]++;
}

void bench_histogram_merge(struct bench_histogram *to, const struct bench_histogram *from)
{
	to->n += from->n;
	if (from->longest > to->longest)
		to->longest = from->longest;
	for (int i = 0; i < BENCH_BUCKETS; i++)
		to->buckets[i] += from->buckets[i];
}

int64_t bench_histogram_at(const struct bench_histogram *h, double part)
{
	int64_t wanted = (int64_t)ceil(part * (double)h->n), seen = 0;

	for (int i = 0; i < BENCH_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen > 0 && seen >= wanted)
			return middle_of(i) < h->longest ? middle_of(i) : h->longest;
	}
	return 0;
}
