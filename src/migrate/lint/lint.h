/* SPDX-License-Identifier: MIT */
/* What a statement does to others: rows that are lost, programs that break, tables that are blocked.
 * Read off the text alone; no connection. */
#ifndef DBL_MIGRATE_LINT_H
#define DBL_MIGRATE_LINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dblock/migrate.h>

struct dbl_alarm {
	const char *rule; /* all of it is static; "": nothing is wrong */
	enum dblock_migrate_severity severity;
	const char *hint;
};

/* A text that the splitter takes, with as many statements as it gives. */
struct dbl_lint_text {
	const char *text;
	size_t len;
	size_t past;   /* so many of its statements are applied: read only for what they made */
	bool stepwise; /* its statements are not one transaction */
};

#define DBL_LINT_APPLIED SIZE_MAX /* all of them */

struct dbl_lint; /* what the files so far have made */

/* Begins a set; dialect is the name of a folder of migrations/. NULL: out of memory. */
struct dbl_lint *dbl_lint_new(const char *dialect);
void dbl_lint_free(struct dbl_lint *);

/* Reads the next file, in the order in which they are run, and sets the alarm of each statement, of
 * which there are `n`; NULL: nobody wants to know. Of several, it is the worst. False: out of
 * memory. */
bool dbl_lint_read(struct dbl_lint *, const struct dbl_lint_text *, struct dbl_alarm *alarms,
		   size_t n);

/* Returns what is wrong with a line that begins with "-- dblock:allow"; NULL: nothing. */
const char *dbl_allow_check(const char *line, size_t len);

#endif
