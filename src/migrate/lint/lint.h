/* SPDX-License-Identifier: MIT */
/* What a statement does to others: rows that are lost, programs that break, tables that are blocked.
 * Read off the text alone; no connection. */
#ifndef DBL_MIGRATE_LINT_H
#define DBL_MIGRATE_LINT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <dblock/migrate.h>

#include "migrate/parse/split.h"

struct dbl_alarm {
	const char *rule; /* all of it is static; "": nothing is wrong */
	enum dblock_migrate_severity severity;
	const char *hint;
};

/* A text that the splitter takes. */
struct dbl_lint_text {
	struct dbl_text text;
	unsigned past; /* so many of its statements are applied: read only for what they made */
	bool stepwise; /* its statements are not one transaction */
	/* Whether a statement, before which so many stand, is not run, and so not counted. */
	bool (*left_out)(const void *ctx, const struct dbl_statement *, unsigned before);
	const void *ctx;
};

#define DBL_LINT_APPLIED UINT_MAX /* all of them */

/* Is told of the alarm of statement k, from 1, or that there is none. False: out of memory. */
typedef bool dbl_alarm_cb(void *arg, unsigned k, const struct dbl_alarm *);

struct dbl_lint; /* what the files so far have made */

/* Begins a set; dialect is the name of a folder of migrations/. NULL: out of memory. */
struct dbl_lint *dbl_lint_new(const char *dialect);
void dbl_lint_free(struct dbl_lint *);

/* Reads the next file, in the order in which they are run, and tells of each statement, of several alarms
 * the worst; cb NULL: nobody wants to know. False: out of memory. */
bool dbl_lint_read(struct dbl_lint *, const struct dbl_lint_text *, dbl_alarm_cb *cb, void *arg);

/* Returns what is wrong with a line that begins with "-- dblock:allow"; NULL: nothing. */
const char *dbl_allow_check(const char *line, size_t len);

#endif
