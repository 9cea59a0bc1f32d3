/* SPDX-License-Identifier: MIT */
/* A database server of the test's own, to be killed and stopped: nobody else is disturbed. */
#ifndef TESTS_SUPPORT_SERVER_H
#define TESTS_SUPPORT_SERVER_H

#include "support/kit.h"

/* One at a time. Its tables are there. Any failure fails the test. */
void server_start(void);
void server_stop(void);

/* Over TCP. */
const char *server_url(void);

/* Sends a signal to all of its processes. SIGKILL: as if the machine had died, but for its disk. */
void server_signal(int signal);

/* Start it again, on the same data and port. */
void server_restart(void);

/* PostgreSQL: give it a standby of the name "b"; let that die. */
void server_follow(void);
void server_unfollow(void);

/* A client of its. ttl_ms 0: the default. */
struct dblock_client *server_client(int64_t ttl_ms);

#endif
