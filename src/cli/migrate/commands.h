/* SPDX-License-Identifier: MIT */
/* `dblock migrate` and `dblock schema`, and the commands of the former. */
#ifndef DBL_CLI_MIGRATE_COMMANDS_H
#define DBL_CLI_MIGRATE_COMMANDS_H

#include "cli/ui/cli.h"

extern const struct dbl_command dbl_command_migrate;
extern const struct dbl_command dbl_command_schema;

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

/* What they do, for `dblock schema` as well. */
typedef int dbl_command_cb(struct dbl_cli *, const void *options, const struct dbl_words *);
dbl_command_cb dbl_migrate_cmd_up;
dbl_command_cb dbl_migrate_cmd_down;
dbl_command_cb dbl_migrate_cmd_status;
dbl_command_cb dbl_migrate_cmd_verify;
dbl_command_cb dbl_migrate_cmd_plan;
dbl_command_cb dbl_migrate_cmd_baseline;
dbl_command_cb dbl_migrate_cmd_repair;
dbl_command_cb dbl_migrate_cmd_help;

#endif
