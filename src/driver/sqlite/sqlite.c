/* SPDX-License-Identifier: MIT */
/*
 * SQLite: the "wire" is the file and its locks.
 *
 * run() carries a statement to its end and keeps the rows: when it returns, a write is committed
 * and a read holds no snapshot, whether or not anybody fetches the rows. An unfinished read would
 * pin the WAL, and would make the connection's next write fail with SQLITE_BUSY_SNAPSHOT.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "driver/sqlite/own.h"

/* Only blanks and comments, which compile to nothing, may follow the statement. */
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

/* Where in the text the last error is. */
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

int dbl_lite_compile(struct dbl_lite *conn, const char *sql, unsigned flags, sqlite3_stmt **out,
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

static void take_quoted(const struct dbl_lite *conn, bool strings)
{
	sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DQS_DML, strings, NULL);
	sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DQS_DDL, strings, NULL);
}

/* Compile a statement that somebody else has written, perhaps for the program sqlite3, or that meets a
 * CHECK or a trigger that somebody has: there "x" is a string if it is no name. *quoted: it is so, until
 * take_quoted(). */
static int compile(struct dbl_lite *conn, const char *sql, sqlite3_stmt **handle, bool *quoted,
		   struct dblock_error *err)
{
	int rc = dbl_lite_compile(conn, sql, 0, handle, err);
	char text[300];

	*quoted = false;
	if (rc == 0 || !conn->base.told || !strstr(sqlite3_errmsg(conn->db), "no such column"))
		return rc;
	snprintf(text, sizeof(text),
		 "%.150s: taken for a string, as the program sqlite3 does; write it in single "
		 "quotes",
		 sqlite3_errmsg(conn->db));
	take_quoted(conn, true);
	*quoted = dbl_lite_compile(conn, sql, 0, handle, NULL) == 0;
	if (!*quoted) {
		take_quoted(conn, false);
		return rc;
	}
	conn->base.told(conn->base.told_ctx, false, text);
	return 0;
}

static int lite_exec(struct dbl_conn *base, const char *sql, struct dblock_error *err)
{
	struct dbl_lite *conn = (struct dbl_lite *)base;
	bool writes, quoted;
	int64_t before = sqlite3_total_changes64(conn->db);
	sqlite3_stmt *handle;
	int rc = dbl_lite_check_before(conn, err);

	if (base->tick)
		dbl_lite_ticked(conn);
	if (rc == 0)
		rc = compile(conn, sql, &handle, &quoted, err);
	if (rc)
		return rc;
	/* To SQLite a COMMIT is read-only; what it commits is not. */
	writes = !sqlite3_stmt_readonly(handle) ||
		 sqlite3_txn_state(conn->db, NULL) == SQLITE_TXN_WRITE;
	dbl_lite_enter_call(conn);
	do {
		rc = dbl_lite_step(conn, handle);
	} while (rc == SQLITE_ROW);
	dbl_lite_leave_call(conn);
	rc = rc == SQLITE_DONE ? 0 : dbl_lite_fail(conn, rc, writes, err);
	sqlite3_finalize(handle);
	base->changed = dbl_lite_changed(conn, before);
	if (quoted)
		take_quoted(conn, false);
	base->in_tx = !sqlite3_get_autocommit(conn->db);
	return dbl_lite_check_after(conn, rc, err);
}

static void *lite_handle(struct dbl_conn *base)
{
	return ((struct dbl_lite *)base)->db;
}

static void close_file(struct dbl_lite *conn)
{
	/* The last one to close writes the WAL back to the file; it waits for nobody. */
	if (conn->db)
		sqlite3_busy_handler(conn->db, NULL, NULL);
	dbl_lite_part(conn);
	sqlite3_close(conn->db);
	dbl_lite_leave();
}

static void lite_close(struct dbl_conn *base)
{
	struct dbl_lite *conn = (struct dbl_lite *)base;

	dbl_lite_free_stmts(conn);
	if (!conn->adopted)
		close_file(conn);
	dbl_free(conn->shm_path);
	dbl_free(conn->path);
	dbl_free(conn);
}

const struct dbl_driver dbl_sqlite = {
	.name = "sqlite",
	.open = dbl_lite_open,
	.adopt = dbl_lite_adopt,
	.handle = lite_handle,
	.close = lite_close,
	.state = dbl_lite_state,
	.exec = lite_exec,
	.prepare = dbl_lite_prepare,
	.forget = dbl_lite_forget,
	.run = dbl_lite_run,
	.next = dbl_lite_next,
};
