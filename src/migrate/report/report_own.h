/* SPDX-License-Identifier: MIT */
/* What the files report*.c share. */
#ifndef DBL_MIGRATE_REPORT_OWN_H
#define DBL_MIGRATE_REPORT_OWN_H

#include "migrate/report/report.h"
#include "migrate/report/words.h"

enum { DBL_WHERE_MAX = 700 };

/* Of a long path only the end is shown. */
const char *dbl_report_path(const char *path);

/* Writes "path:line:col: statement k of n", or what else was being done. */
void dbl_report_where(const struct dbl_job *, unsigned k, unsigned error_at,
		      char where[DBL_WHERE_MAX]);

/* Adds a line with the first 200 characters of statement k, if there is one. */
void dbl_report_sql(const struct dbl_job *, unsigned k, struct dblock_error *err);

/* Writes the command to run again, like "up --to 7". */
const char *dbl_report_again(const struct dbl_job *, char text[DBL_COMMAND_TEXT]);

/* Writes how `repair` is told which file it is: "7", or "R_name". */
const char *dbl_report_operand(const struct dbl_job *, char text[DBL_LABEL]);

/* Write "statements 1 to 3"; "statements 1 to 3 stand". */
const char *dbl_report_statements(long long done, char text[64]);
const char *dbl_report_stand(long long done, char text[64]);

#endif
