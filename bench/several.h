/* SPDX-License-Identifier: MIT */
/* Servers that are one place: of servers/quorum, and servers/redlock. */
#ifndef BENCH_SEVERAL_H
#define BENCH_SEVERAL_H

#include "bench.h"

enum { BENCH_SEVERAL_MAX = 9 };

/* The settings of a subject on them. */
struct bench_several {
	unsigned n;         /* it is on the first n of them, */
	bool silent;        /* of which the last one is silent while it is measured */
	const char *prefix; /* of its tables */
};

static inline const struct bench_several *bench_several_of(const struct bench_place *place)
{
	return place->subject->settings;
}

/* The URLs of these n; they are never freed. */
void bench_several_urls(const struct bench_place *, char *urls[BENCH_SEVERAL_MAX]);

/* Stop the last one of them, if it is to be silent, with all that it has under way; and let it go on. */
void bench_several_silence(const struct bench_place *);
void bench_several_wake(const struct bench_place *);

#endif
