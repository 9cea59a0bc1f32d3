/* SPDX-License-Identifier: MIT */
#include "shop.h"

#include <sqlite3.h>
#include <stddef.h>

static const char *const schemes[] = {"sqlite:", NULL};

enum { BUSY_MS = 30000 };

static void check(sqlite3 *db, int rc, const char *what)
{
	if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		shop_fail(what, sqlite3_errmsg(db));
}

static void script(void *db, const char *sql)
{
	check(db, sqlite3_exec(db, sql, NULL, NULL, NULL), sql);
}

static void *open_file(const char *url)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
	sqlite3 *db = NULL;
	/* SQLite calls the same thing file:PATH. */
	char *uri = sqlite3_mprintf("file:%s", url + sizeof("sqlite:") - 1);

	check(db, sqlite3_open_v2(uri, &db, flags, NULL), url);
	sqlite3_free(uri);
	sqlite3_busy_timeout(db, BUSY_MS);
	script(db, "PRAGMA journal_mode = WAL");
	script(db, "PRAGMA synchronous = FULL");
	return db;
}

static int64_t run(void *db, const char *sql, const int64_t *args, int count)
{
	sqlite3_stmt *stmt;
	int64_t number = 0;
	int rc;

	check(db, sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), sql);
	for (int i = 0; i < count; i++)
		check(db, sqlite3_bind_int64(stmt, i + 1, args[i]), sql);
	rc = sqlite3_step(stmt);
	check(db, rc, sql);
	if (rc == SQLITE_ROW)
		number = sqlite3_column_int64(stmt, 0);
	check(db, sqlite3_finalize(stmt), sql);
	return number;
}

static void close_file(void *db)
{
	sqlite3_close(db);
}

const struct shop_driver shop_sqlite = {schemes, open_file, script, run, close_file};
