/* SPDX-License-Identifier: MIT */
/*
 * SQLite: the "wire" is the file and its locks.
 *
 * run() carries a statement to its end and keeps the rows: when it returns, a write is committed
 * and a read holds no snapshot, whether or not anybody fetches the rows. An unfinished read would
 * pin the WAL, and would make the connection's next write fail with SQLITE_BUSY_SNAPSHOT.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "driver/sqlite_own.h"
#include "driver/value.h"

struct lite_stmt {
	struct dbl_stmt base;
	struct lite_stmt *next;
	sqlite3_stmt *handle;
	unsigned columns;
	/* The rows: all values in a line; a text's `i` says where in `bytes` it begins. */
	struct dbl_value *values;
	size_t n_values, room, at;
	struct dbl_str bytes;
};

static int no_memory(struct dblock_error *err)
{
	return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
}

/* Behind the statement there may be blanks and comments, which compile to nothing. */
static int check_end(struct dbl_lite *conn, const char *sql, const char *tail,
		     struct dblock_error *err)
{
	sqlite3_stmt *second = NULL;
	int rc = sqlite3_prepare_v3(conn->db, tail, -1, 0, &second, NULL);

	if (rc == SQLITE_OK && !second)
		return 0;
	sqlite3_finalize(second);
	if (rc != SQLITE_OK && rc != SQLITE_ERROR)
		return dbl_lite_fail(conn, rc, false, err);
	return dbl_fail(err, DBLOCK_E_BUG, "%s: more than one statement in '%.80s'", conn->path,
			sql);
}

/* Where in the text its last error is. */
static unsigned error_at(struct dbl_lite *conn, const char *sql)
{
#if SQLITE_VERSION_NUMBER >= 3038000
	int offset = sqlite3_error_offset(conn->db);
#else
	int offset = -1;
#endif
	unsigned at = 1;

	for (int i = 0; i < offset && sql[i]; i++)
		at += (sql[i] & 0xC0) != 0x80;
	return offset < 0 ? 0 : at;
}

/* Compile exactly one statement. */
static int compile(struct dbl_lite *conn, const char *sql, unsigned flags, sqlite3_stmt **out,
		   struct dblock_error *err)
{
	const char *tail;
	int rc = sqlite3_prepare_v3(conn->db, sql, -1, flags, out, &tail);

	conn->base.error_at = rc == SQLITE_OK ? 0 : error_at(conn, sql);
	if (rc != SQLITE_OK)
		return dbl_lite_fail(conn, rc, false, err);
	if (!*out)
		return dbl_fail(err, DBLOCK_E_BUG, "%s: no statement in '%.80s'", conn->path, sql);
	rc = check_end(conn, sql, tail, err);
	if (rc) {
		sqlite3_finalize(*out);
		*out = NULL;
	}
	return rc;
}

static int lite_exec(struct dbl_conn *base, const char *sql, struct dblock_error *err)
{
	struct dbl_lite *conn = (struct dbl_lite *)base;
	bool writes;
	sqlite3_stmt *handle;
	int rc = compile(conn, sql, 0, &handle, err);

	if (rc)
		return rc;
	/* A COMMIT is read-only for SQLite; what it commits is not. */
	writes = !sqlite3_stmt_readonly(handle) ||
		 sqlite3_txn_state(conn->db, NULL) == SQLITE_TXN_WRITE;
	do {
		rc = sqlite3_step(handle);
	} while (rc == SQLITE_ROW);
	rc = rc == SQLITE_DONE ? 0 : dbl_lite_fail(conn, rc, writes, err);
	sqlite3_finalize(handle);
	base->in_tx = !sqlite3_get_autocommit(conn->db);
	return dbl_lite_check_moved(conn, rc, err);
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
	dbl_free(stmt);
}

/* With room for a row: what a write gives back is not lost for want of memory once it is done. */
static int make_stmt(struct dbl_lite *conn, struct lite_stmt *stmt, const char *sql,
		     struct dblock_error *err)
{
	int rc = stmt ? compile(conn, sql, SQLITE_PREPARE_PERSISTENT, &stmt->handle, err)
		      : no_memory(err);

	if (rc)
		return rc;
	stmt->columns = (unsigned)sqlite3_column_count(stmt->handle);
	return reserve_row(stmt) ? 0 : no_memory(err);
}

