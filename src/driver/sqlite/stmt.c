/* SPDX-License-Identifier: MIT */
/* Statements of SQLite, and their rows. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "driver/sqlite/own.h"
#include "driver/value.h"

/* SQLite has no server with a clock, so $wall, $boot and $clock are this process's. */
enum { PLACE_WALL = -1, PLACE_BOOT = -2, PLACE_CLOCK = -3 };

struct lite_stmt {
	struct dbl_stmt base;
	struct lite_stmt *next;
	sqlite3_stmt *handle;
	unsigned columns;
	bool gives_wall;
	int64_t wall; /* in the last run */
	int *places;  /* for each placeholder: its argument's number, from 1, or a PLACE_* */
	int n_places;
	/* The rows: one array of all values; a text's `i` says where in `bytes` it begins. */
	struct dbl_value *values;
	size_t n_values, room, at;
	struct dbl_str bytes;
};

static int no_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

static bool reserve_row(struct lite_stmt *stmt)
{
	size_t need = stmt->n_values + stmt->columns;
	size_t room = stmt->room ? stmt->room : 16;
	struct dbl_value *values;

	if (need <= stmt->room)
		return true;
	while (room < need)
		room *= 2;
	values = dbl_realloc(stmt->values, room * sizeof(*values));
	if (!values)
		return false;
	stmt->values = values;
	stmt->room = room;
	return true;
}

static void free_stmt(struct lite_stmt *stmt)
{
	if (!stmt)
		return;
	sqlite3_finalize(stmt->handle);
	dbl_str_free(&stmt->bytes);
	dbl_free(stmt->values);
	dbl_free(stmt->places);
	dbl_free(stmt);
}

/* What a placeholder stands for, by its name: by their positions, arguments could be swapped
 * silently. 0: nothing. */
static int place_of(const char *name)
{
	char *end;
	unsigned long number;

	if (!name || name[0] != '$')
		return 0;
	if (strcmp(name, "$wall") == 0)
		return PLACE_WALL;
	if (strcmp(name, "$boot") == 0)
		return PLACE_BOOT;
	if (strcmp(name, "$clock") == 0)
		return PLACE_CLOCK;
	number = strtoul(name + 1, &end, 10);
	return name[1] >= '1' && name[1] <= '9' && !*end && number < INT_MAX ? (int)number : 0;
}

static bool read_places(struct lite_stmt *stmt)
{
	stmt->n_places = sqlite3_bind_parameter_count(stmt->handle);
	stmt->places = dbl_alloc((size_t)stmt->n_places * sizeof(*stmt->places));
	for (int i = 0; stmt->places && i < stmt->n_places; i++)
		stmt->places[i] = place_of(sqlite3_bind_parameter_name(stmt->handle, i + 1));
	return stmt->places != NULL;
}

/* Make the statement, with space for one row: so a write that is done does not lose its row for
 * want of memory. */
static int make_stmt(struct dbl_lite *conn, struct lite_stmt *stmt, const char *sql,
		     struct dblock_error *err)
{
	int rc = stmt ? dbl_lite_compile(conn, sql, SQLITE_PREPARE_PERSISTENT, &stmt->handle, err)
		      : no_memory(err);

	if (rc)
		return rc;
	stmt->columns = (unsigned)sqlite3_column_count(stmt->handle);
	stmt->gives_wall = stmt->columns == 0 && strstr(sql, "\n-- gives $wall");
	if (stmt->gives_wall)
		stmt->columns = 1;
	return read_places(stmt) && reserve_row(stmt) ? 0 : no_memory(err);
}

int dbl_lite_prepare(struct dbl_conn *base, const char *sql, struct dbl_stmt **out,
		     struct dblock_error *err)
{
	struct dbl_lite *conn = (struct dbl_lite *)base;
	struct lite_stmt *stmt = dbl_alloc(sizeof(*stmt));
	int rc = make_stmt(conn, stmt, sql, err);

	*out = NULL;
	if (rc) {
		free_stmt(stmt);
		return rc;
	}
	stmt->base.conn = base;
	stmt->next = conn->stmts;
	conn->stmts = stmt;
	*out = &stmt->base;
	return 0;
}

static bool value_of(const struct dbl_lite *conn, int place, const struct dbl_value *args,
		     unsigned n, struct dbl_value *value)
{
	if (place > 0 && (unsigned)place <= n)
		*value = args[place - 1];
	else if (place == PLACE_WALL)
		*value = dbl_int(dbl_wall(conn->base.env));
	else if (place == PLACE_BOOT)
		*value = dbl_int(dbl_now(conn->base.env));
	else if (place == PLACE_CLOCK)
		*value = dbl_text(conn->clock);
	else
		return false;
	return true;
}

/* The texts live longer than the run, and the next run binds all of them again. */
static int bind_value(sqlite3_stmt *handle, int at, struct dbl_value value)
{
	if (value.type == DBL_INT)
		return sqlite3_bind_int64(handle, at, value.i);
	if (value.type == DBL_TEXT)
		return sqlite3_bind_text64(handle, at, value.len ? value.text : "", value.len,
					   SQLITE_STATIC, SQLITE_UTF8);
	return sqlite3_bind_null(handle, at);
}

static int bind_all(struct lite_stmt *stmt, const struct dbl_value *args, unsigned n,
		    struct dblock_error *err)
{
	struct dbl_lite *conn = (struct dbl_lite *)stmt->base.conn;

