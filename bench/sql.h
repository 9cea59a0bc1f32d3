/* SPDX-License-Identifier: MIT */
/* Connections by the databases' own client libraries. Any failure ends the process. */
#ifndef BENCH_SQL_H
#define BENCH_SQL_H

#include "bench.h"

#ifdef BENCH_WITH_POSTGRESQL
#include <libpq-fe.h>

PGconn *bench_pg_open(const struct bench_place *);
void bench_pg_run(PGconn *, const char *sql);
void bench_pg_prepare(PGconn *, const char *statement, const char *sql);
/* Runs a prepared statement with n texts, and returns how many rows came, or were changed. *value
 * becomes the number in the first row's first column, if there is one; it may be NULL. */
int bench_pg_exec(PGconn *, const char *statement, int n, const char *const *texts, int64_t *value);
#endif

#ifdef BENCH_WITH_MYSQL
#include <mysql.h>

#ifdef MARIADB_PACKAGE_VERSION
#define BENCH_MY_LIBRARY "Connector/C " MARIADB_PACKAGE_VERSION
#else
#define BENCH_MY_LIBRARY "libmysqlclient " LIBMYSQL_VERSION
#endif

MYSQL *bench_my_open(const struct bench_place *);
void bench_my_run(MYSQL *, const char *sql);
/* A statement that takes up to two texts, and gives one number. */
MYSQL_STMT *bench_my_prepare(MYSQL *, const char *sql);
int bench_my_exec(MYSQL_STMT *, int n, const char *const *texts, int64_t *value);
#endif

#ifdef BENCH_WITH_SQLITE
#include <sqlite3.h>

sqlite3 *bench_lite_open(const struct bench_place *);
void bench_lite_run(sqlite3 *, const char *sql);
sqlite3_stmt *bench_lite_prepare(sqlite3 *, const char *sql);
int bench_lite_exec(sqlite3 *, sqlite3_stmt *, int n, const char *const *texts, int64_t *value);
#endif

#endif
