/* SPDX-License-Identifier: MIT */
/**
 * @file migrate.h  The library's own schema: apply it, and say what is applied.
 */
#ifndef DBLOCK_MIGRATE_H
#define DBLOCK_MIGRATE_H

#include <stdbool.h>

#include <dblock/client.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dblock_migration_state {
	DBLOCK_MIGRATION_PENDING = 0, /**< not applied */
	DBLOCK_MIGRATION_APPLIED = 1,
	DBLOCK_MIGRATION_RUNNING = 2, /**< begun and not finished: somebody is at it, or died */
	DBLOCK_MIGRATION_NEWER = 3    /**< applied by a newer dblock; this one does not know it */
};

/** One migration. Strings live until the callback returns. */
struct dblock_migration {
	size_t size; /**< sizeof(struct dblock_migration) of the library */
	int64_t version;
	const char *name;
	enum dblock_migration_state state;
	int64_t applied_us;     /**< when, by the database's clock; 0 if it is not applied */
	const char *applied_by; /**< user@host of the process; "" if it is not applied */
	bool now;               /**< applied by this very call */
	bool changed;           /**< applied from another text than the one this library has */
};

typedef int dblock_migration_cb(void *arg, const struct dblock_migration *migration);

/**
 * Apply all migrations of the library's schema that are missing. Safe with any number of processes
 * at once: each file is applied exactly once. Opens a connection of its own.
 *
 * @param options  as for dblock_open(): prefix, schema, timeout_ms
 * @param applied  called for each migration applied by this call; may be NULL
 * @retval DBLOCK_OK  all are applied
 * @retval DBLOCK_E_SCHEMA  a table of another shape stands under our name
 * @retval DBLOCK_E_TIMEOUT timeout_ms was over: another process is migrating, or an answer did not
 *                          come; dblock_migrate_status() tells what is applied
 * Otherwise as dblock_open(). Thread-safe. Blocks.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_up(const char *url,
						  const struct dblock_client_options *options,
						  dblock_migration_cb *applied, void *arg,
						  struct dblock_error *err);

/**
 * Say what is applied and what is pending, in order of version. Writes nothing.
 * @return DBLOCK_OK, what the callback returned, or a failure as dblock_open()
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_status(const char *url,
						      const struct dblock_client_options *options,
						      dblock_migration_cb *found, void *arg,
						      struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
