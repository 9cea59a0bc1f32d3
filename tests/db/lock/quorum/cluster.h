/* SPDX-License-Identifier: MIT */
/* A cluster of three databases on the tests' server, each behind a proxy of its own: it may be silent, cut off,
 * or gone. */
#ifndef TESTS_DB_QUORUM_CLUSTER_H
#define TESTS_DB_QUORUM_CLUSTER_H

#include <dblock/quorum.h>

#include "support/proxy.h"
#include "support/raw.h"
#include "support/waiting.h"

/* More than the members: what takes the place of one. */
enum { MEMBERS = 3, DATABASES = 7 };

struct cluster {
	struct raw *raw[DATABASES]; /* past the proxies */
	struct proxy *proxy[DATABASES];
	char database[DATABASES][80];
	char direct[DATABASES][512]; /* past the proxies, too */
	const char *urls[DATABASES];
};

static struct cluster cluster;

/* The URL, with another database's name in the place of the tests' own. */
static inline void other_database(char *to, size_t size, const char *url, const char *own,
				  const char *other)
{
	const char *at = strstr(url, own);

	assert_non_null(at);
	snprintf(to, size, "%.*s%s%s", (int)(at - url), url, other, at + strlen(own));
}

static inline void cluster_make(int n)
{
	struct raw *raw = raw_open(NULL);
	char own[64], url[512];

	snprintf(own, sizeof(own), "%s",
		 raw_text(raw,
			  on_backend("mysql") ? "SELECT DATABASE()" : "SELECT current_database()"));
	for (int i = 0; i < n; i++) {
		snprintf(cluster.database[i], sizeof(cluster.database[i]), "%s_%d", own, i + 1);
		raw_exec(raw, "CREATE DATABASE %s", cluster.database[i]);
		other_database(url, sizeof(url), test_url(), own, cluster.database[i]);
		cluster.raw[i] = raw_open_url(url, NULL);
		other_database(cluster.direct[i], sizeof(cluster.direct[i]),
			       test_env("DBLOCK_TEST_TCP_URL"), own, cluster.database[i]);
		cluster.proxy[i] = proxy_new_to(cluster.direct[i]);
		cluster.urls[i] = proxy_url(cluster.proxy[i]);
	}
	raw_close(raw);
}

static inline void cluster_make_databases(void)
{
	cluster_make(MEMBERS);
}

static inline struct dblock_client_options cluster_options(int64_t ttl_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = true;
	return options;
}

/* The tests' servers may forget commits: they are faster so. */
static inline struct dblock_quorum_options cluster_of(int64_t max_ttl_ms)
{
	struct dblock_quorum_options options = DBLOCK_QUORUM_OPTIONS_INIT;

	options.max_ttl_ms = max_ttl_ms;
	options.allow_forgetful = true;
	return options;
}

static inline int cluster_replace(const char *const urls[], size_t n, unsigned member,
				  const struct dblock_client_options *clients,
				  struct dblock_error *err)
{
	struct dblock_replace_options options = DBLOCK_REPLACE_OPTIONS_INIT;

	options.allow_forgetful = true;
	return dblock_quorum_replace(urls, n, member, &options, clients, err);
}

static inline void cluster_init(void)
{
	struct dblock_client_options clients = cluster_options(0);
	struct dblock_quorum_options options = cluster_of(0);
	struct dblock_error err = {0};

	expect(OK, dblock_quorum_init(cluster.urls, MEMBERS, "three", &options, &clients, &err));
}

static inline int cluster_set_up(void **state)
{
	(void)state;
	cluster_make_databases();
	cluster_init();
	return 0;
}

static inline int cluster_tear_down(void **state)
{
	struct raw *raw = raw_open(NULL);

	(void)state;
	for (int i = 0; i < DATABASES && cluster.proxy[i]; i++) {
		proxy_free(cluster.proxy[i]);
		cluster.proxy[i] = NULL;
		raw_close(cluster.raw[i]);
		raw_exec(raw, "DROP DATABASE %s%s", cluster.database[i],
			 on_backend("postgresql") ? " WITH (FORCE)" : "");
	}
	raw_close(raw);
	return 0;
}

static inline struct dblock_client *cluster_client(int64_t ttl_ms)
{
	struct dblock_client_options options = cluster_options(ttl_ms);
	struct dblock_error err = {0};
	struct dblock_client *client;

	expect(OK, dblock_quorum_open(cluster.urls, MEMBERS, &options, &client, &err));
	return client;
}

static inline int64_t member_int(int i, const char *column, const char *name)
{
	return raw_int(cluster.raw[i], "SELECT %s FROM dblock_lock WHERE name = 'quorum\x1f%s'",
		       column, name);
}

/* So many members vote for the name's holder. */
static inline int votes(const char *name)
{
	int n = 0;

	for (int i = 0; i < MEMBERS; i++)
		n += raw_int(cluster.raw[i],
			     "SELECT count(*) FROM dblock_lock WHERE name = 'quorum\x1f%s' AND "
			     "session IS NOT NULL",
			     name) == 1;
	return n;
}

/* So many stand in line, at whichever members; *at is one of these. (On a slow machine not the first: who has not
 * answered for a moment is passed over.) */
static inline int64_t in_line(int *at)
{
	int64_t all = 0;

	for (int i = 0; i < MEMBERS; i++) {
		int64_t here = raw_int(cluster.raw[i],
				       "SELECT count(*) FROM dblock_queue WHERE token IS NULL");

		all += here;
		if (here && at)
			*at = i;
	}
	return all;
}

/* A copy of a member's database has another history, once somebody has seen it. */
static inline void becomes_a_copy(int i)
{
	raw_exec(cluster.raw[i],
		 "INSERT INTO dblock_history (n, id, facts, since) SELECT n + 1, 'copy', facts, "
		 "since "
		 "FROM dblock_history WHERE n = (SELECT x FROM (SELECT max(n) AS x FROM "
		 "dblock_history) m)");
}

#define CLUSTER_CASE(f) cmocka_unit_test_setup_teardown(f, cluster_set_up, cluster_tear_down)

#endif
