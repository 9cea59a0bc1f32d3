/* SPDX-License-Identifier: MIT */
/**
 * @file dump.h  What a dump of the schema needs, beside the database's own program for it.
 */
#ifndef DBLOCK_DUMP_H
#define DBLOCK_DUMP_H

#include <dblock/migrate.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Strings live until the callback returns. There is no time, host or version in these texts, and they are
 * the same for two databases with the same tables and the same files. */
struct dblock_dump {
	size_t size; /**< sizeof(struct dblock_dump) of the library */
	/** SQLite: the statements that make all tables, indexes, views and triggers but dblock's own, in
	 * order of their names; "" for a server, which has a program for that. */
	const char *tables;
	/** The statements that make the history of the scope, with all that is applied. */
	const char *history;
	/** The names of dblock's own tables and views, there or not, which a dump leaves out. */
	const char *const *own;
	size_t n_own;
	/** Options by which the server's programs reach the database: PostgreSQL's --dbname, the name
	 * behind; MySQL's --host, --user and so on. No password is in them. */
	const char *const *options;
	size_t n_options;
	const char *database; /**< its name; NULL: the URL has none */
	const char *password; /**< that of the URL, for the environment; NULL: it has none */
};

/** What it returns is what the call returns. */
typedef int dblock_dump_cb(void *arg, const struct dblock_dump *dump);

/**
 * Say what a dump of the database needs. Changes nothing.
 *
 * @param dumped  called once
 * @retval DBLOCK_E_REPAIR  a migration stopped halfway: what is there is the schema of no version
 * Otherwise as dblock_migrate_status(). Thread-safe. Blocks.
 */
DBLOCK_API DBLOCK_NODISCARD int dblock_migrate_dump(const char *url,
						    const struct dblock_client_options *options,
						    const struct dblock_migrate_options *which,
						    dblock_dump_cb *dumped, void *arg,
						    struct dblock_error *err);

#ifdef __cplusplus
}
#endif
#endif
