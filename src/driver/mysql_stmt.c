/* SPDX-License-Identifier: MIT */
/* Prepared statements. Integers cross as 64-bit integers, everything else as text. */
#include <string.h>

#include "base/mem.h"
#include "driver/mysql_conn.h"
#include "driver/mysql_placeholder.h"

/* Where the library puts one column of a row. */
struct column {
	int64_t integer;
	char *text; /* NULL: an integer column */
	unsigned long room, len;
	dbl_mysql_bool is_null, is_cut;
};

enum rows { NONE, STORED, TOKEN };

struct dbl_mysql_stmt {
	struct dbl_stmt base;
	struct dbl_mysql_stmt *next;
	MYSQL_STMT *lib;
	struct dbl_mysql_text text;
	MYSQL_BIND *places; /* one for each ? */
	struct column *columns;
	MYSQL_BIND *binds; /* one for each column */
	unsigned n_columns;
	bool bound; /* the library has `binds` as they are now */
	enum rows rows;
	int64_t token; /* what the write gave to LAST_INSERT_ID() */
};

/* Most texts fit; longer ones grow it. */
enum { FIRST_ROOM = 128 };

static int no_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

static int failed(const struct dbl_mysql_call *call, const struct dbl_mysql_stmt *stmt,
		  struct dblock_error *err)
{
	return dbl_mysql_call_failed(call, mysql_stmt_errno(stmt->lib),
				     mysql_stmt_sqlstate(stmt->lib), mysql_stmt_error(stmt->lib),
				     err);
}

static void free_columns(struct dbl_mysql_stmt *stmt)
{
	for (unsigned i = 0; i < stmt->n_columns; i++)
		dbl_free(stmt->columns[i].text);
	dbl_free(stmt->columns);
	dbl_free(stmt->binds);
	stmt->columns = NULL;
	stmt->binds = NULL;
	stmt->n_columns = 0;
	stmt->bound = false;
}

static void free_stmt(struct dbl_mysql_stmt *stmt)
{
	if (stmt->lib)
		mysql_stmt_close(stmt->lib);
	free_columns(stmt);
	dbl_mysql_text_free(&stmt->text);
	dbl_free(stmt->places);
	dbl_free(stmt);
}

void dbl_mysql_stmts_free(struct dbl_mysql_conn *conn)
{
	while (conn->stmts) {
		struct dbl_mysql_stmt *next = conn->stmts->next;

		free_stmt(conn->stmts);
		conn->stmts = next;
	}
}

void dbl_mysql_forget(struct dbl_stmt *base)
{
	struct dbl_mysql_stmt *stmt = (struct dbl_mysql_stmt *)base;
	struct dbl_mysql_stmt **at = &((struct dbl_mysql_conn *)base->conn)->stmts;

	while (*at != stmt)
		at = &(*at)->next;
	*at = stmt->next;
	free_stmt(stmt);
}

static int send_prepare(struct dbl_mysql_stmt *stmt, struct dblock_error *err)
{
	struct dbl_mysql_call call;
	bool done;
	int rc = dbl_mysql_call_begin(&call, stmt->base.conn, false, err);

	if (rc)
		return rc;
	done = mysql_stmt_prepare(stmt->lib, stmt->text.sql, strlen(stmt->text.sql)) == 0;
	dbl_mysql_call_end(&call);
	if (!done)
		return failed(&call, stmt, err);
	if (mysql_stmt_param_count(stmt->lib) != stmt->text.n_places)
		return dbl_fail(err, DBLOCK_E_BUG, "statement: %lu placeholders, not %u",
				mysql_stmt_param_count(stmt->lib), stmt->text.n_places);
	return 0;
}

static int make_stmt(struct dbl_mysql_stmt *stmt, const char *sql, struct dblock_error *err)
{
	struct dbl_mysql_conn *conn = (struct dbl_mysql_conn *)stmt->base.conn;
	int rc;

	if (dbl_mysql_is_empty(sql))
		return dbl_fail(err, DBLOCK_E_BUG, "the statement is empty");
	rc = dbl_mysql_rewrite(sql, &stmt->text, err);
	if (rc)
		return rc;
	stmt->places = dbl_alloc(stmt->text.n_places * sizeof(*stmt->places));
	stmt->lib = mysql_stmt_init(conn->lib);
	if (!stmt->places || !stmt->lib)
		return no_memory(err);
	return send_prepare(stmt, err);
}

