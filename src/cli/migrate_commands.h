/* SPDX-License-Identifier: MIT */
/* The commands of `dblock migrate`. */
#ifndef DBL_CLI_MIGRATE_COMMANDS_H
#define DBL_CLI_MIGRATE_COMMANDS_H

#include "cli.h"

extern const struct dbl_command dbl_migrate_command_up;
extern const struct dbl_command dbl_migrate_command_down;
extern const struct dbl_command dbl_migrate_command_to;
extern const struct dbl_command dbl_migrate_command_status;
extern const struct dbl_command dbl_migrate_command_verify;
extern const struct dbl_command dbl_migrate_command_plan;
extern const struct dbl_command dbl_migrate_command_new;
extern const struct dbl_command dbl_migrate_command_embed;
extern const struct dbl_command dbl_migrate_command_baseline;
extern const struct dbl_command dbl_migrate_command_repair;

#endif
