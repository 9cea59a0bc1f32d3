/* SPDX-License-Identifier: MIT */
/* Tests of clients with few connections share these. */
#ifndef TESTS_DB_LINK_FEW_CONNECTIONS_KIT_H
#define TESTS_DB_LINK_FEW_CONNECTIONS_KIT_H

#include "support/waiting.h"

static inline struct dblock_client *few(struct spy *spy, unsigned connections, int64_t ttl_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	options.auto_migrate = 1;
	TUNE(options, .connections = connections, .wake_off = DBLOCK_WAKE_SOCKET);
	EXPECT_OPEN(dbl_client_open(test_url(), &options, spy ? &spy->env : dbl_env_system(),
				    &client, &err));
	return client;
}

static inline struct dblock_client *parking(struct spy *spy, int64_t ttl_ms)
{
	struct dblock_client_options options = DBLOCK_CLIENT_OPTIONS_INIT;
	struct dblock_error err = {0};
	struct dblock_client *client;

	options.ttl_ms = ttl_ms;
	options.timeout_ms = PLENTY_MS;
	TUNE(options, .connections = 1, .park = true);
	EXPECT_OPEN(dbl_client_open(test_url(), &options, &spy->env, &client, &err));
	return client;
}

/* How many connections of others are there, but for `raw` itself? */
static inline int64_t count(struct raw *raw)
{
	if (on_backend("postgresql"))
		return raw_int(raw, "SELECT count(*) - 1 FROM pg_stat_activity "
				    "WHERE datname = current_database()");
	return raw_int(raw, "SELECT count(*) - 1 FROM information_schema.processlist "
			    "WHERE db = DATABASE()");
}

static inline void waits_for_beats(struct spy *spy, int n)
{
	int before = spy->runs_of[DBL_OP_heartbeat];

	wait_until(spy->runs_of[DBL_OP_heartbeat] >= before + n);
}

/* To make the tables takes a connection of its own. */
static inline int make_tables(void **state)
{
	(void)state;
	dblock_close(client_new(0), NULL);
	return 0;
}

#endif
