/* SPDX-License-Identifier: MIT */
/* dblock help, version. */
#include <stdio.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"

static int version(struct dbl_cli *cli)
{
	json_t *object;

	if (!cli->json) {
		printf("dblock %s (library %s; drivers: %s)\n", DBLOCK_VERSION_STRING,
		       dblock_version(), dblock_drivers());
		return DBL_EXIT_OK;
	}
	object = json_object();
	dbl_json_text(object, "version", DBLOCK_VERSION_STRING);
	dbl_json_text(object, "library", dblock_version());
	dbl_json_text(object, "drivers", dblock_drivers());
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
}

static int help(struct dbl_cli *cli)
{
	const struct dbl_command *group = NULL, *command;
	const struct dbl_words *words = &cli->words;

	if (!words->count) {
		dbl_help_all(cli);
		return DBL_EXIT_OK;
	}
	command = dbl_command_find(cli->commands, words->word[0]);
	if (command && words->count > 1 && !command->commands)
		return dbl_cli_usage(cli, "too many words: '%s'", words->word[1]);
	if (command && words->count > 1) {
		group = command;
		command = dbl_command_find(group->commands, words->word[1]);
	}
	if (!command)
		return dbl_cli_usage(cli, "unknown command '%s'", words->word[words->count - 1]);
	dbl_help_command(group, command);
	return DBL_EXIT_OK;
}

const struct dbl_command dbl_command_version = {
	.name = "version",
	.usage = "",
	.summary = "print the version and the database drivers",
	.run = version,
};

const struct dbl_command dbl_command_help = {
	.name = "help",
	.usage = "[COMMAND [COMMAND]]",
	.summary = "explain a command",
	.operands = {.names = {"COMMAND", "COMMAND"}},
	.run = help,
};
