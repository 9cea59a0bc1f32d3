/* SPDX-License-Identifier: MIT */
/* One connection through the proxy. Nothing here blocks for longer than a send takes. */
#ifndef TESTS_SUPPORT_PROXY_PAIR_H
#define TESTS_SUPPORT_PROXY_PAIR_H

#include "support/proxy.h"

/* Bytes that wait to be sent on. */
struct proxy_queue {
	char *data;
	size_t len;
	int64_t due; /* 0: when the test says so */
};

/* A client's connection, and ours to the server for it; -1: that side has ended. */
struct proxy_pair {
	int client, server;
	enum proxy_mode mode;
	bool torn;    /* bytes were lost: it can never pass again */
	bool armed;   /* the client's next packet is the statement of proxy_set_at() */
	bool leaving; /* all is delivered: it ends when the server has done it */
	bool asks;    /* since the client's last packet the server has not answered */
	int trips;    /* how often the client has asked anew */
	struct proxy_queue up, down;
};

bool proxy_pair_is_over(const struct proxy_pair *);
bool proxy_pair_holds(const struct proxy_pair *);
void proxy_pair_set(struct proxy_pair *, enum proxy_mode);

/* Resets the client's side, and closes the server's, unless something is held for it. */
void proxy_pair_cut(struct proxy_pair *);

/* Sends on what is held, and tells the server that nothing more will come. */
void proxy_pair_deliver(struct proxy_pair *);

/* Takes what one side said; len 0: that side has ended. */
void proxy_pair_client_said(struct proxy_pair *, const char *data, size_t len);
void proxy_pair_server_said(struct proxy_pair *, const char *data, size_t len);

/* Sends on what is due; returns when the next is: far away if nothing is. */
int64_t proxy_pair_send_due(struct proxy_pair *, int64_t now);

#endif