int dbl_mysql_prepare(struct dbl_conn *base, const char *sql, struct dbl_stmt **out,
		      struct dblock_error *err)
{
	struct dbl_mysql_conn *conn = (struct dbl_mysql_conn *)base;
	struct dbl_mysql_stmt *stmt = dbl_alloc(sizeof(*stmt));
	int rc;

	*out = NULL;
	if (!stmt)
		return no_memory(err);
	stmt->base.conn = base;
	rc = make_stmt(stmt, sql, err);
	if (rc) {
		free_stmt(stmt);
		return rc;
	}
	stmt->next = conn->stmts;
	conn->stmts = stmt;
	*out = &stmt->base;
	return 0;
}

/* The library only reads through a bind of an argument, but its types do not say so. */
static void bind_arg(MYSQL_BIND *bind, const struct dbl_value *arg)
{
	union {
		const void *from;
		void *to;
	} data = {.from = arg->type == DBL_INT ? (const void *)&arg->i : arg->text};

	*bind = (MYSQL_BIND){.buffer_type = MYSQL_TYPE_NULL};
	if (arg->type == DBL_NULL)
		return;
	bind->buffer_type = arg->type == DBL_INT ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_STRING;
	bind->buffer = data.to;
	bind->buffer_length = arg->type == DBL_INT ? sizeof(arg->i) : arg->len;
}

static bool is_integer(enum enum_field_types type)
{
	switch (type) {
	case MYSQL_TYPE_TINY:
	case MYSQL_TYPE_SHORT:
	case MYSQL_TYPE_INT24:
	case MYSQL_TYPE_LONG:
	case MYSQL_TYPE_LONGLONG:
	case MYSQL_TYPE_YEAR:
		return true;
	default:
		return false;
	}
}

/* Point the library at where the column goes. */
static void bind_column(MYSQL_BIND *bind, struct column *column)
{
	*bind = (MYSQL_BIND){
		.buffer_type = column->text ? MYSQL_TYPE_STRING : MYSQL_TYPE_LONGLONG,
		.buffer = column->text ? (void *)column->text : &column->integer,
		.buffer_length = column->text ? column->room : sizeof(column->integer),
		.length = &column->len,
		.is_null = &column->is_null,
		.error = &column->is_cut,
	};
}

static bool make_column(MYSQL_BIND *bind, struct column *column, const MYSQL_FIELD *field)
{
	if (!is_integer(field->type)) {
		column->room = FIRST_ROOM;
		column->text = dbl_alloc(column->room);
		if (!column->text)
			return false;
	}
	bind_column(bind, column);
	return true;
}

static bool make_columns(struct dbl_mysql_stmt *stmt, unsigned n)
{
	MYSQL_RES *meta = mysql_stmt_result_metadata(stmt->lib);
	bool done = meta != NULL;

	free_columns(stmt);
	stmt->columns = dbl_alloc(n * sizeof(*stmt->columns));
	stmt->binds = dbl_alloc(n * sizeof(*stmt->binds));
	done = done && stmt->columns && stmt->binds;
	stmt->n_columns = done ? n : 0;
	for (unsigned i = 0; done && i < n; i++)
		done = make_column(&stmt->binds[i], &stmt->columns[i],
				   mysql_fetch_field_direct(meta, i));
	/* What is half made would be taken for whole by the next run. */
	if (!done)
		free_columns(stmt);
	if (meta)
		mysql_free_result(meta);
	return done;
}

/* All that goes over the wire. */
static bool execute(struct dbl_mysql_stmt *stmt)
{
	if (mysql_stmt_free_result(stmt->lib) || mysql_stmt_bind_param(stmt->lib, stmt->places) ||
	    mysql_stmt_execute(stmt->lib))
		return false;
	return mysql_stmt_field_count(stmt->lib) == 0 || mysql_stmt_store_result(stmt->lib) == 0;
}

/* A write has no rows (MariaDB's RETURNING, which does not say how many it changed, is not for a
 * text that MySQL has to run too); but if it called LAST_INSERT_ID(x), x came with its answer. */
