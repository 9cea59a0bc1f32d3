/* SPDX-License-Identifier: MIT */
/* A lock on a majority of several servers, beside one of these alone, and beside Redlock. */
#include "contend.h"

static const struct bench_load pairs[] = {
	{.name = "1x1", .processes = 1, .threads = 1, .quick = true},
};

static const struct bench_load hand_over[] = {
	{.name = "10x1", .processes = 10, .threads = 1, .names_are = BENCH_ONE, .quick = true},
};

static const struct bench_experiment quorum = {
	.order = 22,
	.name = "quorum",
	.what = "acquire and release of one's own name, on a majority of several servers of this "
		"machine, or "
		"on one; silent: one of five has stopped answering",
	.loads = pairs,
	.n_loads = sizeof(pairs) / sizeof(pairs[0]),
	.work = bench_pairs,
};

static const struct bench_experiment quorum_hand_over = {
	.order = 24,
	.name = "quorum-hand-over",
	.what = "ten processes that all want one name, on a majority of several servers, or on "
		"one: from "
		"a release to the next one's grant",
	.loads = hand_over,
	.n_loads = sizeof(hand_over) / sizeof(hand_over[0]),
	.work = bench_contend,
};

BENCH_EXPERIMENT(quorum)
BENCH_EXPERIMENT(quorum_hand_over)
