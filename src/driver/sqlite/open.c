/* SPDX-License-Identifier: MIT */
/* Opening a SQLite file, or telling clearly why that cannot be done. */
#include <string.h>

#include "base/mem.h"
#include "base/version.h"
#include "driver/sqlite/own.h"

/* SQLite's virtual machine makes so many steps between two looks at the clock: some 100 us. */
enum { STEPS_PER_LOOK = 10000 };

#define TICK_US 1000000

/* A commit takes some 10 us, or a sync of the disk: the first pauses are short, and each is twice
 * as long as the one before, but not so long that a newcomer would always get the file first. Later
 * pauses are long, as somebody then has the file for long. */
enum { PAUSE_FIRST_US = 50, DOUBLINGS = 5, MANY_TRIES = 100, PAUSE_LAST_US = 8000 };

static int64_t pause_us(int tries)
{
	if (tries >= MANY_TRIES)
		return PAUSE_LAST_US;
	return (int64_t)PAUSE_FIRST_US << (tries < DOUBLINGS ? tries : DOUBLINGS);
}

bool dbl_lite_pause(struct dbl_lite *conn, int tries)
{
	const struct dbl_env *env = conn->base.env;
	int64_t until = dbl_now(env);

	if (until >= conn->base.deadline)
		return false;
	until += dbl_jitter(env, pause_us(tries));
	dbl_sleep_until(env, until < conn->base.deadline ? until : conn->base.deadline);
	return true;
}

void dbl_lite_ticked(struct dbl_lite *conn)
{
	conn->tick_at = dbl_add(dbl_now(conn->base.env), TICK_US);
}

static void tick(struct dbl_lite *conn, int64_t now)
{
	if (!conn->base.tick || now < conn->tick_at)
		return;
	conn->base.tick(conn->base.tick_ctx);
	dbl_lite_ticked(conn);
}

/* Called while another connection has the file. SQLite's own busy_timeout sleeps in steps that are
 * the same for everybody and grow to 100 ms, which starves writers for seconds. */
static int on_busy(void *ctx, int count)
{
	struct dbl_lite *conn = ctx;

	tick(conn, dbl_now(conn->base.env));
	return dbl_lite_pause(conn, count);
}

/* Called now and then while a statement runs: not 0 stops it. */
static int on_progress(void *ctx)
{
	struct dbl_lite *conn = ctx;
	int64_t now = dbl_now(conn->base.env);

	tick(conn, now);
	return now >= conn->base.deadline;
}

static int check_url(const struct dbl_url *url, struct dblock_error *err)
{
	static const char *const none[] = {NULL};

	if (url->host || url->user || url->password)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: SQLite has no host and no user; write sqlite:PATH");
	if (!url->path || !*url->path)
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"URL: no path; write sqlite:PATH, as in sqlite:/var/lib/app/locks.db");
	if (strcmp(url->path, ":memory:") == 0)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"URL: a database in memory is seen by one connection only and can "
				"lock nothing; name a file");
	return dbl_url_check_params(url, none, err);
}

/* Run a setting of ours. *as_expected: if `expect` is not NULL, is the first value equal to it? */
static int setting(struct dbl_lite *conn, const char *sql, const char *expect, bool *as_expected,
		   struct dblock_error *err)
{
	sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(conn->db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	*as_expected = !expect;
	if (rc == SQLITE_ROW) {
		const char *got = (const char *)sqlite3_column_text(stmt, 0);

		*as_expected = !expect || (got && strcmp(got, expect) == 0);
	}
	rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : dbl_lite_fail(conn, rc, false, err);
	sqlite3_finalize(stmt);
	return rc;
}

/* SQLite does not call the busy handler for this switch. */
static int switch_to_wal(struct dbl_lite *conn, struct dblock_error *err)
{
	bool is_wal = false;
	int count = 0;
	int rc;

	do {
		rc = setting(conn, "PRAGMA journal_mode=WAL", "wal", &is_wal, err);
	} while (rc == DBLOCK_E_BLOCKED && on_busy(conn, count++));
	if (rc == 0 && !is_wal)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s: its file system cannot share memory between processes, which "
				"SQLite's WAL mode needs; put the file on a local disk",
				conn->path);
	return rc;
}

/* Another program's file stays as it is when somebody only looks. */
static int look_for_wal(struct dbl_lite *conn, struct dblock_error *err)
{
	bool is_wal = false;
	int rc = setting(conn, "PRAGMA journal_mode", "wal", &is_wal, err);

	conn->without_wal = !is_wal;
	return rc;
}

