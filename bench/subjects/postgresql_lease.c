/* SPDX-License-Identifier: MIT */
/* bench needs: postgresql */
/* Lock tables on PostgreSQL as libraries of other languages use them, written by their documentation; one
 * connection a thread, and each statement prepared, which flatters them. Only where nobody competes: who
 * meets a holder there sleeps for a lease (20 s), or is told no.
 *
 * pglock (Go): a serializable transaction puts a random version into the name's row if it has none, and
 * reads back whether it is its own; a release sets it to NULL in another one. What cannot be serialized is
 * tried again. (A heartbeat each 5 s writes a new version for each lock that is held; no run shows that.)
 *
 * ShedLock (Java), by the server's time: a row says until when the name is locked. Its transactions begin
 * with their first statement, as the JDBC driver does that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "sql.h"

static void *open_place(const struct bench_place *place)
{
	return (void *)(uintptr_t)place;
}

static void leave(void *c)
{
	PQfinish(c);
}

static void run_all(const struct bench_place *place, const char *const *sql)
{
	PGconn *c = bench_pg_open(place);

	bench_pg_run(c, "SET client_min_messages = warning");
	while (*sql)
		bench_pg_run(c, *sql++);
	PQfinish(c);
}

static void write_hex(char text[33], uint64_t nonce)
{
	(void)snprintf(text, 33, "%016llx%016llx", (unsigned long long)nonce,
		       (unsigned long long)~nonce);
}

/* --- by a version: four round trips, and three --- */

#define BEGIN_SERIALIZABLE "BEGIN ISOLATION LEVEL SERIALIZABLE"

static void prepare_version(const struct bench_place *place)
{
	static const char *const sql[] = {
		"CREATE TABLE IF NOT EXISTS bench_version (name varchar(255) PRIMARY KEY,"
		" record_version_number varchar(255), data bytea, owner varchar(255))",
		"UPDATE bench_version SET record_version_number = NULL", NULL};

	run_all(place, sql);
}

static void *enter_version(void *place)
{
	PGconn *c = bench_pg_open(place);

	bench_pg_prepare(c, "take",
			 "INSERT INTO bench_version (name, record_version_number, data, owner)"
			 " VALUES ($1, $2, ''::bytea, 'bench') ON CONFLICT (name) DO UPDATE"
			 " SET record_version_number = $2, owner = 'bench'"
			 " WHERE bench_version.record_version_number IS NULL");
	bench_pg_prepare(c, "read",
			 "SELECT (record_version_number = $2)::int FROM bench_version"
			 " WHERE name = $1 FOR UPDATE");
	bench_pg_prepare(c, "give",
			 "UPDATE bench_version SET record_version_number = NULL"
			 " WHERE name = $1 AND record_version_number = $2");
	return c;
}

/* A step of a transaction: rows that came, or were changed. -1: it could not be serialized, and is over. */
static int step(PGconn *c, const char *statement, int n, const char *const *texts, int64_t *value)
{
	PGresult *r =
		n ? PQexecPrepared(c, statement, n, texts, NULL, NULL, 0) : PQexec(c, statement);
	const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
	bool again = state && strcmp(state, "40001") == 0;
	int rows;

	if (state && !again)
		bench_fail("postgresql: %s", PQresultErrorMessage(r));
	if (value && PQntuples(r))
		*value = atoll(PQgetvalue(r, 0, 0));
	rows = again ? -1 : atoi(PQcmdTuples(r));
	PQclear(r);
	if (again)
		bench_pg_run(c, "ROLLBACK");
	return rows;
}

static void take_version(void *c, const char *name, struct bench_grant *g)
{
	char version[33];
	const char *texts[] = {name, version};
	int64_t own = 0;

	g->nonce = bench_nonce();
	write_hex(version, g->nonce);
	do
		bench_pg_run(c, BEGIN_SERIALIZABLE);
	while (step(c, "take", 2, texts, NULL) < 0 || step(c, "read", 2, texts, &own) < 0 ||
	       step(c, "COMMIT", 0, NULL, NULL) < 0);
	if (!own)
		bench_fail("postgresql: '%s' is held", name);
}

static void give_version(void *c, const char *name, struct bench_grant *g)
{
	char version[33];
	const char *texts[] = {name, version};
	int n;

	write_hex(version, g->nonce);
	do {
		bench_pg_run(c, BEGIN_SERIALIZABLE);
		n = step(c, "give", 2, texts, NULL);
	} while (n < 0 || step(c, "COMMIT", 0, NULL, NULL) < 0);
	if (n != 1)
		bench_fail("postgresql: '%s' was not held", name);
}

/* --- by a time: two round trips, and two --- */

#define NOW "timezone('utc', CURRENT_TIMESTAMP)"

static void prepare_time(const struct bench_place *place)
{
	static const char *const sql[] = {
		"CREATE TABLE IF NOT EXISTS bench_time (name varchar(64) PRIMARY KEY,"
		" lock_until timestamp NOT NULL, locked_at timestamp NOT NULL,"
		" locked_by varchar(255) NOT NULL)",
		"UPDATE bench_time SET lock_until = " NOW, NULL};

	run_all(place, sql);
}

static void *enter_time(void *place)
{
	PGconn *c = bench_pg_open(place);

	bench_pg_prepare(c, "row",
			 "INSERT INTO bench_time VALUES ($1, " NOW ", " NOW ", 'bench')"
			 " ON CONFLICT DO NOTHING");
	bench_pg_run(c, "PREPARE take (text) AS UPDATE bench_time"
			" SET lock_until = " NOW " + make_interval(secs => 60), locked_at = " NOW
			", locked_by = 'bench' WHERE name = $1 AND lock_until <= " NOW);
	bench_pg_run(c, "PREPARE give (text) AS UPDATE bench_time SET lock_until = CASE"
			" WHEN locked_at + make_interval(secs => 0) > " NOW
			" THEN locked_at + make_interval(secs => 0) ELSE " NOW " END"
			" WHERE name = $1 AND locked_by = 'bench'");
	return c;
}

/* Rows changed. */
static int64_t run_with_begin(PGconn *c, const char *statement, const char *name)
{
	char sql[160];
	PGresult *r;
	int64_t n;

	(void)snprintf(sql, sizeof(sql), "BEGIN; EXECUTE %s ('%s')", statement, name);
	r = PQexec(c, sql);
	if (PQresultStatus(r) != PGRES_COMMAND_OK)
		bench_fail("postgresql: %s", PQerrorMessage(c));
	n = atoll(PQcmdTuples(r));
	PQclear(r);
	bench_pg_run(c, "COMMIT");
	return n;
}

static void take_time(void *c, const char *name, struct bench_grant *g)
{
	(void)g;
	while (run_with_begin(c, "take", name) != 1)
		bench_pg_exec(c, "row", 1, &name, NULL);
}

static void give_time(void *c, const char *name, struct bench_grant *g)
{
	(void)g;
	if (run_with_begin(c, "give", name) != 1)
		bench_fail("postgresql: '%s' was not held", name);
}

#define PEER                                                                                       \
	.server = "postgresql", .open = open_place, .leave = leave, .most = 250, .brief = true,    \
	.in = "uncontended", .rows_only = true

static const struct bench_subject subjects[] = {
	{PEER, .name = "pglock-like", .prepare = prepare_version, .enter = enter_version,
	 .acquire = take_version, .release = give_version},
	{PEER, .name = "shedlock-like", .prepare = prepare_time, .enter = enter_time,
	 .acquire = take_time, .release = give_time},
};

BENCH_SUBJECTS(subjects)
