/* SPDX-License-Identifier: MIT */
/*
 * How many times slower than a quiet machine this one is, as servers/with-database found it: what a
 * test waits for is bounded by a multiple of that, and what must not run out meanwhile (a ttl, a
 * time-out of the library's own) is made longer by it.
 */
#ifndef TESTS_SUPPORT_SLOWNESS_H
#define TESTS_SUPPORT_SLOWNESS_H

#include <stdint.h>
#include <stdlib.h>

static inline int64_t slowness(void)
{
	const char *text = getenv("DBLOCK_TEST_SLOWNESS");
	int64_t times = text ? strtoll(text, NULL, 10) : 1;

	return times > 1 ? times : 1;
}

/* What takes so long on a quiet machine, or has to last as long. */
#define SLOWLY_MS(ms) ((int64_t)(ms)*slowness())

/* Long enough for any machine, and for this one. */
#define PLENTY_MS SLOWLY_MS(60000)

#endif
