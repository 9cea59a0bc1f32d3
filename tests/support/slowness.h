/* SPDX-License-Identifier: MIT */
/*
 * How many times slower this machine is than a quiet one, as servers/with-database found it: waits
 * of a test are bounded by a multiple of that, and times that must not run out meanwhile (a ttl, a
 * timeout of the library) are made longer by it.
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

/* A time that is so long on a quiet machine. */
#define SLOWLY_MS(ms) ((int64_t)(ms)*slowness())

/* This is long enough for any machine, and for this one. */
#define PLENTY_MS SLOWLY_MS(60000)

#endif
