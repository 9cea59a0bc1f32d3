/* SPDX-License-Identifier: MIT */
/* The commands that run another one under a lock. */
#ifndef DBL_CLI_RUN_COMMANDS_H
#define DBL_CLI_RUN_COMMANDS_H

#include "cli/ui/cli.h"

extern const struct dbl_command dbl_command_run;
extern const struct dbl_command dbl_command_elect;

#endif
