/* SPDX-License-Identifier: MIT */
/* bench needs: postgresql */
/* PostgreSQL by hand, one connection a thread: its own locks, and the bare statements. */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "sql.h"

static void *enter(void *place)
{
	PGconn *c = bench_pg_open(place);

	bench_pg_run(c, "SET client_min_messages = warning");
	bench_pg_prepare(c, "one", "SELECT 1");
	bench_pg_prepare(c, "lock", "SELECT pg_advisory_lock(hashtextextended($1, 0))");
	bench_pg_prepare(c, "unlock", "SELECT pg_advisory_unlock(hashtextextended($1, 0))::int");
	bench_pg_prepare(c, "row",
			 "INSERT INTO bench_row (name) VALUES ($1) ON CONFLICT DO NOTHING");
	bench_pg_run(c,
		     "PREPARE pick (text) AS SELECT 1 FROM bench_row WHERE name = $1 FOR UPDATE");
	bench_pg_prepare(c, "take",
			 "UPDATE bench_row SET holder = $2, token = token + 1"
			 " WHERE name = $1 AND holder IS NULL RETURNING token");
	bench_pg_prepare(c, "give",
			 "UPDATE bench_row SET holder = NULL WHERE name = $1 AND holder = $2");
	return c;
}

static void leave(void *c)
{
	PQfinish(c);
}

static void *open_place(const struct bench_place *place)
{
	return (void *)(uintptr_t)place;
}

static void prepare(const struct bench_place *place)
{
	PGconn *c = bench_pg_open(place);

	bench_pg_run(c, "SET client_min_messages = warning");
	bench_pg_run(c, "CREATE TABLE IF NOT EXISTS bench_row (name text COLLATE \"C\" PRIMARY KEY,"
			" holder text, token bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50)");
	/* Ends what an interrupted run has left. */
	bench_pg_run(c, "UPDATE bench_row SET holder = NULL WHERE holder IS NOT NULL");
	PQfinish(c);
}

/* --- SELECT 1, twice --- */

static void ask(void *c, const char *name, struct bench_grant *g)
{
	(void)name;
	(void)g;
	bench_pg_exec(c, "one", 0, NULL, NULL);
}

/* --- pg_advisory_lock() --- */

static void lock(void *c, const char *name, struct bench_grant *g)
{
	(void)g;
	bench_pg_exec(c, "lock", 1, &name, NULL);
}

static void unlock(void *c, const char *name, struct bench_grant *g)
{
	int64_t done = 0;

	(void)g;
	bench_pg_exec(c, "unlock", 1, &name, &done);
	if (!done)
		bench_fail("pg_advisory_unlock: not held");
}

/* --- SELECT FOR UPDATE: two round trips, as BEGIN goes with the first statement --- */

static void pick(void *c, const char *name, struct bench_grant *g)
{
	char sql[160];
	PGresult *r;

	(void)g;
	snprintf(sql, sizeof(sql), "BEGIN; EXECUTE pick ('%s')", name);
	for (;;) {
		r = PQexec(c, sql);
		if (PQresultStatus(r) != PGRES_TUPLES_OK)
			bench_fail("postgresql: %s", PQerrorMessage(c));
		if (PQntuples(r) > 0)
			break;
		PQclear(r);
		bench_pg_run(c, "COMMIT");
		bench_pg_exec(c, "row", 1, &name, NULL);
	}
	PQclear(r);
}

static void commit(void *c, const char *name, struct bench_grant *g)
{
	(void)name;
	(void)g;
	bench_pg_run(c, "COMMIT");
}

/* --- one statement a lock, on a row of the name --- */

static void take(void *c, const char *name, struct bench_grant *g)
{
	char nonce[24];
	const char *texts[] = {name, nonce};

	g->nonce = bench_nonce();
	snprintf(nonce, sizeof(nonce), "%016llx", (unsigned long long)g->nonce);
	while (bench_pg_exec(c, "take", 2, texts, &g->token) == 0)
		bench_pg_exec(c, "row", 1, texts, NULL);
}

static void give(void *c, const char *name, struct bench_grant *g)
{
	char nonce[24];
	const char *texts[] = {name, nonce};

	snprintf(nonce, sizeof(nonce), "%016llx", (unsigned long long)g->nonce);
	if (bench_pg_exec(c, "give", 2, texts, NULL) != 1)
		bench_fail("postgresql: the row was not held");
}

#define PEER                                                                                       \
	.server = "postgresql", .prepare = prepare, .open = open_place, .enter = enter,            \
	.leave = leave, .most = 250

static const struct bench_subject subjects[] = {
	{PEER, .name = "postgresql-round-trip", .brief = true, .in = "uncontended", .acquire = ask,
	 .release = ask, .quick = true},
	{PEER, .name = "postgresql-bare-statement", .in = "uncontended rows", .acquire = take,
	 .release = give, .rows_only = true, .quick = true},
	{PEER, .name = "pg_advisory_lock",
	 .in = "uncontended hand-over takeover threads waiters held", .acquire = lock,
	 .release = unlock, .quick = true},
	{PEER, .name = "postgresql-for-update", .brief = true,
	 .in = "uncontended hand-over threads", .acquire = pick, .release = commit,
	 .rows_only = true},
};

BENCH_SUBJECTS(subjects)
