/* SPDX-License-Identifier: MIT */
/* Times in nanoseconds, each to 1.6 per cent. All zeros is an empty one. */
#ifndef BENCH_HISTOGRAM_H
#define BENCH_HISTOGRAM_H

#include <stdint.h>

#define BENCH_BUCKETS 2368 /* up to 2^42 ns, above an hour */

struct bench_histogram {
	int64_t n;
	int64_t longest;
	uint32_t buckets[BENCH_BUCKETS];
};

void bench_histogram_add(struct bench_histogram *, int64_t ns);
void bench_histogram_merge(struct bench_histogram *to, const struct bench_histogram *from);
/* The smallest time that so great a part (0 to 1) of all is not above; 0 of an empty one. */
int64_t bench_histogram_at(const struct bench_histogram *, double part);

#endif
