/* SPDX-License-Identifier: MIT */
/* dblock global: transactions over several databases, as their branches are prepared. */
#include "cli/global/global.h"

static const struct dbl_command *const commands[] = {
	&dbl_command_global_ls, &dbl_command_global_show, &dbl_command_global_finish, NULL};

const struct dbl_command dbl_command_global = {
	.name = "global",
	.usage = "COMMAND",
	.summary = "transactions over several databases: look at them, decide them",
	.about = "Transactions over several databases (dblock_global_commit()), with -u for each\n"
		 "database: docs/user/transactions.md. `dblock recover` finishes those that were "
		 "left.\n",
	.operands = {.names = {"COMMAND"}, .verbatim_from = 1},
	.size = sizeof(struct dbl_global_options),
	.commands = commands,
};
