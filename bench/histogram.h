/* SPDX-License-Identifier: MIT */
/* Times in nanoseconds, exact to 1.6 per cent. A histogram of zeros is empty. */
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
/* Returns the smallest time that this part (0 to 1) of all does not exceed; 0 if it is empty. */
int64_t bench_histogram_at(const struct bench_histogram *, double part);

#endif
