/* SPDX-License-Identifier: MIT */
/*
 * Each file has one path. SQLite keeps its locks and the last commits in two files beside the
 * database, -wal and -shm, and finds them by its name. So a process that uses another name (a hard
 * link, a mount of the file alone), or finds other files of these names, shares the database but
 * none of its locks. Symbolic links do no harm: SQLite follows them first.
 *
 * Only names are used, as in file.c.
 */
#include <errno.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/mem.h"
#include "driver/sqlite/own.h"

static int fail_linked(const char *path, int outcome, nlink_t names, struct dblock_error *err)
{
	return dbl_fail(err, outcome,
			"%s: the file has %lu names (hard links), and each would have locks of its "
			"own; find the others (find / -xdev -samefile) and remove them",
			path, (unsigned long)names);
}

int dbl_lite_check_alone(const char *path, struct dblock_error *err)
{
	struct stat st;

	if (stat(path, &st))
		return 0;
	if (st.st_nlink > 1)
		return fail_linked(path, DBLOCK_E_INVALID, st.st_nlink, err);
	if (dbl_fs_is_mount_point(path))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s: the file is mounted by itself, so it has other locks than "
				"where it comes from; mount the folder that it lies in",
				path);
	return 0;
}

static int identify(const char *path, struct dbl_lite_file *file)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	*file = (struct dbl_lite_file){st.st_dev, st.st_ino};
	return 0;
}

static bool is_same(const struct dbl_lite_file *a, const struct dbl_lite_file *b)
{
	return a->device == b->device && a->inode == b->inode;
}

static const char *wal_path(const struct dbl_lite *conn)
{
	return sqlite3_filename_wal(sqlite3_db_filename(conn->db, "main"));
}

static bool name_sides(struct dbl_lite *conn)
{
	struct dbl_str name = {0};

	dbl_str_addf(&name, "%s-shm", sqlite3_db_filename(conn->db, "main"));
	conn->shm_path = dbl_str_take(&name);
	return conn->shm_path != NULL;
}

