/* SPDX-License-Identifier: MIT */
/* Judges whether a pooler stands before the server, and shares its connections. Pure functions. */
#ifndef DBL_DOCTOR_POOL_H
#define DBL_DOCTOR_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one statement on one of our two connections saw. The first connection has set a mark, which
 * the second does not see unless it is the same connection of the server's. */
struct dbl_pool_snapshot {
	bool second;    /* the statement ran on our second connection */
	int64_t server; /* the server's number of the connection that it ran on */
	bool marked;    /* it saw the first connection's mark */
};

enum dbl_pool {
	DBL_POOL_NONE,
	DBL_POOL_CHANGES, /* statements of one connection ran on several of the server's */
	DBL_POOL_SHARES,  /* two connections ran on the same one of the server's */
	DBL_POOL_LEAKS,   /* and one saw the other's settings */
	DBL_POOL_FORGETS  /* settings vanish */
};

/* Returns the worst that the snapshots show. */
enum dbl_pool dbl_pool_judge(const struct dbl_pool_snapshot *, size_t n);

#endif
