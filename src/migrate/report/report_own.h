/* SPDX-License-Identifier: MIT */
/* What the files report*.c share. */
#ifndef DBL_MIGRATE_REPORT_OWN_H
#define DBL_MIGRATE_REPORT_OWN_H

#include "migrate/report/report.h"
#include "migrate/report/words.h"

enum { DBL_REPORT_WHERE = 700 };

/* A line with statement k, its first 200 characters. */
void dbl_report_sql(const struct dbl_job *, unsigned k, struct dblock_error *err);

/* A long path is known by its end. */
const char *dbl_report_path(const char *path);

/* "path:line:col: statement k of n", or what else was under way; error_at as in struct dbl_job. */
void dbl_report_where(const struct dbl_job *, unsigned k, unsigned error_at,
		      char where[DBL_REPORT_WHERE]);

/* "up --to 7" */
const char *dbl_report_again(const struct dbl_job *, char text[DBL_COMMAND_TEXT]);

/* "statements 1 to 3", and "statements 1 to 3 stand" */
const char *dbl_report_statements(long long done, char text[64]);
const char *dbl_report_stand(long long done, char text[64]);

#endif
