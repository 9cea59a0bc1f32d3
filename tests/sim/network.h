/* SPDX-License-Identifier: MIT */
/* The network between the processes and the server, and the server's side of connections: all this
 * stands in the place of a driver. */
#ifndef TESTS_SIM_NETWORK_H
#define TESTS_SIM_NETWORK_H

#include "driver/driver.h"

struct letter;
struct process;
struct server;
struct way;
struct world;

struct network {
	uint64_t conns;        /* the number opened so far */
	uint64_t starts;       /* the server's */
	int64_t down_until;    /* the server is not there */
	int64_t stalled_until; /* the server is there, and does nothing */
	int64_t locked_until;  /* an open transaction locks the rows of this name: */
	char locked_name[16];
	uint64_t owner; /* the connection that has a transaction open; 0: none has */
	uint64_t turns; /* the number of turns inside transactions */
};

extern const struct dbl_driver network_driver;

/* The way from there to there. */
struct way *network_way(struct process *, const struct server *);

/* The server goes down and comes back at `until`: connections are reset, transactions rolled back;
 * if `loses`, commits since the last database_sync() are gone. */
void network_restart(struct world *, struct server *, int64_t until, bool loses);

#endif
