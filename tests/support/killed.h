/* SPDX-License-Identifier: MIT */
/* A process that holds a lock and is killed, and who wants it then. */
#ifndef TESTS_SUPPORT_KILLED_H
#define TESTS_SUPPORT_KILLED_H

#include <fcntl.h>

#include "support/kit.h"

/* What a child does: it takes `name`, and then `then`. */
struct holder {
	const char *name;
	enum dblock_mode mode;
	int64_t ttl_ms, settle_ms;
	int alive_fd;
	void (*then)(struct dblock_client *);
};

static int go[2]; /* its end is the word for what a child has left behind */

static inline int64_t holds(void *arg)
{
	const struct holder *h = arg;
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;
	struct dblock_lock *lock;

	close(go[1]);
	options.ttl_ms = h->ttl_ms ? h->ttl_ms : DBLOCK_TTL_MAX_MS;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	options.alive_fd = h->alive_fd;
	how.mode = h->mode;
	how.capacity = h->mode == DBLOCK_PERMITS ? 2 : 0;
	how.permits = h->mode == DBLOCK_PERMITS ? 2 : 0;
	how.settle_ms = h->settle_ms;
	if (dblock_open(test_url(), &options, &client, &err) ||
	    dblock_try(client, h->name, &how, &lock, &err)) {
		fprintf(stderr, "child: %s\n", err.message);
		return -1;
	}
	if (h->then)
		h->then(client);
	return dblock_token(lock);
}

static inline struct child start(struct holder *h)
{
	struct child child;

	assert_int_equal(pipe(go), 0);
	child = child_start(holds, h);
	return child;
}

static inline void end(struct child *child)
{
	child_kill(child);
	close(go[0]);
	close(go[1]);
}

struct want {
	struct dblock_client *client;
	enum dblock_mode mode;
	struct dblock_lock *lock;
	int rc;
	struct dblock_error err;
};

static inline void *wants(void *arg)
{
	struct want *w = arg;
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;

	how.wait_ms = PLENTY_MS;
	how.mode = w->mode;
	how.capacity = w->mode == DBLOCK_PERMITS ? 2 : 0;
	w->rc = dblock_acquire(w->client, "x", &how, &w->lock, &w->err);
	return NULL;
}

static inline void has_it(struct want *w)
{
	struct dblock_error err = w->err;

	expect(OK, w->rc);
	give(w->lock);
}

#endif
