/* SPDX-License-Identifier: MIT */
/* Use a sqlite3 that is the caller's: nothing of it may be changed for longer than a call. */
#include "driver/sqlite/own.h"

/* "": the database is not in a file. */
static const char *file_of(sqlite3 *db)
{
	const char *file = sqlite3_db_filename(db, "main");

	return file ? file : "";
}

int dbl_lite_adopt(struct dbl_conn **out, void *handle, const struct dbl_env *env,
		   struct dblock_error *err)
{
	int rc = dbl_lite_check_version(err);
	const char *file = rc == 0 ? file_of(handle) : "";
	struct dbl_lite *conn;

	*out = NULL;
	if (rc == 0)
		rc = dbl_lite_check_alone(file, err);
	if (rc)
		return rc;
	conn = dbl_lite_new(*file ? file : "the caller's connection", env, err);
	if (!conn)
		return DBLOCK_E_NOMEM;
	conn->db = handle;
	conn->adopted = true;
	*out = &conn->base;
	return 0;
}

enum dbl_tx_state dbl_lite_state(struct dbl_conn *base)
{
	if (base->broken)
		return DBL_TX_LOST;
	return sqlite3_get_autocommit(((struct dbl_lite *)base)->db) ? DBL_TX_NONE : DBL_TX_OPEN;
}

/* The caller's busy timeout; also 0 if there is a busy handler, which cannot be read, and stays. */
static int busy_timeout(sqlite3 *db)
{
	sqlite3_stmt *stmt;
	int timeout = 0;

	if (sqlite3_prepare_v2(db, "PRAGMA busy_timeout", -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		timeout = sqlite3_column_int(stmt, 0);
	sqlite3_finalize(stmt);
	return timeout;
}

void dbl_lite_enter_adopted(struct dbl_lite *conn)
{
	conn->their_timeout = busy_timeout(conn->db);
	if (conn->their_timeout > 0)
		sqlite3_busy_timeout(conn->db, 0);
}

void dbl_lite_leave_adopted(struct dbl_lite *conn)
{
	if (conn->their_timeout > 0)
		sqlite3_busy_timeout(conn->db, conn->their_timeout);
}

int dbl_lite_step_adopted(struct dbl_lite *conn, sqlite3_stmt *stmt)
{
	int rc = sqlite3_step(stmt);

	for (int tries = 0; rc != SQLITE_ROW && rc != SQLITE_DONE; tries++) {
		rc = sqlite3_extended_errcode(conn->db);
		/* A read of an old snapshot can never become a write, however long it waits. */
		if ((rc & 0xff) != SQLITE_BUSY || rc == SQLITE_BUSY_SNAPSHOT ||
		    !dbl_lite_pause(conn, tries))
			return rc;
		sqlite3_reset(stmt);
		rc = sqlite3_step(stmt);
	}
	return rc;
}
