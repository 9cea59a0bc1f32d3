/* SPDX-License-Identifier: MIT */
/* Statements of the library's, sent by the client library alone: what they cost by themselves. A
 * failure ends the program. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include "sql/target.h"

struct bare;

void bare_die(const char *what, const char *why);

/* A connection of its own, on which acquire (0) and release (1) are prepared. The target must
 * outlive it. */
struct bare *bare_open(const struct dbl_target *);

/* Returns the integer that it gives, or 0. */
int64_t bare_run(struct bare *, int k, const struct dbl_value *args, int n);

#endif
