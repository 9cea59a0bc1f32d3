/* SPDX-License-Identifier: MIT */
/* Work that several experiments share. */
#ifndef BENCH_CONTEND_H
#define BENCH_CONTEND_H

#include "bench.h"

/*
 * All want the same name. What is counted is how long it took from one's release to the next one's
 * return from acquire; grants are counted that somebody took again himself as well, but not timed.
 * Two inside at once, or a token that did not grow, is a violation.
 */
void bench_contend(struct bench_worker *);

/* Each takes names that nobody else wants, and gives them back; counted is the pair. Of a name that
 * is always the same the tokens grow, or it is a violation. */
void bench_pairs(struct bench_worker *);

#endif
