/* SPDX-License-Identifier: MIT */
/* A test learns of its database from these (servers/with-database). */
#ifndef TESTS_SUPPORT_ENV_H
#define TESTS_SUPPORT_ENV_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline const char *test_env(const char *name)
{
	const char *text = getenv(name);

	if (!text) {
		fprintf(stderr, "%s is not set: run this by ctest\n", name);
		exit(2);
	}
	return text;
}

static inline const char *test_url(void)
{
	return test_env("DBLOCK_TEST_URL");
}

static inline bool on_backend(const char *name)
{
	return strcmp(test_env("DBLOCK_TEST_BACKEND"), name) == 0;
}

/* The name may be mariadb or mysql, too: the driver, and so the backend, of both is mysql. */
static inline bool on_database(const char *name)
{
	return strcmp(test_env("DBLOCK_TEST_DATABASE"), name) == 0;
}

/* Tells whether it is PostgreSQL's, and older than that: ./dev test versions has such. */
static inline bool server_before(int major)
{
	return on_backend("postgresql") && atoi(test_env("DBLOCK_TEST_POSTGRESQL")) < major;
}

#endif
