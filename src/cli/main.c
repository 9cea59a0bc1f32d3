/* SPDX-License-Identifier: MIT */
/* dblock: the program. Finds the command, and lets its table do the rest. */
#include <errno.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/lock/commands.h"
#include "cli/migrate/commands.h"
#include "cli/run/commands.h"
#include "cli/ui/exits.h"
#include "cli/ui/help.h"
#include "cli/ui/settings.h"

static const struct dbl_command *const commands[] = {&dbl_command_run,
						     &dbl_command_elect,
						     &dbl_command_leader,
						     &dbl_command_acquire,
						     &dbl_command_renew,
						     &dbl_command_release,
						     &dbl_command_ls,
						     &dbl_command_show,
						     &dbl_command_graph,
						     &dbl_command_request,
						     &dbl_command_drain,
						     &dbl_command_break,
						     &dbl_command_reap,
						     &dbl_command_schema,
						     &dbl_command_migrate,
						     &dbl_command_doctor,
						     &dbl_command_version,
						     &dbl_command_help,
						     NULL};

/* All locks are named by an operand NAME, which comes first, and a command's own words come last:
 * the one mistake that scripts make often is an empty variable, and it should not need a database
 * to be found. */
static int check_words(const struct dbl_cli *cli, const struct dbl_words *words)
{
	const struct dbl_operands *operands = &cli->command->operands;
	int first = operands->verbatim_from;

	if (cli->group || !words->count)
		return DBL_EXIT_OK;
	if (operands->names[0] && strcmp(operands->names[0], "NAME") == 0 && !words->word[0][0])
		return dbl_cli_usage(cli, "NAME is empty: a lock's name has 1 to %d bytes",
				     DBLOCK_NAME_MAX);
	if (first > 1 && words->count >= first && !words->word[first - 1][0])
		return dbl_cli_usage(cli, "%s is empty", operands->names[first - 1]);
	return DBL_EXIT_OK;
}

/* Parse the words of cli->command. 0: it can be run; else *code is what to exit with. */
static int read_line(struct dbl_cli *cli, void *options, int argc, char **argv,
		     struct dbl_words *words, int *code)
{
	const struct dbl_command *command = cli->command;
	const struct dbl_arg *common = cli->group ? cli->group->args : command->shared_args;
	const struct dbl_arg_set sets[DBL_ARG_SETS] = {
		{dbl_global_args, cli}, {common, options}, {command->args, options}};
	char message[DBL_ARGS_MESSAGE];
	int bad = dbl_args_parse(sets, &command->operands, argc, argv, words, message);

	*code = DBL_EXIT_OK;
	if (cli->version)
		*code = dbl_command_version.run(cli, NULL, NULL);
	else if (cli->help)
		dbl_help_command(cli->group, command);
	else if (bad)
		*code = dbl_cli_usage(cli, "%s", message);
	return cli->version || cli->help || bad;
}

/* One of a group: its name is the first word, and the rest is its own line. */
static int choose(struct dbl_cli *cli, struct dbl_words *words)
{
	const struct dbl_command *found;

	if (!words->count)
		return dbl_cli_usage(cli, "%s is missing", cli->command->operands.names[0]);
	found = dbl_command_find(cli->command->commands, words->word[0]);
	if (!found)
		return dbl_cli_usage(cli, "unknown command '%s'", words->word[0]);
	cli->group = cli->command;
	cli->command = found;
	return DBL_EXIT_OK;
}

static int run_command(struct dbl_cli *cli, int argc, char **argv)
{
	alignas(max_align_t) char options[DBL_OPTIONS_SIZE] = {0};
	struct dbl_words words;
	int code;

	if (cli->command->size > sizeof(options))
		abort();
	if (cli->command->defaults)
		memcpy(options, cli->command->defaults, cli->command->size);
	if (read_line(cli, options, argc, argv, &words, &code))
		return code;
	if (cli->command->commands) {
		code = choose(cli, &words);
		if (code != DBL_EXIT_OK ||
		    read_line(cli, options, words.count, words.word, &words, &code))
			return code;
	}
	code = dbl_cli_check(cli);
	if (code == DBL_EXIT_OK)
		code = dbl_settings_read(cli);
	if (code == DBL_EXIT_OK)
		code = check_words(cli, &words);
	return code == DBL_EXIT_OK ? cli->command->run(cli, options, &words) : code;
}

/* The global options, then the command. */
static int run(struct dbl_cli *cli, int argc, char **argv)
{
	static const char *const names[] = {"COMMAND", NULL};
	const struct dbl_operands operands = {names, 0, 1};
	const struct dbl_arg_set sets[DBL_ARG_SETS] = {{dbl_global_args, cli}};
	char message[DBL_ARGS_MESSAGE];
	struct dbl_words words;

	if (dbl_args_parse(sets, &operands, argc, argv, &words, message))
		return dbl_cli_usage(cli, "%s", message);
	if (cli->version)
		return dbl_command_version.run(cli, NULL, NULL);
	if (!words.count && cli->help)
		dbl_help_all(cli);
	if (!words.count)
		return cli->help ? DBL_EXIT_OK : dbl_cli_usage(cli, "COMMAND is missing");
	cli->command = dbl_command_find(commands, words.word[0]);
	if (!cli->command)
		return dbl_cli_usage(cli, "unknown command '%s'", words.word[0]);
	return run_command(cli, words.count, words.word);
}

int main(int argc, char **argv)
{
	/* What it has from settings files is needed to the end. */
	static struct dbl_cli cli = {.commands = commands};
	int code = run(&cli, argc, argv);

	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	dbl_cli_error(&cli, "stdout cannot be written: %s", strerror(errno));
	return code == DBL_EXIT_OK ? DBL_EXIT_IO : code;
}
