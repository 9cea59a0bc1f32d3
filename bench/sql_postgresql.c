/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "sql.h"

PGconn *bench_pg_open(const struct bench_place *place)
{
	PGconn *c = PQconnectdb(place->url);

	if (PQstatus(c) != CONNECTION_OK)
		bench_fail("postgresql: %s", PQerrorMessage(c));
	return c;
}

static int rows_of(PGconn *c, PGresult *r, int64_t *value)
{
	ExecStatusType status = PQresultStatus(r);
	int n = PQntuples(r);

	if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
		bench_fail("postgresql: %s", PQerrorMessage(c));
	if (n > 0 && value)
		*value = atoll(PQgetvalue(r, 0, 0));
	if (status == PGRES_COMMAND_OK)
		n = atoi(PQcmdTuples(r));
	PQclear(r);
	return n;
}

void bench_pg_run(PGconn *c, const char *sql)
{
	rows_of(c, PQexec(c, sql), NULL);
}

void bench_pg_prepare(PGconn *c, const char *statement, const char *sql)
{
	rows_of(c, PQprepare(c, statement, sql, 0, NULL), NULL);
}

int bench_pg_exec(PGconn *c, const char *statement, int n, const char *const *texts, int64_t *value)
{
	return rows_of(c, PQexecPrepared(c, statement, n, texts, NULL, NULL, 0), value);
}
