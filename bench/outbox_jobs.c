/* SPDX-License-Identifier: MIT */
/*
 * A table of jobs as River and pg-boss have it, without what an outbox does not need: a state, when to run it, an index
 * to fetch by. Their other indexes (River's of kinds, arguments and metadata) are left out, which is in their favour. The
 * statements are theirs, prepared, by the client library alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dblock/mysql.h>
#include <dblock/postgresql.h>

#include "outbox.h"
#include "sql.h"

struct caller {
	PGconn *pg;
	MYSQL *my;
	MYSQL_STMT *insert;
	struct dblock_tx *tx;
};

static const char *const table_postgresql[] = {
	"DROP TABLE IF EXISTS job",
	"CREATE TABLE job (id bigserial PRIMARY KEY, state text NOT NULL DEFAULT 'available',"
	" queue text NOT NULL DEFAULT 'orders', priority smallint NOT NULL DEFAULT 1,"
	" attempt smallint NOT NULL DEFAULT 0, created_at timestamptz NOT NULL DEFAULT now(),"
	" scheduled_at timestamptz NOT NULL DEFAULT now(), attempted_at timestamptz,"
	" finalized_at timestamptz, kind text NOT NULL, args text NOT NULL)",
	"CREATE INDEX job_fetch ON job (state, queue, priority, scheduled_at, id)"};

static const char *const table_mysql[] = {
	"DROP TABLE IF EXISTS job",
	"CREATE TABLE job (id bigint AUTO_INCREMENT PRIMARY KEY, state varchar(16) NOT NULL "
	"DEFAULT "
	"'available', queue varchar(64) NOT NULL DEFAULT 'orders', priority smallint NOT NULL "
	"DEFAULT 1,"
	" attempt smallint NOT NULL DEFAULT 0, created_at datetime(6) NOT NULL DEFAULT now(6),"
	" scheduled_at datetime(6) NOT NULL DEFAULT now(6), attempted_at datetime(6),"
	" finalized_at datetime(6), kind varchar(255) NOT NULL, args mediumtext NOT NULL,"
	" KEY job_fetch (state, queue, priority, scheduled_at, id))"};

/* How they fetch, and how they mark as done what they have fetched, which is an array of ids. */
static const char *const fetch[SHAPES] = {
	[RIVER] = "WITH locked AS (SELECT id FROM job WHERE state = 'available' AND queue = "
		  "'orders' AND"
		  " scheduled_at <= now() ORDER BY priority, scheduled_at, id LIMIT 100"
		  " FOR UPDATE SKIP LOCKED), had AS (UPDATE job SET state = 'running',"
		  " attempt = job.attempt + 1, attempted_at = now() FROM locked WHERE job.id = "
		  "locked.id"
		  " RETURNING job.*) SELECT id, kind, args FROM had",
	[PG_BOSS] =
		"WITH next AS (SELECT id FROM job WHERE queue = 'orders' AND state = 'available' "
		"AND"
		" scheduled_at < now() ORDER BY priority DESC, created_at, id LIMIT 100"
		" FOR UPDATE SKIP LOCKED) UPDATE job j SET state = 'active', attempted_at = now(),"
		" attempt = CASE WHEN attempted_at IS NOT NULL THEN attempt + 1 ELSE attempt END"
		" FROM next WHERE j.id = next.id RETURNING j.id, j.kind, j.args",
};

static const char *const done[SHAPES] = {
	[RIVER] = "UPDATE job SET finalized_at = now(), state = 'completed' FROM (SELECT"
		  " unnest($1::bigint[]) AS id) t WHERE job.id = t.id AND job.state = 'running'",
	[PG_BOSS] =
		"UPDATE job SET finalized_at = now(), state = 'completed' WHERE queue = 'orders'"
		" AND id IN (SELECT unnest($1::bigint[])) AND state = 'active'",
};

static const char *const fetch_name[SHAPES] = {"fetch-river", "fetch-pg-boss"};
static const char *const done_name[SHAPES] = {"done-river", "done-pg-boss"};

