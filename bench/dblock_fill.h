/* SPDX-License-Identifier: MIT */
#ifndef BENCH_DBLOCK_FILL_H
#define BENCH_DBLOCK_FILL_H

#include "bench.h"

/* Fills dblock's table of locks with so many names, as BENCH_MANY makes them, each free. */
void bench_fill_dblock(const struct bench_place *, const char *prefix, int64_t rows);

#endif
