/* SPDX-License-Identifier: MIT */
/* A member of a cluster is replaced, by some of its databases. */
#ifndef TESTS_DB_LOCK_QUORUM_GIVEN_H
#define TESTS_DB_LOCK_QUORUM_GIVEN_H

#include "db/lock/quorum/cluster.h"

enum { GIVEN_TIMEOUT_MS = 2000 };

/* Who is given as a member: these databases. */
struct given {
	const char *urls[DATABASES];
	size_t n;
};

static inline struct given three(int a, int b, int c)
{
	return (struct given){{cluster.urls[a], cluster.urls[b], cluster.urls[c]}, 3};
}

static inline struct given five(int a, int b, int c, int d, int e)
{
	return (struct given){{cluster.urls[a], cluster.urls[b], cluster.urls[c], cluster.urls[d],
			       cluster.urls[e]},
			      5};
}

static inline int replace_told(unsigned number, struct given given, void (*waits)(void *, int64_t),
			       void *arg, struct dblock_error *err)
{
	struct dblock_client_options clients = cluster_options(0);
	struct dblock_replace_options options = DBLOCK_REPLACE_OPTIONS_INIT;

	clients.timeout_ms = SLOWLY_MS(GIVEN_TIMEOUT_MS);
	options.waits = waits;
	options.waits_arg = arg;
	options.allow_forgetful = true;
	return dblock_quorum_replace(given.urls, given.n, number, &options, &clients, err);
}

static inline int replace(unsigned number, struct given given, struct dblock_error *err)
{
	return replace_told(number, given, NULL, NULL, err);
}

/* It does not get further than this statement on that database, which is never carried out. */
static inline void break_off(unsigned number, struct given given, int database,
			     const char *statement)
{
	struct dblock_error err = {0};

	proxy_set_at(cluster.proxy[database], statement, PROXY_HOLD);
	assert_true(replace(number, given, &err) < 0);
	assert_true(proxy_has_hit(cluster.proxy[database]));
	proxy_cut_held(cluster.proxy[database]);
	proxy_set(cluster.proxy[database], PROXY_PASS);
}

static inline struct dblock_client *client_of(struct given given, int64_t ttl_ms)
{
	struct dblock_client_options options = cluster_options(ttl_ms);
	struct dblock_client *client;
	struct dblock_error err = {0};

	options.timeout_ms = SLOWLY_MS(4000);
	EXPECT_OPEN(dblock_quorum_open(given.urls, given.n, &options, &client, &err));
	return client;
}

static inline bool votes_as_member(int database)
{
	return raw_int(cluster.raw[database],
		       "SELECT count(*) FROM dblock_quorum WHERE state = 1") == 1;
}

#endif
