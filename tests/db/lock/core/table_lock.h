/* SPDX-License-Identifier: MIT */
/* Somebody has one of the library's tables locked: by LOCK TABLE, ALTER TABLE, VACUUM FULL, or a
 * backup. */
#ifndef TESTS_SUPPORT_TABLE_LOCK_H
#define TESTS_SUPPORT_TABLE_LOCK_H

#include "support/raw.h"

/* This is longer than any statement waits in the server before it gives up. */
enum { LONGER_MS = 2600 };

static inline void have_table(struct raw *raw, const char *table)
{
	if (on_backend("mysql")) {
		raw_exec(raw, "LOCK TABLES dblock_%s WRITE", table);
		return;
	}
	raw_exec(raw, "BEGIN");
	raw_exec(raw, "LOCK TABLE dblock_%s IN ACCESS EXCLUSIVE MODE", table);
}

static inline void leave_table(struct raw *raw)
{
	raw_exec(raw, on_backend("mysql") ? "UNLOCK TABLES" : "ROLLBACK");
}

/* PostgreSQL's message says which table, and who has it. MariaDB does not tell. */
static inline void says_who(struct raw *raw, const char *table, const struct dblock_error *given)
{
	struct dblock_error err = *given;
	char text[64];

	if (on_backend("mysql")) {
		message_has("LOCK TABLE");
		return;
	}
	snprintf(text, sizeof(text), "dblock_%s is locked (AccessExclusiveLock) by pid %lld ",
		 table, (long long)raw_int(raw, "SELECT pg_backend_pid()"));
	message_has(text);
	message_has("idle in transaction");
}

#endif
