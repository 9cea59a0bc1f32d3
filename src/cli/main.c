/* SPDX-License-Identifier: MIT */
/* dblock: the program. It finds the command, whose table does the rest. */
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"

static const struct dbl_command *const commands[] = {
	&dbl_command_run,      &dbl_command_elect,   &dbl_command_leader,  &dbl_command_acquire,
	&dbl_command_renew,    &dbl_command_release, &dbl_command_ls,      &dbl_command_top,
	&dbl_command_show,     &dbl_command_graph,   &dbl_command_explain, &dbl_command_events,
	&dbl_command_request,  &dbl_command_drain,   &dbl_command_break,   &dbl_command_pool,
	&dbl_command_reap,     &dbl_command_schema,  &dbl_command_migrate, &dbl_command_quorum,
	&dbl_command_outbox,   &dbl_command_rate,    &dbl_command_latch,   &dbl_command_barrier,
	&dbl_command_global,   &dbl_command_recover, &dbl_command_doctor,  &dbl_command_metrics,
	&dbl_command_complete, &dbl_command_version, &dbl_command_help,    NULL};

/* The operand NAME of a lock comes first, and the words of a command last: a script's usual mistake
 * is an empty variable, and finding that should not need a database. */
static int check_words(struct dbl_cli *cli)
{
	const struct dbl_operands *operands = &cli->command->operands;
	const struct dbl_words *words = &cli->words;
	int first = operands->verbatim_from;
	char message[DBL_ARGS_MESSAGE];

	if (cli->group || !words->count)
		return DBL_EXIT_OK;
	if (operands->names[0] && strcmp(operands->names[0], "NAME") == 0 && !words->word[0][0])
		return dbl_cli_usage(cli, "NAME is empty: a lock's name has 1 to %d bytes",
				     DBLOCK_NAME_MAX);
	if (first > 1 && words->count >= first && !words->word[first - 1][0])
		return dbl_cli_usage(cli, "%s is empty", operands->names[first - 1]);
	if (operands->names[1] && strcmp(operands->names[1], "TOKEN") == 0 &&
	    dbl_token_parse(words->word[1], &cli->token, message))
		return dbl_cli_usage(cli, "%s", message);
	return DBL_EXIT_OK;
}

/* Parse the words of cli->command. 0: it can be run; else *code is what to exit with. */
static int read_line(struct dbl_cli *cli, void *options, int argc, char **argv, int *code)
{
	const struct dbl_command *command = cli->command;
	const struct dbl_arg *common = cli->group ? cli->group->args : command->shared_args;
	/* A letter of a command's own goes before one of all commands. */
	const struct dbl_arg_set sets[DBL_ARG_SETS] = {
		{command->args, options}, {common, options}, {dbl_global_args, cli}};
	char message[DBL_ARGS_MESSAGE];
	int bad = dbl_args_parse(sets, &command->operands, argc, argv, &cli->words, message);

	*code = DBL_EXIT_OK;
	if (cli->version)
		*code = dbl_command_version.run(cli);
	else if (cli->help)
		dbl_help_command(cli->group, command);
	else if (bad)
		*code = dbl_cli_usage(cli, "%s", message);
	return cli->version || cli->help || bad;
}

static int unknown_of_group(const struct dbl_cli *cli, const char *word)
{
	const struct dbl_elsewhere *known = cli->command->elsewhere;

	for (; known && known->word; known++)
		if (strcmp(known->word, word) == 0)
			return dbl_cli_usage(cli, "unknown command '%s'; here that is '%s'", word,
					     known->here);
	return dbl_cli_usage(cli, "unknown command '%s'", word);
}

/* The command is one of a group: the first word is its name, and the rest is its command line. */
static int choose(struct dbl_cli *cli)
{
	const struct dbl_command *found;

	if (!cli->words.count)
		return dbl_cli_usage(cli, "%s is missing", cli->command->operands.names[0]);
	found = dbl_command_find(cli->command->commands, cli->words.word[0]);
	if (!found)
		return unknown_of_group(cli, cli->words.word[0]);
	cli->group = cli->command;
	cli->command = found;
	return DBL_EXIT_OK;
}

/* Run the command, whose line has been read. */
static int run_command(struct dbl_cli *cli)
{
	const struct dbl_command *command = cli->command;
	int (*by_itself)(struct dbl_cli *) = NULL;
	int code = dbl_cli_check(cli);

	if (code == DBL_EXIT_OK)
		code = dbl_cli_join_urls(cli);
	if (code == DBL_EXIT_OK)
		code = dbl_settings_read(cli);
	if (code == DBL_EXIT_OK)
		code = check_words(cli);
	if (code == DBL_EXIT_OK && command->check)
		code = command->check(cli);
	if (code == DBL_EXIT_OK && dbl_cli_is_cluster(cli))
		by_itself = command->run_members;
	if (code == DBL_EXIT_OK && command->client != DBL_CLIENT_NONE && !by_itself)
		code = dbl_cli_open(cli);
	if (code == DBL_EXIT_OK)
		code = (by_itself ? by_itself : command->run)(cli);
	dbl_cli_close(cli);
	return code;
}

static int read_and_run(struct dbl_cli *cli, int argc, char **argv)
{
	alignas(max_align_t) char options[DBL_OPTIONS_SIZE] = {0};
	int code;

	if (cli->command->size > sizeof(options))
		abort();
	if (cli->command->defaults)
		memcpy(options, cli->command->defaults, cli->command->size);
	cli->options = options;
	if (read_line(cli, options, argc, argv, &code))
		return code;
	if (cli->command->commands) {
		code = choose(cli);
		if (code != DBL_EXIT_OK ||
		    read_line(cli, options, cli->words.count, cli->words.word, &code))
			return code;
	}
	return run_command(cli);
}

/* Read the global options, then the command. */
static int run(struct dbl_cli *cli, int argc, char **argv)
{
	const struct dbl_operands operands = {.names = {"COMMAND"}, .verbatim_from = 1};
	const struct dbl_arg_set sets[DBL_ARG_SETS] = {{dbl_global_args, cli}};
	const struct dbl_words *words = &cli->words;
	char message[DBL_ARGS_MESSAGE];

	if (dbl_args_parse(sets, &operands, argc, argv, &cli->words, message))
		return dbl_cli_usage(cli, "%s", message);
	if (cli->version)
		return dbl_command_version.run(cli);
	if (!words->count && cli->help)
		dbl_help_all(cli);
	if (!words->count)
		return cli->help ? DBL_EXIT_OK : dbl_cli_usage(cli, "COMMAND is missing");
	cli->command = dbl_command_find(commands, words->word[0]);
	if (!cli->command)
		return dbl_cli_usage(cli, "unknown command '%s'", words->word[0]);
	return read_and_run(cli, words->count, words->word);
}

/* exit() would take away from a thread of the library what it works with. */
static int end(const struct dbl_cli *cli, int code)
{
	if (cli->closing)
		_exit(code);
	return code;
}

int main(int argc, char **argv)
{
	/* Static, as texts from settings files are used to the end. */
	static struct dbl_cli cli = {.commands = commands};
	int code = run(&cli, argc, argv);

	if (dbl_out_flush() == 0)
		return end(&cli, code);
	dbl_cli_error(&cli, "stdout cannot be written%s%s", dbl_out_errno() ? ": " : "",
		      dbl_out_errno() ? strerror(dbl_out_errno()) : "");
	return end(&cli, code == DBL_EXIT_OK ? DBL_EXIT_IO : code);
}
