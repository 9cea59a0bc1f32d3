/* SPDX-License-Identifier: MIT */
/* One thread that takes the same name again and again. */
#include "contend.h"

static const struct bench_load loads[] = {
	{.name = "1x1", .processes = 1, .threads = 1, .quick = true},
};

static const struct bench_experiment sticky = {
	.order = 40,
	.name = "sticky",
	.what = "one thread takes the same name again and again, and keeps it in between where "
		"its client can",
	.loads = loads,
	.n_loads = sizeof(loads) / sizeof(loads[0]),
	.work = bench_pairs,
};

BENCH_EXPERIMENT(sticky)
