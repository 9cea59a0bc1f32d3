/* SPDX-License-Identifier: MIT */
/* What the files of the SQLite driver share. */
#ifndef DBL_DRIVER_SQLITE_OWN_H
#define DBL_DRIVER_SQLITE_OWN_H

#include <sqlite3.h>
#include <sys/types.h>

#include "base/host.h"
#include "base/str.h"
#include "driver/driver.h"

struct lite_stmt;

struct dbl_lite {
	struct dbl_conn base;
	sqlite3 *db;
	bool adopted;      /* db is the caller's */
	bool looks;        /* no file is made, nor switched to WAL */
	bool without_wal;  /* so there is neither a log nor an index */
	int their_timeout; /* adopted, during a call: the caller's busy timeout in ms */
	char *path;
	/* The files that the paths led to when it was opened: the database, the log, and the index
	 * that SQLite keeps beside it. */
	struct dbl_lite_file {
		dev_t device;
		ino_t inode;
	} file, wal, shm;
	char *shm_path;    /* NULL: there is neither a log nor an index */
	int64_t looked_at; /* when all three were last looked at */
	nlink_t names;     /* how many names the file had then */
	int64_t tick_at;   /* when the user's tick is due */
	struct lite_stmt *stmts;
	char clock[sizeof(((struct dbl_host *)0)->clock)];
};

/* open.c */

/* The connection is not open yet. NULL: there is no memory. */
struct dbl_lite *dbl_lite_new(const char *path, const struct dbl_env *, struct dblock_error *err);

/* Count the second until the next tick from now on. */
void dbl_lite_ticked(struct dbl_lite *);

/* DBLOCK_E_INVALID: the SQLite library in this process is too old. */
int dbl_lite_check_version(struct dblock_error *err);

int dbl_lite_open(struct dbl_conn **, const struct dbl_url *, const struct dbl_env *,
		  int64_t deadline, struct dblock_error *err);

/* sqlite.c: compile exactly one statement. */
int dbl_lite_compile(struct dbl_lite *, const char *sql, unsigned flags, sqlite3_stmt **,
		     struct dblock_error *err);

/* stmt.c: the slots. */
int dbl_lite_prepare(struct dbl_conn *, const char *sql, struct dbl_stmt **,
		     struct dblock_error *err);
int dbl_lite_run(struct dbl_stmt *, const struct dbl_value *args, unsigned n, int64_t *changed,
		 struct dblock_error *err);
int dbl_lite_next(struct dbl_stmt *, struct dbl_value *row, unsigned n, struct dblock_error *err);
void dbl_lite_forget(struct dbl_stmt *);
void dbl_lite_free_stmts(struct dbl_lite *);

/* How many rows a statement has changed. before: the connection's total at its beginning; changes()
 * keeps its old value if a statement changes no rows at all. */
static inline int64_t dbl_lite_changed(const struct dbl_lite *conn, int64_t before)
{
	return sqlite3_total_changes64(conn->db) == before ? 0 : sqlite3_changes64(conn->db);
}

/* adopt.c: the slots. */
int dbl_lite_adopt(struct dbl_conn **, void *handle, const struct dbl_env *, struct dblock_error *);
enum dbl_tx_state dbl_lite_state(struct dbl_conn *);

/* For an adopted connection. Until leave() its own waiting for the file is off: step() waits
 * instead, until the deadline. */
void dbl_lite_enter_adopted(struct dbl_lite *);
int dbl_lite_step_adopted(struct dbl_lite *, sqlite3_stmt *);
void dbl_lite_leave_adopted(struct dbl_lite *);

static inline void dbl_lite_enter_call(struct dbl_lite *conn)
{
	if (conn->adopted)
		dbl_lite_enter_adopted(conn);
}

/* sqlite3_step(), with an extended result code. While another connection has the file, it waits
 * until the deadline: in the busy handler, unless it was adopted. */
static inline int dbl_lite_step(struct dbl_lite *conn, sqlite3_stmt *stmt)
{
	return conn->adopted ? dbl_lite_step_adopted(conn, stmt) : sqlite3_step(stmt);
}

static inline void dbl_lite_leave_call(struct dbl_lite *conn)
{
	if (conn->adopted)
		dbl_lite_leave_adopted(conn);
}

/* Pause before the next try to get the file; false: the deadline has come. */
bool dbl_lite_pause(struct dbl_lite *, int tries);

/* fork.c */

/* To be called before each sqlite3_open(); leave() is due after the close. DBLOCK_E_FORKED: this
 * process is the child of one that had a file open. */
int dbl_lite_enter(const char *path, struct dblock_error *err);
void dbl_lite_leave(void);

/* file.c */

/* Is it a file at all? To be called before it is opened, since opening a pipe would block. */
int dbl_lite_check_kind(const struct dbl_lite *, struct dblock_error *err);

/* May a database be on that file system? If the file is not there, its folder decides. */
int dbl_lite_check_place(const struct dbl_lite *, struct dblock_error *err);

/* Why the file cannot be used, in better words than SQLite's "unable to open database file"; 0 if
 * the file system gives no reason. */
int dbl_lite_explain(const struct dbl_lite *, struct dblock_error *err);

/* path.c: each file has one path. */

/* DBLOCK_E_INVALID if the file has several names (hard links), or is mounted by itself: then each
 * name has a log, and so locks, of its own. */
int dbl_lite_check_alone(const char *path, struct dblock_error *err);

/* After the open: note which files those are. */
int dbl_lite_remember(struct dbl_lite *, struct dblock_error *err);

/* To be called before a statement outside a transaction. DBLOCK_E_UNAVAILABLE: as for
 * dbl_lite_check_after(), or the file has got another name; as soon as that is gone, the connection
 * can be used. */
int dbl_lite_look(struct dbl_lite *, struct dblock_error *err);

/* Each statement checks whether the file is still the same. The other files, which would cost as
 * much again each, are checked only this often; a newcomer needs longer than that to open them. */
enum { DBL_LITE_LOOK_EVERY_US = 1000 };

static inline bool dbl_lite_is_due(const struct dbl_lite *conn)
{
	return dbl_now(conn->base.env) - conn->looked_at >= DBL_LITE_LOOK_EVERY_US;
}

/* To be called before each statement. */
static inline int dbl_lite_check_before(struct dbl_lite *conn, struct dblock_error *err)
{
	if (conn->adopted || conn->base.in_tx || (conn->names == 1 && !dbl_lite_is_due(conn)))
		return 0;
	return dbl_lite_look(conn, err);
}

/* To be called after each statement; in a transaction, its end checks. Returns rc if the paths
 * still lead to the files that were opened. Else there are two files of that name, with two sets of
 * locks, and the statement has changed one that nobody uses any more: so it counts as not sent
 * (DBLOCK_E_UNAVAILABLE), and the connection as broken; the next one opens the files that are there
 * now. */
int dbl_lite_check_after(struct dbl_lite *, int rc, struct dblock_error *err);

/* To be called before the close: if other processes use another log by now, ours must not be
 * written to the file behind their back, and theirs not be deleted. */
void dbl_lite_part(struct dbl_lite *);

/* code.c: the outcome of the database's last error, whose result code is rc. */
int dbl_lite_fail(struct dbl_lite *, int rc, bool writes, struct dblock_error *err);

/* The outcome of an extended result code alone. */
int dbl_lite_outcome(int rc, const char *message, bool writes);

/* The outcome if errno tells more than the result code; 0: it does not. */
int dbl_lite_system_outcome(int rc, int number);

#endif
