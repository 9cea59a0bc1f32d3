/* SPDX-License-Identifier: MIT */
/* What the files report*.c share. */
#ifndef DBL_MIGRATE_REPORT_OWN_H
#define DBL_MIGRATE_REPORT_OWN_H

#include "migrate/report/report.h"
#include "migrate/report/words.h"

enum { DBL_REPORT_WHERE = 700 };

/* A line with statement k, its first 200 characters. */
void dbl_report_sql(const struct dbl_subject *, unsigned k, struct dblock_error *err);

/* A long path is known by its end. */
const char *dbl_report_path(const char *path);

/* "path:line:col: statement k of n", or what else was under way. */
void dbl_report_where(const struct dbl_subject *, char *where, size_t room);

/* "up --to 7" */
const char *dbl_report_again(const struct dbl_subject *, char text[DBL_COMMAND_TEXT]);

/* "statements 1 to 3" */
const char *dbl_report_statements(long long done, char text[64]);

#endif
