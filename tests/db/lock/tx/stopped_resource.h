/* SPDX-License-Identifier: MIT */
/* A resource that a lock guards: each write leaves the token under which it was made. */
#ifndef TESTS_DB_STOPPED_RESOURCE_H
#define TESTS_DB_STOPPED_RESOURCE_H

#include "support/tx.h"

static inline void make_resource(struct dblock_client *client)
{
	struct dblock_tx *tx = tx_open(client);

	tx_exec(tx, on_backend("mysql")
			    ? "CREATE TABLE written (resource VARCHAR(20) NOT NULL, n BIGINT NOT "
			      "NULL, token BIGINT NOT NULL, PRIMARY KEY (resource, n)) "
			      "ENGINE=InnoDB"
			    : "CREATE TABLE written (resource VARCHAR(20) NOT NULL, n BIGINT NOT "
			      "NULL, token BIGINT NOT NULL, PRIMARY KEY (resource, n))");
	dblock_tx_close(tx);
}

/* The write is part of the open transaction. */
static inline int write_resource(struct dblock_tx *tx, const char *resource, int64_t token,
				 struct dblock_error *err)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO written SELECT '%s', coalesce(max(n), 0) + 1, %lld FROM written "
		 "WHERE resource = '%s'",
		 resource, (long long)token, resource);
	return dblock_tx_query(tx, sql, NULL, 0, NULL, NULL, NULL, err);
}

static inline int64_t written(struct dblock_client *client, const char *what, const char *resource)
{
	struct dblock_tx *tx = tx_open(client);
	char sql[256];
	int64_t n;

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM written a %s a.resource = '%s'", what,
		 resource);
	n = tx_int(tx, sql);
	dblock_tx_close(tx);
	return n;
}

static inline int64_t writes(struct dblock_client *client, const char *resource)
{
	return written(client, "WHERE", resource);
}

/* Returns how many writes of an older grant came after one of a newer grant. */
static inline int64_t stale_writes(struct dblock_client *client, const char *resource)
{
	return written(client,
		       "JOIN written b ON b.resource = a.resource AND b.n = a.n + 1 WHERE "
		       "b.token <= a.token AND",
		       resource);
}

/* Takes the lock for the other process, and writes. */
static inline void take_and_write(struct dblock_client *client, const char *resource)
{
	struct dblock_acquire_options how = DBLOCK_ACQUIRE_OPTIONS_INIT;
	struct dblock_tx *tx = tx_open(client);
	struct dblock_error err = {0};
	struct dblock_lock *lock;

	how.wait_ms = PLENTY_MS;
	expect(OK, dblock_acquire(client, resource, &how, &lock, &err));
	expect(OK, dblock_tx_begin(tx, NULL, &err));
	expect(OK, dblock_fence(tx, lock, &err));
	expect(OK, write_resource(tx, resource, dblock_token(lock), &err));
	tx_commit(tx);
	give(lock);
}

#endif
