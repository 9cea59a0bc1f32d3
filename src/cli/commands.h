/* SPDX-License-Identifier: MIT */
/* The commands that are of no module. */
#ifndef DBL_CLI_COMMANDS_H
#define DBL_CLI_COMMANDS_H

#include "cli/ui/cli.h"

extern const struct dbl_command dbl_command_doctor;
extern const struct dbl_command dbl_command_version;
extern const struct dbl_command dbl_command_help;

#endif
