/* SPDX-License-Identifier: MIT */
/* Texts for messages about migrations, whose last line always says which command to run next. */
#ifndef DBL_MIGRATE_WORDS_H
#define DBL_MIGRATE_WORDS_H

#include <dblock/migrate.h>

#include "base/err.h"

enum { DBL_COMMAND_TEXT = 160 };

/* Writes the command for what is left to do after `done` migrations, like "up --to 7". */
const char *dbl_words_again(char text[DBL_COMMAND_TEXT], bool down,
			    const struct dblock_migrate_options *, int64_t done);

/* Fails; the message has lines of its own for what is done and what to do. Returns code. No
 * argument may be long. */
int dbl_words_refuse(struct dblock_error *err, int code, const char *fmt, ...) DBL_PRINTF(3, 4);
#define DBL_NEXT         "\n" DBL_LINE_NEXT
#define DBL_NOTHING_DONE "\n" DBL_LINE_STATE "nothing was done" DBL_NEXT

/* Fails as E_INVALID, since there is no such migration in the set. */
int dbl_words_unknown(int64_t version, struct dblock_error *err);

/* Did a connection fail with rc since there is no such database? */
bool dbl_words_no_database(int rc, const struct dblock_error *err);

/* Adds what to do, by the outcome, if the message does not say so. `command` is the one that
 * failed. */
void dbl_words_next(struct dblock_error *err, int rc, const char *command);

/* Replaces `dblock migrate` by `dblock schema` in a message about the library's own migrations. */
void dbl_words_own(char *text);

#endif
