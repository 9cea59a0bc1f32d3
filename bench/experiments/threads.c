/* SPDX-License-Identifier: MIT */
/* Several threads of one process contend for one name. */
#include "contend.h"

static const struct bench_load loads[] = {
	{.name = "1x8", .processes = 1, .threads = 8, .names_are = BENCH_ONE, .quick = true},
};

static const struct bench_experiment threads = {
	.order = 30,
	.name = "threads",
	.what = "eight threads of one process that all want one name",
	.loads = loads,
	.n_loads = sizeof(loads) / sizeof(loads[0]),
	.work = bench_contend,
};

BENCH_EXPERIMENT(threads)
