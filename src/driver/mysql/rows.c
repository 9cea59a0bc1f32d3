/* SPDX-License-Identifier: MIT */
/* The rows of a prepared statement. */
#include "base/mem.h"
#include "driver/mysql/stmt.h"

/* Most texts fit; for a longer one the buffer grows. */
enum { FIRST_ROOM = 128 };

static int no_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

void dbl_mysql_free_columns(struct dbl_mysql_stmt *stmt)
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

bool dbl_mysql_is_integer(enum enum_field_types type)
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

/* Tell the library where to put the column. */
static void bind_column(MYSQL_BIND *bind, struct dbl_mysql_column *column)
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

static bool make_column(MYSQL_BIND *bind, struct dbl_mysql_column *column, const MYSQL_FIELD *field)
{
	if (!dbl_mysql_is_integer(field->type)) {
		column->room = FIRST_ROOM;
		column->text = dbl_alloc(column->room);
		if (!column->text)
			return false;
	}
	bind_column(bind, column);
	return true;
}

bool dbl_mysql_make_columns(struct dbl_mysql_stmt *stmt, unsigned n)
{
	MYSQL_RES *meta = mysql_stmt_result_metadata(stmt->lib);
	bool done = meta != NULL;

	dbl_mysql_free_columns(stmt);
	stmt->columns = dbl_alloc(n * sizeof(*stmt->columns));
	stmt->binds = dbl_alloc(n * sizeof(*stmt->binds));
	done = done && stmt->columns && stmt->binds;
	stmt->n_columns = done ? n : 0;
	for (unsigned i = 0; done && i < n; i++)
		done = make_column(&stmt->binds[i], &stmt->columns[i],
				   mysql_fetch_field_direct(meta, i));
	/* The next run would take half of the columns for all of them. */
	if (!done)
		dbl_mysql_free_columns(stmt);
	if (meta)
		mysql_free_result(meta);
	return done;
}

/* Fetch a text that did not fit once more, into a larger buffer. */
static bool refetch(struct dbl_mysql_stmt *stmt, unsigned i)
{
	struct dbl_mysql_column *column = &stmt->columns[i];
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
	struct dbl_mysql_column *column = &stmt->columns[i];

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
	enum dbl_mysql_rows rows = stmt->rows;
	unsigned columns = rows == DBL_MYSQL_TOKEN  ? 1
			   : rows == DBL_MYSQL_TEXT ? stmt->base.columns
						    : stmt->n_columns;
	int rc = 0;

	if (rows == DBL_MYSQL_NONE)
		return 0;
	if (n != columns)
		return dbl_fail(err, DBLOCK_E_BUG, "the statement gives %u columns, not %u",
				columns, n);
	if (rows == DBL_MYSQL_TOKEN) {
		row[0] = (struct dbl_value){.type = DBL_INT, .i = stmt->token};
		stmt->rows = DBL_MYSQL_NONE;
		return 1;
	}
	rc = rows == DBL_MYSQL_TEXT ? dbl_mysql_next_plain(stmt, row) : take_row(stmt, row, err);
	if (rc <= 0)
		stmt->rows = DBL_MYSQL_NONE;
	return rc;
}
