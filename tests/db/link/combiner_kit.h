/* SPDX-License-Identifier: MIT */
/* A crowd of one client's threads, each of which wants a lock of its own. */
#ifndef TESTS_DB_COMBINER_KIT_H
#define TESTS_DB_COMBINER_KIT_H

#include "db/link/gate.h"
#include "support/raw.h"

struct one {
	struct dblock_client *client;
	char name[32];
	struct dblock_lock *lock;
	int rc;
	struct dblock_error err;
};

static struct one ones[CROWD];

static inline struct dblock_client *crowd_client(struct spy *spy)
{
	struct dblock_client *client = spy_client(spy, 0);

	for (int i = 0; i < CROWD; i++) {
		ones[i] = (struct one){.client = client};
		snprintf(ones[i].name, sizeof(ones[i].name), "\"n\\,{%02d}'", i);
		is_free(client, ones[i].name);
	}
	return client;
}

static inline void *try_it(void *arg)
{
	struct one *one = arg;

	one->rc = dblock_try(one->client, one->name, NULL, &one->lock, &one->err);
	return NULL;
}

static inline void *release_it(void *arg)
{
	struct one *one = arg;

	one->rc = dblock_release(one->lock, &one->err);
	return NULL;
}

static inline int64_t held_rows(struct raw *raw)
{
	return raw_int(raw, "SELECT count(*) FROM dblock_lock WHERE nonce <> 0");
}

static inline bool all_got(int rc)
{
	for (int i = 0; i < CROWD; i++) {
		if (ones[i].rc != rc)
			return false;
	}
	return true;
}

#endif
