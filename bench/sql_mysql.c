/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "sql.h"

MYSQL *bench_my_open(const struct bench_place *place)
{
	char *socket = bench_read_state(place->server, "socket");
	MYSQL *c = mysql_init(NULL);

	if (!c || !socket)
		bench_fail("mysql: no memory or no socket");
	if (!mysql_real_connect(c, NULL, "root", "", "bench", 0, socket, 0))
		bench_fail("mysql: %s", mysql_error(c));
	free(socket);
	return c;
}

void bench_my_run(MYSQL *c, const char *sql)
{
	MYSQL_RES *r;

	if (mysql_query(c, sql))
		bench_fail("mysql: %s", mysql_error(c));
	r = mysql_store_result(c);
	if (r)
		mysql_free_result(r);
}

MYSQL_STMT *bench_my_prepare(MYSQL *c, const char *sql)
{
	MYSQL_STMT *s = mysql_stmt_init(c);

	if (!s || mysql_stmt_prepare(s, sql, strlen(sql)))
		bench_fail("mysql: %s", s ? mysql_stmt_error(s) : "no memory");
	return s;
}

static void bind_texts(MYSQL_STMT *s, int n, const char *const *texts)
{
	static _Thread_local char copies[2][128];
	MYSQL_BIND in[2];

	memset(in, 0, sizeof(in));
	for (int i = 0; i < n; i++) {
		in[i].buffer_type = MYSQL_TYPE_STRING;
		in[i].buffer_length = strlen(strncpy(copies[i], texts[i], sizeof(copies[i]) - 1));
		in[i].buffer = copies[i];
	}
	if (n > 0 && mysql_stmt_bind_param(s, in))
		bench_fail("mysql: %s", mysql_stmt_error(s));
}

/* Returns the first row's number; the rest is read and forgotten. */
static int fetch(MYSQL_STMT *s, int64_t *value)
{
	long long number = 0;
	MYSQL_BIND out = {.buffer_type = MYSQL_TYPE_LONGLONG, .buffer = &number};
	int n = 0;

	if (mysql_stmt_bind_result(s, &out))
		bench_fail("mysql: %s", mysql_stmt_error(s));
	while (mysql_stmt_fetch(s) == 0)
		n++;
	mysql_stmt_free_result(s);
	if (n > 0 && value)
		*value = number;
	return n;
}

int bench_my_exec(MYSQL_STMT *s, int n, const char *const *texts, int64_t *value)
{
	bind_texts(s, n, texts);
	if (mysql_stmt_execute(s))
		bench_fail("mysql: %s", mysql_stmt_error(s));
	if (mysql_stmt_field_count(s) > 0)
		return fetch(s, value);
	if (value)
		*value = (int64_t)mysql_stmt_insert_id(s);
	return (int)mysql_stmt_affected_rows(s);
}
