/* SPDX-License-Identifier: MIT */
#include "shop.h"

#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const schemes[] = {"mysql://", "mariadb://", NULL};

/* The parts of mysql://user:password@host:port/database?socket=PATH; "" where absent. */
struct address {
	char user[64], password[128], host[256], port[8], database[65], socket[108];
};

static void check(MYSQL *db, int failed, const char *what)
{
	if (failed)
		shop_fail(what, mysql_error(db));
}

/* Copy the bytes from text to end, with %XX decoded. */
static void copy_part(char *part, size_t size, const char *text, const char *end)
{
	size_t n = 0;

	while (text < end && n + 1 < size) {
		if (*text == '%' && end - text > 2) {
			char hex[3] = {text[1], text[2], '\0'};

			part[n++] = (char)strtoul(hex, NULL, 16);
			text += 3;
		} else {
			part[n++] = *text++;
		}
	}
	part[n] = '\0';
}

#define COPY_PART(part, text, end) copy_part(part, sizeof(part), text, end)

/* "first:second", the second part being optional. */
static const char *colon(const char *text, const char *end)
{
	const char *at = memchr(text, ':', (size_t)(end - text));

	return at ? at : end;
}

static void parse(struct address *a, const char *url)
{
	const char *text = strstr(url, "://") + 3;
	const char *end = text + strcspn(text, "/?");
	const char *at = memchr(text, '@', (size_t)(end - text));
	const char *query, *socket, *part;

	if (at) {
		part = colon(text, at);
		COPY_PART(a->user, text, part);
		COPY_PART(a->password, part + (part < at), at);
		text = at + 1;
	}
	part = colon(text, end);
	COPY_PART(a->host, text, part);
	COPY_PART(a->port, part + (part < end), end);
	query = end + strcspn(end, "?");
	COPY_PART(a->database, end + (end < query), query);
	socket = strstr(query, "socket=");
	if (socket) {
		socket += strlen("socket=");
		COPY_PART(a->socket, socket, socket + strcspn(socket, "&"));
	}
}

static const char *given(const char *part)
{
	return *part ? part : NULL;
}

static void script(void *db, const char *sql)
{
	check(db, mysql_query(db, sql), sql);
}

static void *connect_to(const char *url)
{
	struct address a = {0};
	MYSQL *db = mysql_init(NULL);

	if (!db)
		shop_fail("MySQL", "out of memory");
	parse(&a, url);
	if (!mysql_real_connect(db, given(a.host), given(a.user), given(a.password),
				given(a.database), (unsigned)atoi(a.port), given(a.socket), 0))
		shop_fail("MySQL", mysql_error(db));
	mysql_autocommit(db, 1);
	/* A stricter level would not help: the check and the act are two transactions. */
	script(db, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
	return db;
}

static int64_t run(void *db, const char *sql, const int64_t *args, int count)
{
	MYSQL_STMT *stmt = mysql_stmt_init(db);
	MYSQL_BIND in[SHOP_ARGS_MAX] = {0}, out = {0};
	int64_t values[SHOP_ARGS_MAX], number = 0;

	for (int i = 0; i < count; i++) {
		values[i] = args[i];
		in[i].buffer_type = MYSQL_TYPE_LONGLONG;
		in[i].buffer = &values[i];
	}
	out.buffer_type = MYSQL_TYPE_LONGLONG;
	out.buffer = &number;
	if (mysql_stmt_prepare(stmt, sql, strlen(sql)) || mysql_stmt_bind_param(stmt, in) ||
	    mysql_stmt_execute(stmt))
		shop_fail(sql, mysql_stmt_error(stmt));
	if (mysql_stmt_field_count(stmt) > 0)
		if (mysql_stmt_bind_result(stmt, &out) || mysql_stmt_fetch(stmt) == 1)
			shop_fail(sql, mysql_stmt_error(stmt));
	mysql_stmt_close(stmt);
	return number;
}

static void disconnect(void *db)
{
	mysql_close(db);
}

const struct shop_driver shop_mysql = {schemes, connect_to, script, run, disconnect};