/* ---- a connection ---------------------------------------------------------------------------- */

static void prepare(struct caller *c)
{
	if (c->my) {
		c->insert = bench_my_prepare(c->my, "INSERT INTO job (kind, args) VALUES (?, ?)");
		return;
	}
	bench_pg_prepare(c->pg, "insert", "INSERT INTO job (kind, args) VALUES ($1, $2)");
	for (int i = 0; i < SHAPES; i++) {
		bench_pg_prepare(c->pg, fetch_name[i], fetch[i]);
		bench_pg_prepare(c->pg, done_name[i], done[i]);
	}
}

struct caller *caller_open(const struct bench_place *place, bool jobs)
{
	struct caller *c = bench_alloc(sizeof(*c));
	struct dblock_error err;
	int rc;

	if (is_on(place, "postgresql"))
		c->pg = bench_pg_open(place);
	else
		c->my = bench_my_open(place);
	if (jobs) {
		prepare(c);
		return c;
	}
	rc = c->pg ? dblock_tx_from_postgresql(c->pg, NULL, &c->tx, &err)
		   : dblock_tx_from_mysql(c->my, NULL, &c->tx, &err);
	if (rc)
		bench_fail("%s", err.message);
	return c;
}

void caller_close(struct caller *c)
{
	dblock_tx_close(c->tx);
	if (c->insert)
		mysql_stmt_close(c->insert);
	if (c->my)
		mysql_close(c->my);
	if (c->pg)
		PQfinish(c->pg);
	free(c);
}

static void run(struct caller *c, const char *sql)
{
	if (c->pg)
		bench_pg_run(c->pg, sql);
	else
		bench_my_run(c->my, sql);
}

void caller_begin(struct caller *c)
{
	run(c, "BEGIN");
}

void caller_commit(struct caller *c)
{
	run(c, "COMMIT");
}

void caller_rollback(struct caller *c)
{
	run(c, "ROLLBACK");
}

struct dblock_tx *caller_tx(struct caller *c)
{
	return c->tx;
}

void caller_insert(struct caller *c, const char *key, const char *body)
{
	const char *const texts[] = {key, body};

	if (c->pg)
		bench_pg_exec(c->pg, "insert", 2, texts, NULL);
	else
		bench_my_exec(c->insert, 2, texts, NULL);
}

int caller_work(struct caller *c, enum shape shape)
{
	PGresult *r = PQexecPrepared(c->pg, fetch_name[shape], 0, NULL, NULL, NULL, 0);
	char ids[BATCH * 24] = "{";
	const char *const texts[] = {ids};
	size_t len = 1;
	int n = PQntuples(r);

	if (PQresultStatus(r) != PGRES_TUPLES_OK)
		bench_fail("%s", PQerrorMessage(c->pg));
	for (int i = 0; i < n; i++)
		len += (size_t)snprintf(ids + len, sizeof(ids) - len, "%s%s", i ? "," : "",
					PQgetvalue(r, i, 0));
	snprintf(ids + len, sizeof(ids) - len, "}");
	PQclear(r);
	if (n > 0 && bench_pg_exec(c->pg, done_name[shape], 1, texts, NULL) != n)
		bench_fail("not all that were fetched were marked");
	return n;
}

/* ---- the table ------------------------------------------------------------------------------- */

void jobs_make(const struct bench_place *place)
{
	const char *const *sql = is_on(place, "postgresql") ? table_postgresql : table_mysql;
	size_t n = is_on(place, "postgresql") ? 3 : 2;

	for (size_t i = 0; i < n; i++)
		raw(place, sql[i]);
}

void jobs_fill(const struct bench_place *place, int n)
{
	char sql[256];

	jobs_make(place);
	snprintf(sql, sizeof(sql),
		 "INSERT INTO job (kind, args) SELECT 'key ' || i %% 1000, '%s'"
		 " FROM generate_series(1, %d) i",
		 BODY, n);
	raw(place, sql);
	raw(place, "ANALYZE job");
}
