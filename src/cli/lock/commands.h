/* SPDX-License-Identifier: MIT */
/* The commands about locks. */
#ifndef DBL_CLI_LOCK_COMMANDS_H
#define DBL_CLI_LOCK_COMMANDS_H

#include "cli/ui/cli.h"

extern const struct dbl_command dbl_command_acquire;
extern const struct dbl_command dbl_command_renew;
extern const struct dbl_command dbl_command_release;
extern const struct dbl_command dbl_command_leader;
extern const struct dbl_command dbl_command_ls;
extern const struct dbl_command dbl_command_show;
extern const struct dbl_command dbl_command_graph;
extern const struct dbl_command dbl_command_request;
extern const struct dbl_command dbl_command_drain;
extern const struct dbl_command dbl_command_break;
extern const struct dbl_command dbl_command_reap;

#endif
