/* SPDX-License-Identifier: MIT */
/* Several processes contend for one name: from one's release to the next one's grant. */
#include "contend.h"

static const struct bench_load loads[] = {
	{.name = "8x1", .processes = 8, .threads = 1, .names_are = BENCH_ONE, .quick = true},
	{.name = "2x1-held",
	 .processes = 2,
	 .threads = 1,
	 .names_are = BENCH_ONE,
	 .hold_us = 5000,
	 .rounds = 2},
};

static const struct bench_experiment hand_over = {
	.order = 20,
	.name = "hand-over",
	.what = "processes that all want one name: from a release to the next one's grant; "
		"held: each keeps it for 5 ms, so that the other one sleeps",
	.loads = loads,
	.n_loads = sizeof(loads) / sizeof(loads[0]),
	.work = bench_contend,
};

BENCH_EXPERIMENT(hand_over)
