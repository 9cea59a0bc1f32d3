/* SPDX-License-Identifier: MIT */
#include "sim/mysql_statement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "driver/mysql/placeholder.h"
#include "driver/value.h"
#include "sim/world.h"

enum { COLUMNS_MAX = DBL_COLUMNS_MAX, ROW_MAX = 1 << 20 };

/* The argument behind all others is the time of the server's clock, in us since the epoch. */
enum { CLOCK = DBL_ARGS_MAX };
#define CLOCK_PLACE "$21"

struct column {
	int64_t integer;
	unsigned long len;
	dbl_mysql_bool is_null;
};

static char one_row[ROW_MAX];

static void must(bool done, const char *what)
{
	if (done)
		return;
	fprintf(stderr, "sim: %s\n", what);
	exit(1);
}

/* Makes a text with the clock's argument wherever it asks for the time. */
static void with_clock(struct dbl_str *to, const char *sql)
{
	static const char *const clocks[] = {"UNIX_TIMESTAMP(SYSDATE(6)) * 1000000",
					     "UNIX_TIMESTAMP(NOW(6)) * 1000000", "$wall", "$boot"};

	while (*sql) {
		size_t len = 0;

		for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]) && !len; i++) {
			if (strncmp(sql, clocks[i], strlen(clocks[i])) == 0)
				len = strlen(clocks[i]);
		}
		dbl_str_addn(to, len ? CLOCK_PLACE : sql, len ? strlen(CLOCK_PLACE) : 1);
		sql += len ? len : 1;
	}
}

unsigned mysql_statement_prepare(MYSQL *server, struct mysql_statement *stmt, const char *sql)
{
	const enum enum_stmt_attr_type measure = STMT_ATTR_UPDATE_MAX_LENGTH;
	struct dbl_mysql_text text;
	struct dbl_str clocked = {0};
	dbl_mysql_bool yes = true;
	unsigned rc;

	with_clock(&clocked, sql);
	must(dbl_mysql_rewrite(clocked.text, &text, NULL) == 0, sql);
	stmt->lib = mysql_stmt_init(server);
	mysql_stmt_attr_set(stmt->lib, measure, &yes);
	memcpy(stmt->order, text.order, text.n_places);
	stmt->n_places = text.n_places;
	rc = mysql_stmt_prepare(stmt->lib, text.sql, strlen(text.sql)) ? mysql_stmt_errno(stmt->lib)
								       : 0;
	if (rc) {
		mysql_stmt_close(stmt->lib);
		stmt->lib = NULL;
	}
	dbl_mysql_text_free(&text);
	dbl_str_free(&clocked);
	return rc;
}

static MYSQL_BIND bound(const struct dbl_value *value)
{
	union {
		const void *from;
		void *to;
	} data = {.from = value->type == DBL_INT ? (const void *)&value->i : value->text};

	if (value->type == DBL_NULL)
		return (MYSQL_BIND){.buffer_type = MYSQL_TYPE_NULL};
	return (MYSQL_BIND){
		.buffer_type = value->type == DBL_INT ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_STRING,
		.buffer = data.to,
		.buffer_length = value->type == DBL_INT ? sizeof(value->i) : value->len};
}

static bool send(struct mysql_statement *stmt, const struct dbl_value *args)
{
	MYSQL_BIND places[DBL_MYSQL_ARGS_MAX];

	for (unsigned i = 0; i < stmt->n_places; i++)
		places[i] = bound(&args[stmt->order[i]]);
	return !mysql_stmt_bind_param(stmt->lib, places) && !mysql_stmt_execute(stmt->lib) &&
	       (mysql_stmt_field_count(stmt->lib) == 0 || !mysql_stmt_store_result(stmt->lib));
}

static bool is_integer(const MYSQL_FIELD *field)
{
	return field->type == MYSQL_TYPE_TINY || field->type == MYSQL_TYPE_SHORT ||
	       field->type == MYSQL_TYPE_INT24 || field->type == MYSQL_TYPE_LONG ||
	       field->type == MYSQL_TYPE_LONGLONG;
}

static void bind_columns(struct mysql_statement *stmt, MYSQL_BIND *binds, struct column *columns)
{
	MYSQL_RES *meta = mysql_stmt_result_metadata(stmt->lib);
	char *at = one_row;

	for (unsigned i = 0; i < mysql_stmt_field_count(stmt->lib); i++) {
		const MYSQL_FIELD *field = mysql_fetch_field_direct(meta, i);

		binds[i] = (MYSQL_BIND){.buffer_type = MYSQL_TYPE_LONGLONG,
					.buffer = &columns[i].integer,
					.length = &columns[i].len,
					.is_null = &columns[i].is_null};
		if (is_integer(field))
			continue;
		must(at + field->max_length < one_row + ROW_MAX, "a row that is too long");
		binds[i].buffer_type = MYSQL_TYPE_STRING;
		binds[i].buffer = at;
		binds[i].buffer_length = field->max_length;
		at += field->max_length;
	}
	mysql_free_result(meta);
	must(!mysql_stmt_bind_result(stmt->lib, binds), "bind");
}

static struct dbl_value value_of(const MYSQL_BIND *bind, const struct column *column)
{
	struct dbl_value value = {.type = DBL_NULL};

	if (column->is_null)
		return value;
	if (bind->buffer_type == MYSQL_TYPE_LONGLONG)
		return dbl_int(column->integer);
	return (struct dbl_value){.type = DBL_TEXT, .text = bind->buffer, .len = column->len};
}

static void take_rows(struct letter *l, struct mysql_statement *stmt)
{
	unsigned n = mysql_stmt_field_count(stmt->lib);
	MYSQL_BIND binds[COLUMNS_MAX];
	struct column columns[COLUMNS_MAX];

	must(n <= COLUMNS_MAX, "columns");
	bind_columns(stmt, binds, columns);
	while (mysql_stmt_fetch(stmt->lib) == 0) {
		for (unsigned i = 0; i < n; i++)
			letter_add_value(l, value_of(&binds[i], &columns[i]));
	}
	mysql_stmt_free_result(stmt->lib);
}

/* Reads the outcome of a write: see `next` in struct dbl_driver. */
static void take_outcome(struct letter *l, struct mysql_statement *stmt)
{
	int64_t token = (int64_t)mysql_stmt_insert_id(stmt->lib);

	l->changed = (int64_t)mysql_stmt_affected_rows(stmt->lib);
	l->columns = l->changed > 0 && token ? 1 : 0;
	l->met = l->changed == 0 && token;
	if (l->columns)
		letter_add_value(l, dbl_int(token));
}

bool mysql_statement_run(struct mysql_statement *stmt, struct letter *l)
{
	struct dbl_value args[DBL_ARGS_MAX + 1];

	memcpy(args, l->args, sizeof(l->args));
	args[CLOCK] = dbl_int(database_wall(l->to));
	if (!send(stmt, args))
		return false;
	if (mysql_stmt_field_count(stmt->lib) == 0) {
		take_outcome(l, stmt);
		return true;
	}
	l->columns = mysql_stmt_field_count(stmt->lib);
	take_rows(l, stmt);
	return true;
}
