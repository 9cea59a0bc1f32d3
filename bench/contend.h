/* SPDX-License-Identifier: MIT */
/* Work that several experiments do. */
#ifndef BENCH_CONTEND_H
#define BENCH_CONTEND_H

#include "bench.h"

/*
 * All want the same name. The time is measured from one worker's release to the next one's return
 * from acquire; a grant that a worker takes again itself is counted, but not timed. Two holders at
 * once, or a token that does not grow, is a violation.
 */
void bench_contend(struct bench_worker *);

/* Each worker takes names that nobody else wants, and gives them back; each such pair is counted.
 * If a name is always the same its tokens must grow, or it is a violation. */
void bench_pairs(struct bench_worker *);

#endif
