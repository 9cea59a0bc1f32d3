/* SPDX-License-Identifier: MIT */
/* SQLite's result codes, as outcomes. */
#include <errno.h>
#include <string.h>

#include "driver/sqlite/own.h"

/* Not an outcome: E_UNSURE if a write was under way, else E_UNAVAILABLE. */
enum { LOST = 1 };

struct code {
	int native; /* an extended result code, or the primary code for all others of its kind */
	int outcome;
	const char *hint;
};

/* A code that is not here is LOST. */
static const struct code codes[] = {
	{SQLITE_ERROR, DBLOCK_E_BUG, ""},
	{SQLITE_INTERNAL, DBLOCK_E_BUG, ""},
	{SQLITE_PERM, DBLOCK_E_DENIED, ""},
	{SQLITE_ABORT, DBLOCK_E_CONFLICT, ""},
	{SQLITE_BUSY, DBLOCK_E_BLOCKED, "; another connection kept it until the deadline"},
	{SQLITE_BUSY_SNAPSHOT, DBLOCK_E_CONFLICT, "; another connection wrote first"},
	{SQLITE_LOCKED, DBLOCK_E_BLOCKED, ""},
	{SQLITE_NOMEM, DBLOCK_E_NOMEM, ""},
	{SQLITE_READONLY, DBLOCK_E_READONLY, "; make the file and its folder writable"},
	{SQLITE_READONLY_DBMOVED, LOST, "; the file was moved or deleted while it was open"},
	{SQLITE_INTERRUPT, DBLOCK_E_NO_ANSWER, "; the statement was stopped at the deadline"},
	{SQLITE_IOERR_NOMEM, DBLOCK_E_NOMEM, ""},
	{SQLITE_CORRUPT, DBLOCK_E_NOTDB, "; the file is damaged: restore it from a backup"},
	{SQLITE_FULL, DBLOCK_E_FULL, "; make room on its disk"},
	{SQLITE_CANTOPEN, DBLOCK_E_UNAVAILABLE, ""},
	{SQLITE_PROTOCOL, DBLOCK_E_BLOCKED, ""},
	{SQLITE_SCHEMA, DBLOCK_E_CONFLICT, ""},
	{SQLITE_TOOBIG, DBLOCK_E_BUG, ""},
	{SQLITE_CONSTRAINT, DBLOCK_E_BUG, ""},
	{SQLITE_MISMATCH, DBLOCK_E_BUG, ""},
	{SQLITE_MISUSE, DBLOCK_E_BUG, ""},
	{SQLITE_NOLFS, DBLOCK_E_UNAVAILABLE, ""},
	{SQLITE_AUTH, DBLOCK_E_DENIED, ""},
	{SQLITE_RANGE, DBLOCK_E_BUG, ""},
	{SQLITE_NOTADB, DBLOCK_E_NOTDB, "; name another file"},
};

/* SQLITE_ERROR tells of these only in words. */
static const char *const schema_words[] = {"no such table", "no such column", "has no column"};

static const struct code *find(int native)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (codes[i].native == native)
			return &codes[i];
	}
	return NULL;
}

static const struct code *find_or_primary(int rc)
{
	static const struct code unknown = {0, LOST, ""};
	const struct code *code = find(rc);

	if (!code)
		code = find(rc & 0xff);
	return code ? code : &unknown;
}

static bool speaks_of_schema(const char *message)
{
	for (size_t i = 0; i < sizeof(schema_words) / sizeof(schema_words[0]); i++) {
		if (strstr(message, schema_words[i]))
			return true;
	}
	return false;
}

int dbl_lite_outcome(int rc, const char *message, bool writes)
{
	int outcome = find_or_primary(rc)->outcome;

	if (rc == SQLITE_ERROR && speaks_of_schema(message))
		return DBLOCK_E_SCHEMA;
	if (outcome == LOST)
		return writes ? DBLOCK_E_UNSURE : DBLOCK_E_UNAVAILABLE;
	return outcome;
}

/* What errno tells, where SQLite says only "disk I/O error". */
static const struct reason {
	int number;
	int outcome;
	const char *hint;
} reasons[] = {
	{ENOSPC, DBLOCK_E_FULL, "; make room on its disk"},
	{EDQUOT, DBLOCK_E_FULL, "; the disk quota is used up"},
	{EROFS, DBLOCK_E_READONLY, "; its file system has become read-only: see the kernel's log"},
};

/* Was the write certainly no commit? That is so if a frame was not written whole; but a sync that
 * failed may have committed. */
static bool is_certain(int rc)
{
	return rc == SQLITE_IOERR_WRITE;
}

static const struct reason *find_reason(int rc, int number)
{
	for (size_t i = 0; is_certain(rc) && i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].number == number)
			return &reasons[i];
	}
	return NULL;
}

int dbl_lite_system_outcome(int rc, int number)
{
	const struct reason *reason = find_reason(rc, number);

	return reason ? reason->outcome : 0;
}

/* The last errno of the WAL, which is what a commit writes: sqlite3_system_errno() is not set if a
 * commit fails. */
static int errno_of_wal(struct dbl_lite *conn)
{
	sqlite3_file *wal = NULL;
	int number = 0;

	if (conn->db)
		sqlite3_file_control(conn->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &wal);
	if (wal && wal->pMethods)
		wal->pMethods->xFileControl(wal, SQLITE_FCNTL_LAST_ERRNO, &number);
	return number;
}

int dbl_lite_fail(struct dbl_lite *conn, int rc, bool writes, struct dblock_error *err)
{
	const char *message = conn->db ? sqlite3_errmsg(conn->db) : sqlite3_errstr(rc);
	const struct code *code = find_or_primary(rc);
	int number = is_certain(rc) ? errno_of_wal(conn) : 0;
	const struct reason *reason = find_reason(rc, number);

	if (code->outcome == LOST)
		conn->base.broken = true;
	if (reason)
		return dbl_fail_native(err, reason->outcome, rc, NULL, "%s: %s%s", conn->path,
				       strerror(number), reason->hint);
	return dbl_fail_native(err, dbl_lite_outcome(rc, message, writes), rc, NULL, "%s: %s%s",
			       conn->path, message, code->hint);
}
