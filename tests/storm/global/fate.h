/* SPDX-License-Identifier: MIT */
/* What becomes of this process at one of the statements that it sends. */
#ifndef TESTS_STORM_GLOBAL_FATE_H
#define TESTS_STORM_GLOBAL_FATE_H

#include "base/env.h"

/* Before it is sent, or when its answer is there, of which nobody has heard yet. Who is stopped goes on when he is
 * continued. */
enum fate { FATE_KILLED_BEFORE, FATE_KILLED_AFTER, FATE_STOPPED_BEFORE, FATE_STOPPED_AFTER, FATES };

const char *fate_name(enum fate);

/* The system's environment, with a driver in front of the databases'. */
const struct dbl_env *fate_env(void);

/* Statements of this thread are counted from now on, of those whose text has that in it; the k-th one is meant (0:
 * none). What it is is added to the file `told` then. */
void fate_arm(enum fate, const char *text, int k, const char *told);

/* How many have been counted. */
int fate_counted(void);

#endif
