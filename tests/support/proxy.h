/* SPDX-License-Identifier: MIT */
/*
 * Stands between clients and the server of DBLOCK_TEST_TCP_URL, and lets a test decide what comes
 * through. To the client it is a network that swallows packets, or a balancer or a pooler that goes
 * on acknowledging whatever happens behind it. Blind but for the texts of statements that pass.
 */
#ifndef TESTS_SUPPORT_PROXY_H
#define TESTS_SUPPORT_PROXY_H

#include "support/kit.h"

struct proxy;

enum proxy_mode {
	PROXY_PASS,
	PROXY_SLOW,    /* each packet takes PROXY_SLOW_MS */
	PROXY_SILENT,  /* it reads everything and answers nothing; no end of one side is told to the
			  other */
	PROXY_SWALLOW, /* requests pass, answers and ends do not */
	PROXY_HOLD     /* requests wait for proxy_deliver(), also when their sender has gone */
};

enum { PROXY_SLOW_MS = 150 };

/* PROXY_PASS at first. Any failure of the proxy's own fails the test. */
struct proxy *proxy_new(void);
struct proxy *proxy_new_to(const char *url); /* before another server than the tests' */
void proxy_free(struct proxy *);             /* cuts everything; held requests are thrown away */

/* DBLOCK_TEST_TCP_URL, but through the proxy. Lives as long as the proxy. */
const char *proxy_url(const struct proxy *);

/* A client through the proxy that is never in a hurry: its requests may take PLENTY_MS. */
struct dblock_client *proxy_client(const struct proxy *, int64_t ttl_ms);

/* For all connections, and those to come. One that has lost bytes is cut when it would have to pass
 * again; one that holds requests goes on holding them. */
void proxy_set(struct proxy *, enum proxy_mode);

/* So treat, from the statement "-- name:" on, the one connection that is the first to prepare it
 * from now on: of each client's connections, that is the statement's first use. */
void proxy_set_at(struct proxy *, const char *name, enum proxy_mode);

/* As proxy_set(), from the n-th packet of clients (0: the next) on. */
void proxy_set_after(struct proxy *, int n, enum proxy_mode);

/* Has it come to what the last proxy_set_at() or proxy_set_after() said? For _at: after waiting. */
bool proxy_has_hit(struct proxy *);
void proxy_wait_hit(struct proxy *);

/* Refuse new connections, as if nobody listened; or take them again. */
void proxy_refuse(struct proxy *, bool refuse);

/* Reset (RST) the clients' side of every connection, or of those that hold requests. What is held
 * stays, and its server side; those of others are closed. */
void proxy_cut(struct proxy *);
void proxy_cut_held(struct proxy *);

/* Send on what is held, to a server that knows nothing of the sender's end, and wait until it has
 * carried it out, or until it turns out that the server no longer has that connection. */
void proxy_deliver(struct proxy *);

#endif
