/* SPDX-License-Identifier: MIT */
/* A message that is put, or noted as had, in the walk's transaction: it is there if that was said, and committed. */
#ifndef TESTS_DB_TX_WALK_MESSAGES_H
#define TESTS_DB_TX_WALK_MESSAGES_H

#include <dblock/outbox.h>

#include "db/faults/tx_walk_scenes.h"

static inline int call_put(struct play *p, struct dblock_error *err)
{
	return dblock_outbox_put(p->tx, "t", "k", "body", "{}", NULL, err);
}

static inline int call_seen(struct play *p, struct dblock_error *err)
{
	return dblock_inbox_seen(p->tx, "s", "k", 1, 4711, err);
}

static inline int64_t count_of(struct dblock_tx *tx, const char *table)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", table);
	return tx_int(tx, sql);
}

static inline void is_there(struct play *p, const char *table, const char *key_table)
{
	struct dblock_tx *tx = tx_open(calm);
	int64_t expected = p->rc == 0 && p->committed;
	char sql[64];

	if (count_of(tx, table) != expected || count_of(tx, key_table) != expected)
		told(p, "it is there though that was not said, or the other way round");
	snprintf(sql, sizeof(sql), "DELETE FROM %s", table);
	tx_exec(tx, sql);
	snprintf(sql, sizeof(sql), "DELETE FROM %s", key_table);
	tx_exec(tx, sql);
	dblock_tx_close(tx);
}

static inline void put_as_told(struct play *p)
{
	is_there(p, "dblock_outbox", "dblock_outbox_key");
}

static inline void had_as_told(struct play *p)
{
	is_there(p, "dblock_inbox", "dblock_inbox");
}

#endif