static int lite_prepare(struct dbl_conn *base, const char *sql, struct dbl_stmt **out,
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

/* The value of a placeholder, which is known by its name: positions would swap silently. SQLite has
 * no server that has a clock, so $wall, $boot and $clock are the reader's own. */
static bool value_of(const struct dbl_lite *conn, const char *name, const struct dbl_value *args,
		     unsigned n, struct dbl_value *value)
{
	char *end;
	unsigned long number;

	if (!name || name[0] != '$')
		return false;
	number = strtoul(name + 1, &end, 10);
	if (name[1] >= '1' && name[1] <= '9' && !*end && number <= n)
		*value = args[number - 1];
	else if (strcmp(name, "$wall") == 0)
		*value = dbl_int(dbl_wall(conn->base.env));
	else if (strcmp(name, "$boot") == 0)
		*value = dbl_int(dbl_now(conn->base.env));
	else if (strcmp(name, "$clock") == 0)
		*value = dbl_text(conn->clock);
	else
		return false;
	return true;
}

static int bind_value(sqlite3_stmt *handle, int at, struct dbl_value value)
{
	if (value.type == DBL_INT)
		return sqlite3_bind_int64(handle, at, value.i);
	if (value.type == DBL_TEXT)
		return sqlite3_bind_text64(handle, at, value.len ? value.text : "", value.len,
					   SQLITE_TRANSIENT, SQLITE_UTF8);
	return sqlite3_bind_null(handle, at);
}

static int bind_all(struct lite_stmt *stmt, const struct dbl_value *args, unsigned n,
		    struct dblock_error *err)
{
	struct dbl_lite *conn = (struct dbl_lite *)stmt->base.conn;
	int count = sqlite3_bind_parameter_count(stmt->handle);

	for (int at = 1; at <= count; at++) {
		const char *name = sqlite3_bind_parameter_name(stmt->handle, at);
		struct dbl_value value;
		int rc;

		if (!value_of(conn, name, args, n, &value))
			return dbl_fail(err, DBLOCK_E_BUG,
					"%s: no value for the placeholder %s of '%.80s'",
					conn->path, name ? name : "?", sqlite3_sql(stmt->handle));
		rc = bind_value(stmt->handle, at, value);
		if (rc != SQLITE_OK)
			return dbl_lite_fail(conn, rc, false, err);
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

/* To the end, also if the rows do not fit: a write must not be left half way. */
static int step_all(struct lite_stmt *stmt, struct dblock_error *err)
{
	struct dbl_lite *conn = (struct dbl_lite *)stmt->base.conn;
	bool writes = !stmt->base.reads && !sqlite3_stmt_readonly(stmt->handle);
	bool kept = true;
	int rc;

	while ((rc = sqlite3_step(stmt->handle)) == SQLITE_ROW) {
		stmt->columns = (unsigned)sqlite3_data_count(stmt->handle);
		kept = kept && keep_row(stmt);
	}
	stmt->columns = (unsigned)sqlite3_column_count(stmt->handle);
	if (rc != SQLITE_DONE)
		return dbl_lite_fail(conn, rc, writes, err);
	if (kept)
		return 0;
	return writes ? dbl_fail(err, DBLOCK_E_UNSURE, "out of memory after the statement was run")
		      : no_memory(err);
}

static int lite_run(struct dbl_stmt *base, const struct dbl_value *args, unsigned n,
		    int64_t *changed, struct dblock_error *err)
{
	struct lite_stmt *stmt = (struct lite_stmt *)base;
	struct dbl_lite *conn = (struct dbl_lite *)base->conn;
	sqlite3 *db = conn->db;
	int64_t before = sqlite3_total_changes64(db);
	int rc;

	*changed = 0;
	forget_rows(stmt);
	rc = bind_all(stmt, args, n, err);
	if (rc == 0)
		rc = step_all(stmt, err);
	sqlite3_reset(stmt->handle);
	base->conn->in_tx = !sqlite3_get_autocommit(db);
	rc = dbl_lite_check_moved(conn, rc, err);
	if (rc) {
		forget_rows(stmt);
		return rc;
	}
	/* changes() keeps its old value over a statement that changes no rows at all. */
	if (sqlite3_total_changes64(db) != before)
		*changed = sqlite3_changes64(db);
	return 0;
}

static int lite_next(struct dbl_stmt *base, struct dbl_value *row, unsigned n,
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

static void lite_close(struct dbl_conn *base)
{
	struct dbl_lite *conn = (struct dbl_lite *)base;
	struct lite_stmt *next;

	for (struct lite_stmt *stmt = conn->stmts; stmt; stmt = next) {
		next = stmt->next;
		free_stmt(stmt);
	}
	/* The last one to close puts the WAL back into the file; it waits for nobody. */
	if (conn->db)
		sqlite3_busy_handler(conn->db, NULL, NULL);
	sqlite3_close(conn->db);
	dbl_lite_leave();
	dbl_free(conn->path);
	dbl_free(conn);
}

const struct dbl_driver dbl_sqlite = {
	.name = "sqlite",
	.open = dbl_lite_open,
	.close = lite_close,
	.exec = lite_exec,
	.prepare = lite_prepare,
	.run = lite_run,
	.next = lite_next,
};
