/* SPDX-License-Identifier: MIT */
/* Whom a command waits for, and its position in the queue: one line on the terminal. */
#ifndef DBL_CLI_WAIT_LINE_H
#define DBL_CLI_WAIT_LINE_H

#include "cli/ui/cli.h"

struct dbl_wait_line {
	const struct dbl_cli *cli;
	bool shown;
};

/* Is the line wanted? Then stderr is a terminal that can erase, and there is no -q. */
bool dbl_wait_line_wanted(const struct dbl_cli *);

/* For struct dblock_acquire_options: its argument is a struct dbl_wait_line. It prints nothing
 * while the job is in the background, where the terminal belongs to another job. */
void dbl_wait_line_show(void *line, const struct dblock_waiting *);

/* Erase the line, if it is there: before anything else is printed. */
void dbl_wait_line_clear(struct dbl_wait_line *);

/* The line's text, in so many columns at most. NULL: there is no memory. To be freed. */
char *dbl_wait_line_text(const struct dbl_cli *, const struct dblock_waiting *, size_t columns);

#endif