static int note_result(struct dbl_mysql_stmt *stmt, int64_t *changed, struct dblock_error *err)
{
	unsigned n = stmt->base.columns = mysql_stmt_field_count(stmt->lib);

	if (n > 0) {
		stmt->rows = STORED;
		return n == stmt->n_columns || make_columns(stmt, n) ? 0 : no_memory(err);
	}
	*changed = (int64_t)mysql_stmt_affected_rows(stmt->lib);
	stmt->token = (int64_t)mysql_stmt_insert_id(stmt->lib);
	stmt->rows = *changed > 0 && stmt->token != 0 ? TOKEN : NONE;
	stmt->base.met = stmt->rows == NONE && stmt->token != 0;
	return 0;
}

int dbl_mysql_run(struct dbl_stmt *base, const struct dbl_value *args, unsigned n, int64_t *changed,
		  struct dblock_error *err)
{
	struct dbl_mysql_stmt *stmt = (struct dbl_mysql_stmt *)base;
	struct dbl_mysql_call call;
	bool done;
	int rc;

	*changed = 0;
	stmt->rows = NONE;
	if (n < stmt->text.n_args)
		return dbl_fail(err, DBLOCK_E_BUG, "statement: %u arguments, but it has $%u", n,
				stmt->text.n_args);
	for (unsigned k = 0; k < stmt->text.n_places; k++)
		bind_arg(&stmt->places[k], &args[stmt->text.order[k]]);
	rc = dbl_mysql_call_begin(&call, base->conn, !base->reads, err);
	if (rc)
		return rc;
	done = execute(stmt);
	dbl_mysql_call_end(&call);
	return done ? note_result(stmt, changed, err) : failed(&call, stmt, err);
}

/* A text that did not fit: fetch it once more, into more room. */
static bool refetch(struct dbl_mysql_stmt *stmt, unsigned i)
{
	struct column *column = &stmt->columns[i];
	char *text = dbl_realloc(column->text, column->len);

	if (!text)
		return false;
	column->text = text;
	column->room = column->len;
	bind_column(&stmt->binds[i], column);
	stmt->bound = false;
	return mysql_stmt_fetch_column(stmt->lib, &stmt->binds[i], i, 0) == 0;
}

static int take_column(struct dbl_mysql_stmt *stmt, unsigned i, struct dbl_value *value,
		       struct dblock_error *err)
{
	struct column *column = &stmt->columns[i];

	*value = (struct dbl_value){.type = DBL_NULL};
	if (column->is_null)
		return 0;
	if (!column->text) {
		*value = (struct dbl_value){.type = DBL_INT, .i = column->integer};
		return column->is_cut ? dbl_fail(err, DBLOCK_E_BUG,
						 "column %u: integer out of range", i + 1)
				      : 0;
	}
	if (column->len > column->room && !refetch(stmt, i))
		return no_memory(err);
	*value = (struct dbl_value){.type = DBL_TEXT, .text = column->text, .len = column->len};
	return 0;
}

static int take_row(struct dbl_mysql_stmt *stmt, struct dbl_value *row, struct dblock_error *err)
{
	int rc = 0;

	if (!stmt->bound && mysql_stmt_bind_result(stmt->lib, stmt->binds))
		return no_memory(err);
	stmt->bound = true;
	rc = mysql_stmt_fetch(stmt->lib);
	if (rc == MYSQL_NO_DATA)
		return 0;
	if (rc != 0 && rc != MYSQL_DATA_TRUNCATED)
		return dbl_fail(err, DBLOCK_E_NOMEM, "fetch: %s", mysql_stmt_error(stmt->lib));
	rc = 0;
	for (unsigned i = 0; rc == 0 && i < stmt->n_columns; i++)
		rc = take_column(stmt, i, &row[i], err);
	return rc ? rc : 1;
}

int dbl_mysql_next(struct dbl_stmt *base, struct dbl_value *row, unsigned n,
		   struct dblock_error *err)
{
	struct dbl_mysql_stmt *stmt = (struct dbl_mysql_stmt *)base;
	enum rows rows = stmt->rows;
	unsigned columns = rows == TOKEN ? 1 : stmt->n_columns;
	int rc = 0;

	if (rows == NONE)
		return 0;
	if (n != columns)
		return dbl_fail(err, DBLOCK_E_BUG, "the statement gives %u columns, not %u",
				columns, n);
	if (rows == TOKEN) {
		row[0] = (struct dbl_value){.type = DBL_INT, .i = stmt->token};
		stmt->rows = NONE;
		return 1;
	}
	rc = take_row(stmt, row, err);
	if (rc <= 0)
		stmt->rows = NONE;
	return rc;
}
