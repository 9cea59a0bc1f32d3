/* SPDX-License-Identifier: MIT */
/* dblock outbox: messages that are sent if the transaction that wants them sent commits. */
#include "cli/outbox/outbox.h"

static const struct dbl_command *const commands[] = {
	&dbl_command_outbox_run,   &dbl_command_outbox_ls,   &dbl_command_outbox_show,
	&dbl_command_outbox_retry, &dbl_command_outbox_drop, NULL};

const struct dbl_command dbl_command_outbox = {
	.name = "outbox",
	.usage = "COMMAND",
	.summary = "messages that transactions have put: deliver them, look at them",
	.about = "Messages that are put in a transaction, and delivered after its commit:\n"
		 "docs/user/outbox.md. Programs put them, by dblock_outbox_put().\n",
	.operands = {.names = {"COMMAND"}, .verbatim_from = 1},
	.size = sizeof(struct dbl_outbox_options),
	.commands = commands,
	.one_only = "messages are in one, that of the transactions which put them",
};
