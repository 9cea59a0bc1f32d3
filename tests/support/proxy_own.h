/* SPDX-License-Identifier: MIT */
/* The inside of the proxy: one thread forwards; the test's own threads change its modes, under the
 * mutex. */
#ifndef TESTS_SUPPORT_PROXY_OWN_H
#define TESTS_SUPPORT_PROXY_OWN_H

#include <netinet/in.h>

#include "support/proxy_pair.h"

enum { PROXY_PAIRS = 256 };

struct proxy {
	pthread_t thread;
	int listener, wake[2];
	struct sockaddr_in server;
	char url[512];

	pthread_mutex_t mutex; /* guards what follows */
	bool stop, refusing;
	enum proxy_mode mode; /* for connections to come */
	struct proxy_pair pairs[PROXY_PAIRS];
	char mark[64]; /* set by proxy_set_at(); "": none, or it has come */
	bool at_once;  /* by proxy_set_at_text(): what has the mark is the packet itself */
	int countdown; /* set by proxy_set_after(); 0: none */
	enum proxy_mode next;
	bool hit;
};

/* The thread's body; its argument is a struct proxy. */
void *proxy_forward(void *);

/* Sets the mode of all connections, and of those to come. Call it under the mutex. */
void proxy_set_all(struct proxy *, enum proxy_mode);

#endif
