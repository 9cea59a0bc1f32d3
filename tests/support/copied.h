/* SPDX-License-Identifier: MIT */
/* What COPY FROM stdin is to read, given in two parts. */
#ifndef TESTS_SUPPORT_COPIED_H
#define TESTS_SUPPORT_COPIED_H

#include "driver/driver.h"

struct copied {
	const char *at;
	size_t left;
};

static inline size_t copied_next(void *ctx, const char **part)
{
	struct copied *copied = ctx;
	size_t n = copied->left > 5 ? copied->left / 2 : copied->left;

	*part = copied->at;
	copied->at += n;
	copied->left -= n;
	return n;
}

/* NULL: nothing is to be read. */
static inline void copied_set(struct dbl_conn *conn, struct copied *copied, const char *data,
			      size_t len)
{
	*copied = (struct copied){data, len};
	conn->copy = data ? copied_next : NULL;
	conn->copy_ctx = copied;
}

#endif
