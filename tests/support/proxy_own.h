/* SPDX-License-Identifier: MIT */
/* Inside the proxy: one thread forwards; what it goes by is changed, under the mutex, by the test's
 * own threads. */
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
	enum proxy_mode mode; /* of connections to come */
	struct proxy_pair pairs[PROXY_PAIRS];
	char mark[64]; /* of proxy_set_at(); "": none, or it was met */
	int countdown; /* of proxy_set_after(); 0: none */
	enum proxy_mode next;
	bool hit;
};

/* The thread's body, of a struct proxy. */
void *proxy_forward(void *);

/* Under the mutex: of all connections, and those to come. */
void proxy_set_all(struct proxy *, enum proxy_mode);

#endif
