/* SPDX-License-Identifier: MIT */
/* A file system for SQLite (VFS) that fails at will, as a full disk or one that has become
 * read-only does. It stands in front of the real one for all connections that the process opens. */
#ifndef TESTS_DB_SQLITE_FRAIL_H
#define TESTS_DB_SQLITE_FRAIL_H

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

enum frail_fault {
	FRAIL_NONE,
	FRAIL_FULL,    /* no file can grow; ENOSPC has a result code of its own */
	FRAIL_QUOTA,   /* the same by quota: EDQUOT has none */
	FRAIL_READONLY /* nothing can be written: EROFS */
};

/* Databases have other methods than the files beside them, so each kind has an entry. */
struct frail_kind {
	sqlite3_io_methods methods; /* must be first: a file points to it */
	const sqlite3_io_methods *real;
};

static struct frail {
	sqlite3_vfs vfs;
	sqlite3_vfs *real;
	atomic_int fault;
	pthread_mutex_t mutex; /* guards kinds */
	struct frail_kind kinds[4];
} frail = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int frail_write(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
	const sqlite3_io_methods *real = ((const struct frail_kind *)file->pMethods)->real;
	sqlite3_int64 size = 0;

	if (frail.fault == FRAIL_NONE)
		return real->xWrite(file, bytes, n, at);
	if (frail.fault == FRAIL_READONLY)
		return SQLITE_IOERR_WRITE;
	(void)real->xFileSize(file, &size);
	if (at + n <= size)
		return real->xWrite(file, bytes, n, at);
	return frail.fault == FRAIL_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int frail_control(sqlite3_file *file, int op, void *arg)
{
	const sqlite3_io_methods *real = ((const struct frail_kind *)file->pMethods)->real;

	if (op != SQLITE_FCNTL_LAST_ERRNO || frail.fault == FRAIL_NONE)
		return real->xFileControl(file, op, arg);
	*(int *)arg = frail.fault == FRAIL_READONLY ? EROFS : EDQUOT;
	return SQLITE_OK;
}

static const sqlite3_io_methods *frail_methods(const sqlite3_io_methods *real)
{
	struct frail_kind *kind = frail.kinds;

	pthread_mutex_lock(&frail.mutex);
	while (kind->real && kind->real != real)
		kind++;
	if (!kind->real) {
		kind->methods = *real;
		kind->methods.xWrite = frail_write;
		kind->methods.xFileControl = frail_control;
		kind->real = real;
	}
	pthread_mutex_unlock(&frail.mutex);
	return &kind->methods;
}

static int frail_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
	int rc = frail.real->xOpen(frail.real, name, file, flags, out);

	(void)vfs;
	if (rc == SQLITE_OK && file->pMethods)
		file->pMethods = frail_methods(file->pMethods);
	return rc;
}

/* Installs the file system. Call it once, before any connection is opened. */
static void frail_install(void)
{
	frail.real = sqlite3_vfs_find(NULL);
	frail.vfs = *frail.real;
	frail.vfs.zName = "frail";
	frail.vfs.xOpen = frail_open;
	sqlite3_vfs_register(&frail.vfs, 1);
}

#endif
