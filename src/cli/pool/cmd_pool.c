/* SPDX-License-Identifier: MIT */
/* dblock pool: names of which any one will do, and semaphores whose capacity is stored. */
#include "cli/pool/pool.h"

static const struct dbl_command *const commands[] = {
	&dbl_command_pool_ls,     &dbl_command_pool_add,    &dbl_command_pool_drain,
	&dbl_command_pool_remove, &dbl_command_pool_resize, NULL};

const struct dbl_command dbl_command_pool = {
	.name = "pool",
	.usage = "COMMAND",
	.summary = "names of which any one will do; the capacity of a semaphore",
	.about = "A pool is a label for locks that can stand in for each other, as test databases "
		 "or\n"
		 "hosts of a lab. A semaphore's capacity is a number that may be stored, and "
		 "changed\n"
		 "while it is in use: docs/user/pools.md.\n",
	.operands = {.names = {"COMMAND"}, .verbatim_from = 1},
	.commands = commands,
	.one_only = "pools and capacities are stored in one",
};
