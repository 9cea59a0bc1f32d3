/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "sql.h"

/* Tries again within half a millisecond, for ten seconds: SQLite's own pauses let writers starve.
 */
static int busy(void *unused, int tries)
{
	(void)unused;
	bench_sleep_us(50 + (int64_t)(bench_nonce() % 500));
	return tries < 40000;
}

sqlite3 *bench_lite_open(const struct bench_place *place)
{
	const char *path = place->url + strlen("sqlite://");
	sqlite3 *db;

	if (sqlite3_open(path, &db))
		bench_fail("sqlite: %s: %s", path, sqlite3_errmsg(db));
	sqlite3_busy_handler(db, busy, NULL);
	return db;
}

void bench_lite_run(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		bench_fail("sqlite: %s", sqlite3_errmsg(db));
}

sqlite3_stmt *bench_lite_prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s;

	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL))
		bench_fail("sqlite: %s", sqlite3_errmsg(db));
	return s;
}

int bench_lite_exec(sqlite3 *db, sqlite3_stmt *s, int n, const char *const *texts, int64_t *value)
{
	int rows = 0, rc;

	for (int i = 0; i < n; i++)
		sqlite3_bind_text(s, i + 1, texts[i], -1, SQLITE_STATIC);
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		if (rows++ == 0 && value)
			*value = sqlite3_column_int64(s, 0);
	}
	sqlite3_reset(s);
	if (rc != SQLITE_DONE)
		bench_fail("sqlite: %s", sqlite3_errmsg(db));
	return rows;
}
