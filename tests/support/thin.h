/* SPDX-License-Identifier: MIT */
/*
 * If a test tries one thing at hundreds of places that are much alike, the normal run leaves some
 * of them out on the servers, where each costs connections: of the places that SQLite tries, which
 * is quick, each server tries its own share, PostgreSQL other ones than MySQL. ./dev test strikes
 * leaves nothing out.
 */
#ifndef TESTS_SUPPORT_THIN_H
#define TESTS_SUPPORT_THIN_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool tries_all(void)
{
	return getenv("DBLOCK_STRIKE_ALL") != NULL;
}

/* Tells whether this place is tried, if a server tries one of `share`. */
static inline bool tries_here(unsigned place, unsigned share)
{
	const char *backend = getenv("DBLOCK_TEST_BACKEND");

	if (tries_all() || !backend || strcmp(backend, "sqlite") == 0)
		return true;
	return place % share == (strcmp(backend, "postgresql") == 0 ? 0 : share / 2);
}

#endif