	for (int at = 1; at <= stmt->n_places; at++) {
		struct dbl_value value;
		int rc;

		if (!value_of(conn, stmt->places[at - 1], args, n, &value)) {
			const char *name = sqlite3_bind_parameter_name(stmt->handle, at);

			return dbl_fail(err, DBLOCK_E_BUG,
					"%s: no value for the placeholder %s of '%.80s'",
					conn->path, name ? name : "?", sqlite3_sql(stmt->handle));
		}
		rc = bind_value(stmt->handle, at, value);
		if (rc != SQLITE_OK)
			return dbl_lite_fail(conn, rc, false, err);
		if (stmt->places[at - 1] == PLACE_WALL)
			stmt->wall = value.i;
	}
	return 0;
}

static struct dbl_value keep_value(struct lite_stmt *stmt, int column)
{
	int type = sqlite3_column_type(stmt->handle, column);
	struct dbl_value value = dbl_null();

	if (type == SQLITE_INTEGER)
		return dbl_int(sqlite3_column_int64(stmt->handle, column));
	if (type == SQLITE_NULL)
		return value;
	value.type = DBL_TEXT;
	value.i = (int64_t)stmt->bytes.len;
	value.text = (const char *)sqlite3_column_text(stmt->handle, column);
	value.len = (size_t)sqlite3_column_bytes(stmt->handle, column);
	if (value.text)
		dbl_str_addn(&stmt->bytes, value.text, value.len);
	else
		stmt->bytes.failed = true;
	return value;
}

static bool keep_row(struct lite_stmt *stmt)
{
	if (!reserve_row(stmt))
		return false;
	for (unsigned i = 0; i < stmt->columns; i++)
		stmt->values[stmt->n_values++] = keep_value(stmt, (int)i);
	return !stmt->bytes.failed;
}

static void forget_rows(struct lite_stmt *stmt)
{
	stmt->n_values = 0;
	stmt->at = 0;
	stmt->bytes.len = 0;
	stmt->bytes.failed = false;
}

/* Step to the end, also if the rows do not fit: a write must not be left unfinished. */
static int step_all(struct lite_stmt *stmt, struct dblock_error *err)
{
	struct dbl_lite *conn = (struct dbl_lite *)stmt->base.conn;
	bool writes = !stmt->base.reads && !sqlite3_stmt_readonly(stmt->handle);
	bool kept = true;
	int rc;

	dbl_lite_enter_call(conn);
	while ((rc = dbl_lite_step(conn, stmt->handle)) == SQLITE_ROW) {
		stmt->columns = (unsigned)sqlite3_data_count(stmt->handle);
		kept = kept && keep_row(stmt);
	}
	dbl_lite_leave_call(conn);
	if (!stmt->gives_wall)
		stmt->columns = (unsigned)sqlite3_column_count(stmt->handle);
	stmt->base.columns = stmt->columns;
	if (rc != SQLITE_DONE)
		return dbl_lite_fail(conn, rc, writes, err);
	if (kept)
		return 0;
	return writes ? dbl_fail(err, DBLOCK_E_UNSURE, "out of memory after the statement was run")
		      : no_memory(err);
}

int dbl_lite_run(struct dbl_stmt *base, const struct dbl_value *args, unsigned n, int64_t *changed,
		 struct dblock_error *err)
{
	struct lite_stmt *stmt = (struct lite_stmt *)base;
	struct dbl_lite *conn = (struct dbl_lite *)base->conn;
	sqlite3 *db = conn->db;
	int64_t before = sqlite3_total_changes64(db);
	int rc;

	*changed = 0;
	forget_rows(stmt);
	rc = dbl_lite_check_before(conn, err);
	if (rc)
		return rc;
	rc = bind_all(stmt, args, n, err);
	if (rc == 0)
		rc = step_all(stmt, err);
	sqlite3_reset(stmt->handle);
	base->conn->in_tx = !sqlite3_get_autocommit(db);
	base->conn->has_file = sqlite3_txn_state(db, NULL) == SQLITE_TXN_WRITE;
	rc = dbl_lite_check_after(conn, rc, err);
	if (rc) {
		forget_rows(stmt);
		return rc;
	}
	*changed = dbl_lite_changed(conn, before);
	if (stmt->gives_wall && *changed > 0)
		stmt->values[stmt->n_values++] = dbl_int(stmt->wall);
	return 0;
}

int dbl_lite_next(struct dbl_stmt *base, struct dbl_value *row, unsigned n,
		  struct dblock_error *err)
{
	struct lite_stmt *stmt = (struct lite_stmt *)base;

	if (n != stmt->columns)
		return dbl_fail(err, DBLOCK_E_BUG, "%u columns where %u were expected: '%.80s'",
				stmt->columns, n, sqlite3_sql(stmt->handle));
	if (stmt->at == stmt->n_values)
		return 0;
	for (unsigned i = 0; i < n; i++) {
		row[i] = stmt->values[stmt->at++];
		if (row[i].type == DBL_TEXT)
			row[i].text = stmt->bytes.text + row[i].i;
	}
	return 1;
}

void dbl_lite_forget(struct dbl_stmt *base)
{
	struct lite_stmt *stmt = (struct lite_stmt *)base;
	struct lite_stmt **at = &((struct dbl_lite *)base->conn)->stmts;

	while (*at != stmt)
		at = &(*at)->next;
	*at = stmt->next;
	free_stmt(stmt);
}

void dbl_lite_free_stmts(struct dbl_lite *conn)
{
	while (conn->stmts) {
		struct lite_stmt *next = conn->stmts->next;

		free_stmt(conn->stmts);
		conn->stmts = next;
	}
}
