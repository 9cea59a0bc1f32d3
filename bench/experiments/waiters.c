/* SPDX-License-Identifier: MIT */
/* The cost of a wait if few or many wait in the queue. */
#include "contend.h"

static const struct bench_load loads[] = {
	{.name = "2", .processes = 2, .threads = 1, .names_are = BENCH_ONE},
	{.name = "10", .processes = 2, .threads = 5, .names_are = BENCH_ONE},
	{.name = "100", .processes = 2, .threads = 50, .names_are = BENCH_ONE, .quick = true},
	{.name = "1000", .processes = 2, .threads = 500, .names_are = BENCH_ONE, .rounds = 1},
};

static const struct bench_experiment waiters = {
	.order = 50,
	.name = "waiters",
	.what = "so many threads of two processes stand in line for one name",
	.loads = loads,
	.n_loads = sizeof(loads) / sizeof(loads[0]),
	.in_queue = true,
	.work = bench_contend,
};

BENCH_EXPERIMENT(waiters)
