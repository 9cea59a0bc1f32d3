/* SPDX-License-Identifier: MIT */
/* One is taken of a rate, which allows it; or which is used up. */
#include "contend.h"

static const struct bench_load loads[] = {
	{.name = "1x1", .processes = 1, .threads = 1, .names_are = BENCH_OWN, .quick = true},
	{.name = "1x8", .processes = 1, .threads = 8, .names_are = BENCH_OWN},
	{.name = "8x1-one", .processes = 8, .threads = 1, .names_are = BENCH_ONE, .quick = true},
};

static const struct bench_experiment rate = {
	.order = 80,
	.name = "rate",
	.what = "one is taken of a rate that allows it: of names of one's own, and by eight "
		"processes of one name",
	.loads = loads,
	.n_loads = sizeof(loads) / sizeof(loads[0]),
	.work = bench_pairs,
};

static const struct bench_experiment refused = {
	.order = 81,
	.name = "rate-refused",
	.what = "the same of a rate that is used up",
	.loads = loads,
	.n_loads = sizeof(loads) / sizeof(loads[0]),
	.work = bench_pairs,
};

BENCH_EXPERIMENT(rate)
BENCH_EXPERIMENT(refused)
