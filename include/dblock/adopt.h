/* SPDX-License-Identifier: MIT */
/**
 * @file adopt.h  Taking over what another migration tool has applied.
 */
#ifndef DBLOCK_ADOPT_H
#define DBLOCK_ADOPT_H

#include <dblock/migrate.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is to be taken over from another tool. Strings live until the callback returns. */
struct dblock_migrate_adopted {
	size_t size;             /**< sizeof(struct dblock_migrate_adopted) of the library */
	const char *tool;        /**< "golang-migrate" */
	const char *table;       /**< where it keeps its history */
	const char *version;     /**< the last one there, as the tool writes it */
	const int64_t *versions; /**< of the files that are to be recorded as applied, rising */
	size_t n;
};

/** Return other than 0 to have nothing written; the call returns that. */
typedef int dblock_migrate_adopt_cb(void *arg, const struct dblock_migrate_adopted *what);

/**
 * Take over the history of another tool: record as applied what it has applied, without running
 * anything. Its table stays as it is. golang-migrate, Rails, dbmate, Flyway, goose, Liquibase, sqlx,
 * diesel, Atlas, Prisma, knex and node-pg-migrate are known; others' migrations are no SQL files.
 *
 * A row of the tool's is matched with a file of the set by its number, or by its name if it has none
 * (Flyway's 1.2, which `dblock migrate import` puts into the name: V1.2__name); and by its checksum,
 * if that is one of the file's bytes (sqlx, Prisma). What does not fit is refused, and nothing is
 * written; else all is, in one transaction.
 *
 * @param which  `allow_missing`: pass over what is not in the set
 * @param from   which tool's, in any case of its letters; NULL: the one that is there
 * @param told   called before anything is written, while others wait; may be NULL
 * @retval DBLOCK_E_INVALID  no history that can be read is there, or several are and `from` is NULL
 * @retval DBLOCK_E_DRIFT  the tool applied what is not in the set, or has another text there; or
 *                         something of the scope is recorded already
 * @retval DBLOCK_E_REPAIR  a migration of the tool's failed, and a person has to look
 * Otherwise as dblock_migrate_up(). Thread-safe. Blocks.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_adopt(const char *url,
						     const struct dblock_client_options *options,
						     const struct dblock_migrate_options *which,
						     const char *from,
						     dblock_migrate_adopt_cb *told, void *arg,
						     struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
