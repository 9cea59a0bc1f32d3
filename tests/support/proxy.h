/* SPDX-License-Identifier: MIT */
/*
 * A proxy stands between clients and the server of DBLOCK_TEST_TCP_URL, and lets a test decide what
 * passes. To the client it is a network that swallows packets, or a balancer or a pooler that goes
 * on acknowledging whatever happens behind it. It reads nothing but the texts of statements that
 * pass.
 */
#ifndef TESTS_SUPPORT_PROXY_H
#define TESTS_SUPPORT_PROXY_H

#include "support/kit.h"

struct proxy;

enum proxy_mode {
	PROXY_PASS,
	PROXY_SLOW,    /* each packet takes PROXY_SLOW_MS */
	PROXY_SILENT,  /* it reads everything, answers nothing, and passes no end on */
	PROXY_SWALLOW, /* requests pass, answers and ends do not */
	PROXY_HOLD,    /* requests wait for proxy_deliver(), even if their sender has gone */
	PROXY_TEAR,    /* a request is thrown away, and the connection is reset */
	PROXY_LOSE     /* requests pass, and where their answer would come, it is reset */
};

enum { PROXY_SLOW_MS = 150 };

/* Returns a proxy in the mode PROXY_PASS. Any failure of the proxy itself fails the test. */
struct proxy *proxy_new(void);
struct proxy *proxy_new_to(const char *url); /* for another server than the tests' */
void proxy_free(struct proxy *);             /* cuts everything; held requests are thrown away */

/* Returns DBLOCK_TEST_TCP_URL, but through the proxy. It lives as long as the proxy. */
const char *proxy_url(const struct proxy *);

/* Returns a client through the proxy that is never in a hurry: its requests may take PLENTY_MS. */
struct dblock_client *proxy_client(const struct proxy *, int64_t ttl_ms);

/* Sets the mode of all connections, and of those to come. A connection that has lost bytes is cut
 * when it would have to pass again; one that holds requests goes on holding them. */
void proxy_set(struct proxy *, enum proxy_mode);

/* Sets the mode of connections to come only. */
void proxy_set_new(struct proxy *, enum proxy_mode);

/* Sets the mode of one connection, from the statement "-- name:" on: the one that is the first to
 * prepare it from now on. A client's connection prepares a statement when it first uses it. */
void proxy_set_at(struct proxy *, const char *name, enum proxy_mode);

/* Does so from the packet on in which a client sends this text. */
void proxy_set_at_text(struct proxy *, const char *text, enum proxy_mode);

/* Does as proxy_set(), from the n-th packet of clients (0: the next) on. */
void proxy_set_after(struct proxy *, int n, enum proxy_mode);

/* Tells whether what the last of these waits for has come;
 * proxy_wait_hit() waits for the former. */
bool proxy_has_hit(struct proxy *);
void proxy_wait_hit(struct proxy *);

/* Returns the round trips so far of the connections that are open: how often a client has sent something
 * after an answer. */
int proxy_trips(struct proxy *);

/* Refuses new connections, as if nobody listened; or accepts them again. */
void proxy_refuse(struct proxy *, bool refuse);

/* Resets (RST) the clients' side of every connection, or of those that hold requests. Held requests
 * stay, and so does their server side; the server sides of others are closed. */
void proxy_cut(struct proxy *);
void proxy_cut_held(struct proxy *);

/* Sends on what is held, to a server that knows nothing of the sender's end, and waits until it has
 * carried it out, or until the server turns out to have ended that connection. */
void proxy_deliver(struct proxy *);

#endif
