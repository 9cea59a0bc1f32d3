/* SPDX-License-Identifier: MIT */
/* The server's end of a connection. When a connection is lost while a write was under way, that
 * write may still be carried out: its bytes are on their way, or the server's process has not
 * noticed. Once that process has been ended and seen gone, it cannot. Inside src/link. */
#ifndef DBL_LINK_BACKEND_H
#define DBL_LINK_BACKEND_H

#include "sql/db.h"

struct dbl_backend {
	int64_t id; /* 0: unknown, as behind a pooler; DBL_NO_SERVER */
	char mark[40];
};

/* Ask which backend serves this connection. It is unknown if the answer is not what the client
 * library says. */
int dbl_backend_read(struct dbl_db *, int64_t deadline, struct dbl_backend *,
		     struct dblock_error *err);

/* End the backend of another connection, and see it gone. 1: it is gone; 0: that could not be done,
 * or not be seen; < 0: this very connection failed. */
int dbl_backend_end(struct dbl_db *, const struct dbl_backend *, const struct dbl_env *,
		    int64_t deadline, struct dblock_error *err);

#endif