static int set_up(struct dbl_lite *conn, struct dblock_error *err)
{
	static const char look[] = "SELECT count(*) FROM sqlite_master";
	bool ok;
	/* The first look at the schema finds out whether this is a database at all. */
	int rc = setting(conn, look, NULL, &ok, err);

	if (rc == 0 && sqlite3_db_readonly(conn->db, "main"))
		rc = dbl_fail(err, DBLOCK_E_READONLY, "%s: can only be read; make it writable",
			      conn->path);
	if (rc == 0)
		rc = conn->looks ? look_for_wal(conn, err) : switch_to_wal(conn, err);
	/* If it has just been switched to WAL, the next statement makes -wal and -shm. */
	if (rc == 0)
		rc = setting(conn, look, NULL, &ok, err);
	if (rc == 0)
		rc = setting(conn, "PRAGMA synchronous=FULL", NULL, &ok, err);
	if (rc == 0)
		rc = setting(conn, "PRAGMA trusted_schema=OFF", NULL, &ok, err);
	return rc;
}

static int open_file(struct dbl_lite *conn, struct dblock_error *err)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
			  (conn->looks ? 0 : SQLITE_OPEN_CREATE);
	/* A path that begins with a slash or a dot is never taken for a URI. */
	char *path = sqlite3_mprintf("%s%s", conn->path[0] == '/' ? "" : "./", conn->path);
	int rc = path ? sqlite3_open_v2(path, &conn->db, flags, NULL) : SQLITE_NOMEM;

	sqlite3_free(path);
	if (rc != SQLITE_OK)
		return dbl_lite_fail(conn, rc, false, err);
	/* The check is made again, as a link may lead to another folder than its own. */
	rc = dbl_lite_check_place(conn, err);
	if (rc)
		return rc;
	sqlite3_extended_result_codes(conn->db, 1);
	sqlite3_busy_handler(conn->db, on_busy, conn);
	sqlite3_progress_handler(conn->db, STEPS_PER_LOOK, on_progress, conn);
	/* So "x" is an identifier, and never taken for the text 'x' by mistake. (But see lite_exec().) */
	sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(conn->db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	return set_up(conn, err);
}

/* Can the file system explain this outcome? */
static bool is_about_files(int rc)
{
	return rc == DBLOCK_E_UNAVAILABLE || rc == DBLOCK_E_DENIED || rc == DBLOCK_E_READONLY;
}

static int open_path(struct dbl_lite *conn, struct dblock_error *err)
{
	int rc = dbl_lite_check_kind(conn, err);
	int why;

	if (rc == 0)
		rc = dbl_lite_check_place(conn, err);
	if (rc == 0)
		rc = dbl_lite_check_alone(conn->path, err);
	if (rc)
		return rc;
	rc = open_file(conn, err);
	if (rc == 0)
		return dbl_lite_remember(conn, err);
	why = is_about_files(rc) ? dbl_lite_explain(conn, err) : 0;
	return why ? why : rc;
}

int dbl_lite_check_version(struct dblock_error *err)
{
	return dbl_version_check("SQLite", sqlite3_libversion(), DBL_LEAST_SQLITE,
				 "run with a newer library", err);
}

struct dbl_lite *dbl_lite_new(const char *path, const struct dbl_env *env, struct dblock_error *err)
{
	struct dbl_lite *conn = dbl_alloc(sizeof(*conn));
	struct dbl_host host;

	if (conn)
		conn->path = dbl_strdup(path);
	if (!conn || !conn->path) {
		dbl_free(conn);
		dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
		return NULL;
	}
	conn->base = (struct dbl_conn){.driver = &dbl_sqlite, .env = env, .backend = DBL_NO_SERVER};
	dbl_host_read(&host);
	memcpy(conn->clock, host.clock, sizeof(conn->clock));
	return conn;
}

int dbl_lite_open(struct dbl_conn **out, const struct dbl_url *url, const struct dbl_env *env,
		  int64_t deadline, struct dblock_error *err)
{
	struct dbl_lite *conn;
	int rc = check_url(url, err);

	*out = NULL;
	if (rc == 0)
		rc = dbl_lite_check_version(err);
	if (rc == 0)
		rc = dbl_lite_enter(url->path, err);
	if (rc)
		return rc;
	conn = dbl_lite_new(url->path, env, err);
	if (!conn) {
		dbl_lite_leave();
		return DBLOCK_E_NOMEM;
	}
	conn->base.deadline = deadline;
	conn->looks = url->looks;
	rc = open_path(conn, err);
	if (rc)
		dbl_sqlite.close(&conn->base);
	else
		*out = &conn->base;
	return rc;
}
