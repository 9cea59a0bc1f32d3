/* SPDX-License-Identifier: MIT */
/* A SQLite database's file as the system sees it: what it is, and where. Only names are used, never
 * a descriptor: closing one would drop the locks that all connections of this process have on the
 * file. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "driver/sqlite/own.h"

int dbl_lite_check_kind(const struct dbl_lite *conn, struct dblock_error *err)
{
	const char *path = conn->path;
	struct stat st;

	if (stat(path, &st))
		return 0;
	if (S_ISDIR(st.st_mode))
		return dbl_fail(err, DBLOCK_E_INVALID, "%s: is a folder; name a file in it", path);
	if (!S_ISREG(st.st_mode))
		return dbl_fail(err, DBLOCK_E_INVALID, "%s: is not a regular file; name another",
				path);
	return 0;
}

static bool may(const char *path, int how)
{
	return faccessat(AT_FDCWD, path, how, AT_EACCESS) == 0;
}

/* Tell why the folder, which is the path before its last slash, cannot be used; 0 if it can. */
static int explain_folder(const char *path, const char *folder, struct dblock_error *err)
{
	struct stat st;
	int why = stat(folder, &st) ? errno : 0;

	if (why == ENOENT || why == ENOTDIR || (!why && !S_ISDIR(st.st_mode)))
		return dbl_fail_native(err, DBLOCK_E_INVALID, why, NULL,
				       "%s: there is no folder %s; create it first", path, folder);
	if (why == EACCES || !may(folder, X_OK))
		return dbl_fail_native(err, DBLOCK_E_DENIED, EACCES, NULL,
				       "%s: permission denied for the folder %s; run as a user who "
				       "may use it",
				       path, folder);
	if (!why && !may(folder, W_OK))
		return dbl_fail_native(
			err, DBLOCK_E_READONLY, errno, NULL,
			"%s: the folder %s cannot be written, and SQLite keeps files "
			"beside the database; make it writable",
			path, folder);
	return 0;
}

static int explain_file(const char *path, struct dblock_error *err)
{
	struct stat st;

	if (stat(path, &st) && errno == ENAMETOOLONG)
		return dbl_fail_native(err, DBLOCK_E_INVALID, ENAMETOOLONG, NULL,
				       "%.40s...: the file's name is too long; take a shorter one",
				       path);
	if (!may(path, F_OK) || may(path, R_OK | W_OK))
		return 0;
	if (may(path, R_OK))
		return dbl_fail_native(err, DBLOCK_E_READONLY, errno, NULL,
				       "%s: the file is read-only for this user; make it writable",
				       path);
	return dbl_fail_native(err, DBLOCK_E_DENIED, EACCES, NULL,
			       "%s: permission denied; run as a user who may read and write it",
			       path);
}

int dbl_lite_explain(const struct dbl_lite *conn, struct dblock_error *err)
{
	char *folder = dbl_fs_folder(conn->path);
	int rc;

	if (!folder)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	rc = explain_file(conn->path, err);
	if (rc == 0)
		rc = explain_folder(conn->path, folder, err);
	if (rc == 0 && conn->looks && !may(conn->path, F_OK))
		rc = dbl_fail_native(
			err, DBLOCK_E_SCHEMA, ENOENT, NULL,
			"%s: there is no such file, and who only looks makes none; name "
			"another, or run 'dblock schema up'",
			conn->path);
	dbl_free(folder);
	return rc;
}

/* The file system at the path, or that of its folder if there is no file yet. False: it cannot be
 * read. Then the file is opened, and SQLite says what is wrong. */
static bool read_place(const struct dbl_lite *conn, struct dbl_fs *fs)
{
	char *folder;
	int why = dbl_fs_read(conn->base.env, conn->path, fs);

	if (why != ENOENT)
		return why == 0;
	folder = dbl_fs_folder(conn->path);
	why = folder ? dbl_fs_read(conn->base.env, folder, fs) : ENOMEM;
	dbl_free(folder);
	return why == 0;
}

int dbl_lite_check_place(const struct dbl_lite *conn, struct dblock_error *err)
{
	struct dbl_fs fs;
	char name[32];
	const char *why;

	if (!read_place(conn, &fs) || dbl_fs_judge(&fs, &why) != DBL_FS_BAD)
		return 0;
	dbl_fs_name(&fs, name);
	return dbl_fail(err, DBLOCK_E_INVALID,
			"%s: its file system (%s) %s; put the file on a local disk, or take a "
			"server (PostgreSQL, MySQL) for locks",
			conn->path, name, why);
}
