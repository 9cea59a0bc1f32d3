/* SPDX-License-Identifier: MIT */
/* A million acquires would take minutes: the rows are written behind dblock's back. */
#include "dblock_fill.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sql.h"

#define COLUMNS "(name, token, nonce, host, pid, thread, reentry, acquired, released)"
#define VALUES  "1000000, 0, 'bench', 0, 0, 0, 1, 1"

#ifdef BENCH_WITH_POSTGRESQL
static void fill_postgresql(const struct bench_place *place, const char *prefix, int64_t rows)
{
	PGconn *c = bench_pg_open(place);
	char sql[600];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO %slock " COLUMNS " SELECT 'many-' || i, " VALUES
		 " FROM generate_series(0, %" PRId64 " - 1) AS i ON CONFLICT DO NOTHING",
		 prefix, rows);
	bench_pg_run(c, sql);
	snprintf(sql, sizeof(sql), "VACUUM ANALYZE %slock", prefix);
	bench_pg_run(c, sql);
	bench_pg_run(c, "CHECKPOINT");
	PQfinish(c);
}
#endif

#ifdef BENCH_WITH_MYSQL
static void fill_mysql(const struct bench_place *place, const char *prefix, int64_t rows)
{
	MYSQL *c = bench_my_open(place);
	char sql[600];

	snprintf(sql, sizeof(sql),
		 "INSERT IGNORE INTO %slock " COLUMNS " SELECT CONCAT('many-', i - 1), " VALUES
		 " FROM JSON_TABLE(CONCAT('[0', REPEAT(',0', %" PRId64 "), ']'), '$[*]'"
		 " COLUMNS (i FOR ORDINALITY)) n",
		 prefix, rows - 1);
	bench_my_run(c, sql);
	snprintf(sql, sizeof(sql), "ANALYZE TABLE %slock", prefix);
	bench_my_run(c, sql);
	mysql_close(c);
}
#endif

#ifdef BENCH_WITH_SQLITE
static void fill_sqlite(const struct bench_place *place, const char *prefix, int64_t rows)
{
	sqlite3 *db = bench_lite_open(place);
	char sql[600];

	snprintf(sql, sizeof(sql),
		 "WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s"
		 " WHERE i + 1 < %" PRId64 ") INSERT OR IGNORE INTO %slock " COLUMNS
		 " SELECT 'many-' || i, " VALUES " FROM s",
		 rows, prefix);
	bench_lite_run(db, sql);
	bench_lite_run(db, "PRAGMA wal_checkpoint(TRUNCATE)");
	sqlite3_close(db);
}
#endif

void bench_fill_dblock(const struct bench_place *place, const char *prefix, int64_t rows)
{
#ifdef BENCH_WITH_POSTGRESQL
	if (strncmp(place->url, "postgresql:", 11) == 0)
		fill_postgresql(place, prefix, rows);
#endif
#ifdef BENCH_WITH_MYSQL
	if (strncmp(place->url, "mysql:", 6) == 0)
		fill_mysql(place, prefix, rows);
#endif
#ifdef BENCH_WITH_SQLITE
	if (strncmp(place->url, "sqlite:", 7) == 0)
		fill_sqlite(place, prefix, rows);
#endif
}
