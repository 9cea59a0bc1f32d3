/* SPDX-License-Identifier: MIT */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench.h"

/* The result of a measurement. */
struct bench_result {
	double seconds;
	int64_t grants, switches, violations, cpu_us, server_cpu_us, bytes, held;
	double fairness; /* Jain's index: 1 if all workers had as many grants */
	struct bench_histogram took;
	char error[400]; /* not "" if it failed */
};

void bench_measure(const struct bench_run *, struct bench_result *);

/* Runs prepare() or fill() in another process. Returns false if it failed, with its words in error.
 */
bool bench_prepare(const struct bench_place *, int64_t rows, char *error, size_t size);

#endif