/* Is the file that SQLite opened still at its path? */
static bool is_what_was_opened(const struct dbl_lite *conn)
{
	int moved = 0;

	(void)sqlite3_file_control(conn->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	return !moved;
}

/* The head of the index, which SQLite maps for all connections of this process:
 * https://www.sqlite.org/walformat.html */
struct index {
	uint32_t version, unused, change;
	uint8_t is_set, big_endian;
	uint16_t page; /* bytes; 1: 65536 */
	uint32_t frames;
};

static const volatile struct index *find_index(const struct dbl_lite *conn)
{
	enum { REGION = 32768 };
	sqlite3_file *file = NULL;
	volatile void *memory = NULL;

	(void)sqlite3_file_control(conn->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	if (file && file->pMethods && file->pMethods->iVersion > 1)
		(void)file->pMethods->xShmMap(file, 0, REGION, 0, &memory);
	return memory;
}

/* Has the log been replaced by a shorter one, while others still use the old one's index? (If the
 * index has changed meanwhile, somebody has properly begun the log again.) */
static bool lacks_frames(const struct dbl_lite *conn, const volatile struct index *index)
{
	enum { LOG_HEAD = 32, FRAME_HEAD = 24 };
	int64_t page = index->page == 1 ? 65536 : index->page;
	uint32_t frames = index->frames;
	int64_t size = dbl_fs_size(wal_path(conn));

	return frames && size < LOG_HEAD + (int64_t)frames * (page + FRAME_HEAD) &&
	       index->frames == frames;
}

/* Is there no deleted log or index that others still use? This process may use one, too, and SQLite
 * would give us that index then. With a second one, two processes would write at the same place. */
static bool are_sides_in_order(struct dbl_lite *conn)
{
	const volatile struct index *index = find_index(conn);

	if (identify(wal_path(conn), &conn->wal) || identify(conn->shm_path, &conn->shm))
		return false;
	return !index || (!dbl_fs_is_deleted_mapping(index) && !lacks_frames(conn, index));
}

/* Nothing has been written yet. Trying again helps once all the others have closed the file. */
static int check_first_sides(struct dbl_lite *conn, struct dblock_error *err)
{
	if (are_sides_in_order(conn))
		return 0;
	sqlite3_db_config(conn->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return dbl_fail(err, DBLOCK_E_UNAVAILABLE,
			"%s: its -wal or -shm was deleted while it was in use; try again when all "
			"who had it open have closed it (fuser %s)",
			conn->path, conn->path);
}

int dbl_lite_remember(struct dbl_lite *conn, struct dblock_error *err)
{
	int rc;

	if (!conn->without_wal && !name_sides(conn))
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	if (identify(conn->path, &conn->file) || !is_what_was_opened(conn))
		return dbl_fail(err, DBLOCK_E_UNAVAILABLE,
				"%s: the file was replaced while it was being opened; try again",
				conn->path);
	conn->names = 1;
	conn->looked_at = dbl_now(conn->base.env);
	rc = conn->without_wal ? 0 : check_first_sides(conn, err);
	return rc ? rc : dbl_lite_check_alone(conn->path, err);
}

static int fail_moved(struct dbl_lite *conn, const char *path, int why, struct dblock_error *err)
{
	conn->base.broken = true;
	return dbl_fail_native(
		err, DBLOCK_E_UNAVAILABLE, why, NULL,
		"%s: the file was moved, deleted or replaced while it was open: what "
		"was locked in it is lost",
		path);
}

static int check_moved(struct dbl_lite *conn, struct dblock_error *err)
{
	struct stat st;
	int why = stat(conn->path, &st) == 0 ? 0 : errno;

	if (why || st.st_dev != conn->file.device || st.st_ino != conn->file.inode)
		return fail_moved(conn, conn->path, why, err);
	conn->names = st.st_nlink;
	return 0;
}

static bool uses_wal(struct dbl_lite *conn)
{
	sqlite3_stmt *stmt;
	bool is_wal = true;

	if (sqlite3_prepare_v2(conn->db, "PRAGMA journal_mode", -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		is_wal = sqlite3_stricmp((const char *)sqlite3_column_text(stmt, 0), "wal") == 0;
	sqlite3_finalize(stmt);
	return is_wal;
}

static bool is_there(const char *path, const struct dbl_lite_file *opened, int *why)
{
	struct dbl_lite_file now;

	*why = identify(path, &now);
	return !*why && is_same(&now, opened);
}

static int check_sides(struct dbl_lite *conn, struct dblock_error *err)
{
	const char *path = conn->shm_path ? wal_path(conn) : NULL;
	int why;

	conn->looked_at = dbl_now(conn->base.env);
	if (path && is_there(path, &conn->wal, &why)) {
		path = conn->shm_path;
		if (is_there(path, &conn->shm, &why))
			path = NULL;
	}
	if (!path)
		return 0;
	if (uses_wal(conn))
		return fail_moved(conn, path, why, err);
	/* A statement of the caller's has left WAL mode: there is nothing to check from now on. */
	dbl_free(conn->shm_path);
	conn->shm_path = NULL;
	return 0;
}

int dbl_lite_look(struct dbl_lite *conn, struct dblock_error *err)
{
	int rc = check_moved(conn, err);

	if (rc == 0)
		rc = check_sides(conn, err);
	if (rc == 0 && conn->names > 1)
		rc = fail_linked(conn->path, DBLOCK_E_UNAVAILABLE, conn->names, err);
	return rc;
}

/* If the file has another name by now, the statement still counts: only the next one is refused. */
int dbl_lite_check_after(struct dbl_lite *conn, int rc, struct dblock_error *err)
{
	int why;

	if (conn->adopted || (rc == 0 && conn->base.in_tx))
		return rc;
	why = check_moved(conn, err);
	if (why == 0 && dbl_lite_is_due(conn))
		why = check_sides(conn, err);
	return why ? why : rc;
}

static bool is_another(const char *path, const struct dbl_lite_file *opened)
{
	int why;

	return !is_there(path, opened, &why) && !why;
}

void dbl_lite_part(struct dbl_lite *conn)
{
	if (conn->shm_path &&
	    (is_another(wal_path(conn), &conn->wal) || is_another(conn->shm_path, &conn->shm)))
		sqlite3_db_config(conn->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}
