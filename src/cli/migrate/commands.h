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
extern const struct dbl_command dbl_migrate_command_help; /* of both groups */

/* What they do, and the options that are the same, for `dblock schema` as well. */
int dbl_migrate_cmd_up(struct dbl_cli *);
int dbl_migrate_cmd_down(struct dbl_cli *);
int dbl_migrate_cmd_status(struct dbl_cli *);
int dbl_migrate_cmd_verify(struct dbl_cli *);
int dbl_migrate_cmd_plan(struct dbl_cli *);
int dbl_migrate_cmd_baseline(struct dbl_cli *);
int dbl_migrate_cmd_repair(struct dbl_cli *);
extern const struct dbl_arg dbl_migrate_down_args[];
extern const struct dbl_arg dbl_migrate_status_args[];
extern const struct dbl_arg dbl_migrate_baseline_args[];
extern const struct dbl_arg dbl_migrate_repair_args[];

#endif
