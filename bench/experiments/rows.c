/* SPDX-License-Identifier: MIT */
/* A table of a million names, of which few or many are used. */
#include "contend.h"

static const struct bench_load loads[] = {
	{.name = "1", .processes = 1, .threads = 1, .names_are = BENCH_MANY, .names = 1},
	{.name = "1000", .processes = 1, .threads = 1, .names_are = BENCH_MANY, .names = 1000},
	{.name = "1000000",
	 .processes = 1,
	 .threads = 1,
	 .names_are = BENCH_MANY,
	 .names = 1000000},
	{.name = "8-of-1000000",
	 .processes = 1,
	 .threads = 8,
	 .names_are = BENCH_MANY,
	 .names = 1000000},
};

static const struct bench_experiment rows = {
	.order = 70,
	.name = "rows",
	.what = "acquire and release of so many of the 1 000 000 names in a table, at random, by "
		"one thread or by eight",
	.loads = loads,
	.n_loads = sizeof(loads) / sizeof(loads[0]),
	.rows = 1000000,
	.work = bench_pairs,
};

BENCH_EXPERIMENT(rows)
