/* SPDX-License-Identifier: MIT */
/* For whom a command waits, and its place in line: one line on the terminal, updated in place. */
#ifndef DBL_CLI_WAIT_LINE_H
#define DBL_CLI_WAIT_LINE_H

#include "cli/ui/cli.h"

struct dbl_wait_line {
	const struct dbl_cli *cli;
	bool shown;
};

/* Is there somebody to read it? Then stderr is a terminal that can erase, and there is no -q. */
bool dbl_wait_line_wanted(const struct dbl_cli *);

/* For struct dblock_acquire_options: its argument is a struct dbl_wait_line. Says nothing while the
 * job is in the background, where the terminal belongs to somebody else. */
void dbl_wait_line_show(void *line, const struct dblock_waiting *);

/* Take it away, if it is there: before anything else is said. */
void dbl_wait_line_clear(struct dbl_wait_line *);

/* What it says, in so many columns at most. NULL: out of memory. To be freed. */
char *dbl_wait_line_text(const struct dbl_cli *, const struct dblock_waiting *, size_t columns);

#endif
