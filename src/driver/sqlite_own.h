/* SPDX-License-Identifier: MIT */
/* What the files of the SQLite driver share. */
#ifndef DBL_DRIVER_SQLITE_OWN_H
#define DBL_DRIVER_SQLITE_OWN_H

#include <sqlite3.h>

#include "base/host.h"
#include "base/str.h"
#include "driver/driver.h"

struct lite_stmt;

struct dbl_lite {
	struct dbl_conn base;
	sqlite3 *db;
	char *path;
	struct lite_stmt *stmts;
	char clock[sizeof(((struct dbl_host *)0)->clock)];
};

/* sqlite_open.c */
int dbl_lite_open(struct dbl_conn **, const struct dbl_url *, const struct dbl_env *,
		  int64_t deadline, struct dblock_error *err);

/* sqlite_code.c: the outcome for the database's last error, which came of result code rc. */
int dbl_lite_fail(struct dbl_lite *, int rc, bool writes, struct dblock_error *err);

/* The bare outcome for an extended result code. */
int dbl_lite_outcome(int rc, const char *message, bool writes);

#endif
