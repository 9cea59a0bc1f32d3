/* SPDX-License-Identifier: MIT */
/* The next command: the last line of every message about migrations. */
#ifndef DBL_MIGRATE_WORDS_H
#define DBL_MIGRATE_WORDS_H

#include <dblock/migrate.h>

#include "base/err.h"

enum { DBL_COMMAND_TEXT = 160 };

/* "up --to 7": the command for what is left to do once `done` migrations are through. */
const char *dbl_words_again(char text[DBL_COMMAND_TEXT], bool down,
			    const struct dblock_migrate_options *, int64_t done);

/* What cannot be done, with lines of their own for what stands and what to do; returns code. None
 * of the arguments is long. */
int dbl_words_refuse(struct dblock_error *err, int code, const char *fmt, ...) DBL_PRINTF(3, 4);
#define DBL_NEXT         "\n" DBL_LINE_NEXT
#define DBL_NOTHING_DONE "\n" DBL_LINE_STATE "nothing was done" DBL_NEXT

/* E_INVALID: there is no such migration in the set. */
int dbl_words_unknown(int64_t version, struct dblock_error *err);

/* If the message does not say what to do, say it, by the outcome. `command` is the one that came to
 * it. */
void dbl_words_next(struct dblock_error *err, int rc, const char *command);

/* In a message about the library's own migrations: their command is `dblock schema`. */
void dbl_words_own(char *text);

#endif
