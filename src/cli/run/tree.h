/* SPDX-License-Identifier: MIT */
/* All processes that come from one: children, their children, and so on. */
#ifndef DBL_CLI_TREE_H
#define DBL_CLI_TREE_H

#include <sys/types.h>

/* Send a signal to each process below `top`, zombies left out. Returns how many were there and
 * could be sent it, -1 without /proc; one that we may not signal is put into *spared. */
int dbl_tree_signal(pid_t top, int signo, pid_t *spared);

/* We are their subreaper, so that none can leave: kill all that is below us, and wait until it is
 * gone. */
void dbl_tree_end(pid_t *spared);

#endif
