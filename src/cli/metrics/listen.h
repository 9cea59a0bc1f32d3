/* SPDX-License-Identifier: MIT */
/* Where `dblock metrics --listen` listens. */
#ifndef DBL_CLI_METRICS_LISTEN_H
#define DBL_CLI_METRICS_LISTEN_H

#include "cli/ui/cli.h"

enum { DBL_LISTENERS_MAX = 8 };

struct dbl_listeners {
	int fd[DBL_LISTENERS_MAX];
	int n;
	const char *path; /* of a socket in the file system, to be removed; or NULL */
};

/* PORT, HOST:PORT, [::1]:PORT or unix:PATH; PORT alone is of this machine's loopback. Says where it
 * listens, or what is wrong: returns an exit code. */
int dbl_listen(const struct dbl_cli *, const char *address, struct dbl_listeners *);

/* Is it of one of these forms? Returns an exit code, having said if not. */
int dbl_listen_check(const struct dbl_cli *, const char *address);

void dbl_listen_end(struct dbl_listeners *);

#endif
