/* SPDX-License-Identifier: MIT */
/* Acquire and release of names that nobody else wants. */
#include "contend.h"

static const struct bench_load loads[] = {
	{.name = "1x1", .processes = 1, .threads = 1, .quick = true},
	{.name = "1x8", .processes = 1, .threads = 8},
	{.name = "1x32", .processes = 1, .threads = 32, .quick = true},
	{.name = "4x8", .processes = 4, .threads = 8},
	{.name = "1x8-new", .processes = 1, .threads = 8, .names_are = BENCH_NEW},
};

static const struct bench_experiment uncontended = {
	.order = 10,
	.name = "uncontended",
	.what = "acquire and release of names that nobody else wants: PROCESSESxTHREADS; "
		"new: of names never used before",
	.loads = loads,
	.n_loads = sizeof(loads) / sizeof(loads[0]),
	.work = bench_pairs,
};

BENCH_EXPERIMENT(uncontended)
