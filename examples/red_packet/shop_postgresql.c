/* SPDX-License-Identifier: MIT */
#include "shop.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const schemes[] = {"postgresql://", "postgres://", NULL};

enum { SQL_MAX = 256, NUMBER_MAX = 24 };

static void check(PGconn *db, const PGresult *result, const char *what)
{
	ExecStatusType status = PQresultStatus(result);

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		shop_fail(what, PQerrorMessage(db));
}

static void script(void *db, const char *sql)
{
	PGresult *result = PQexec(db, sql);

	check(db, result, sql);
	PQclear(result);
}

static void *connect_to(const char *url)
{
	PGconn *db = PQconnectdb(url);

	if (PQstatus(db) != CONNECTION_OK)
		shop_fail("PostgreSQL", PQerrorMessage(db));
	/* A stricter level would answer the race of the UPDATEs with errors, but not end it: the
	 * check and the act are two transactions. */
	script(db, "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED");
	script(db, "SET client_min_messages = warning");
	return db;
}

/* PostgreSQL numbers its placeholders: the first ? is $1. */
static const char *numbered(const char *sql, char *text)
{
	char *to = text;
	int count = 0;

	for (; *sql; sql++)
		if (*sql == '?')
			to += sprintf(to, "$%d", ++count);
		else
			*to++ = *sql;
	*to = '\0';
	return text;
}

static int64_t run(void *db, const char *sql, const int64_t *args, int count)
{
	char text[SQL_MAX], numbers[SHOP_ARGS_MAX][NUMBER_MAX];
	const char *values[SHOP_ARGS_MAX];
	PGresult *result;
	int64_t number = 0;

	for (int i = 0; i < count; i++) {
		snprintf(numbers[i], sizeof(numbers[i]), "%" PRId64, args[i]);
		values[i] = numbers[i];
	}
	result = PQexecParams(db, numbered(sql, text), count, NULL, values, NULL, NULL, 0);
	check(db, result, sql);
	if (PQntuples(result) > 0)
		number = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
	PQclear(result);
	return number;
}

static void disconnect(void *db)
{
	PQfinish(db);
}

const struct shop_driver shop_postgresql = {schemes, connect_to, script, run, disconnect};
