/* SPDX-License-Identifier: MIT */
/* Database servers of the test's own, of several kinds at once. Each is one as in server.h; a test is run with the
 * database "none". */
#ifndef TESTS_SUPPORT_SEVERAL_H
#define TESTS_SUPPORT_SEVERAL_H

#include "support/kit.h"

enum { SEVERAL_MAX = 4 };

struct several {
	const char *kind;    /* postgresql, mariadb or mysql */
	const char *preload; /* a library that is loaded into it first; NULL: none */
};

/* Starts them. Any failure fails the test. */
void several_start(const struct several *, int n);
void several_stop(void);

/* Returns "mysql"; or "postgresql" where the tests do without. */
const char *several_third_kind(void);

/* Returns the URL of one, over TCP; and the folder that server.h calls the test's. */
const char *several_url(int);
const char *several_folder(int);

/* Sends a signal to all processes of one, and returns when that must have been heeded. */
void several_signal(int, int signal);

/* Starts one again that was killed. */
void several_restart(int);

#endif
