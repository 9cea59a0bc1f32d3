/* SPDX-License-Identifier: MIT */
/* The hosts that a URL names, with libpq's environment variables and service file, as libpq reads
 * them. libpq tries them in turn by itself, but has no time-out for each where it does not block:
 * so each gets a connection of its own. */
#ifndef DBL_DRIVER_POSTGRESQL_HOSTS_H
#define DBL_DRIVER_POSTGRESQL_HOSTS_H

#include <libpq-fe.h>
#include <netdb.h>

#include "base/env.h"
#include "base/err.h"
#include "base/url.h"

enum { DBL_PG_HOSTS_MAX = 32 };

/* NULL: not given. */
struct dbl_pg_host {
	const char *name, *address, *port;
};

struct dbl_pg_hosts {
	struct dbl_pg_host list[DBL_PG_HOSTS_MAX];
	unsigned n;   /* 1, too, if they are left to libpq */
	bool chooses; /* the user says which kind of server he wants: libpq looks for that */
	int64_t each; /* connect_timeout in us; 0: none */
	PQconninfoOption *options;
};

/* What libpq alone can do (load balancing, prefer-standby, a host without a name in a list) is left
 * to it, and so is every complaint. */
void dbl_pg_hosts_read(struct dbl_pg_hosts *, const struct dbl_url *);
void dbl_pg_hosts_free(struct dbl_pg_hosts *);

/* The addresses of a host's name, to be freed; NULL: it needs none. E_UNAVAILABLE: it has none. */
int dbl_pg_host_look_up(const struct dbl_pg_host *, struct addrinfo **, struct dblock_error *err);

#endif
