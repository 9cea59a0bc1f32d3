/* SPDX-License-Identifier: MIT */
#include "cli/ui/cli.h"

#include <stdio.h>

static const char url_forms[] =
	"\nURL:\n"
	"  sqlite:PATH   sqlite:///abs/path\n"
	"  postgresql://user:password@host:port/database   (all that libpq accepts)\n"
	"  mysql://user:password@host:port/database   mariadb://...\n";

static const char durations[] = "\nDUR: 250ms 3s 1.5m 1h 2d 1h30m; a bare number is seconds.\n";

static void list(const struct dbl_command *const *commands)
{
	for (const struct dbl_command *const *c = commands; *c; c++)
		printf("  %-9s %s\n", (*c)->name, (*c)->summary);
}

/* Print the options that the commands of a group share. */
static void help_group(const struct dbl_command *group)
{
	if (!group || !group->args)
		return;
	printf("\noptions of every `dblock %s` command:\n", group->name);
	dbl_args_help(stdout, group->args);
}

void dbl_help_all(const struct dbl_cli *cli)
{
	puts("Distributed locks on the SQL database you already run.\n\n"
	     "usage: dblock [OPTION]... COMMAND [ARGUMENT]...\n\ncommands:");
	list(cli->commands);
	puts("\noptions, before the command or after it:");
	dbl_args_help(stdout, dbl_global_args);
	fputs(url_forms, stdout);
	fputs(durations, stdout);
	puts("\n`dblock help COMMAND` says more.");
}

void dbl_help_command(const struct dbl_command *group, const struct dbl_command *command)
{
	char name[DBL_COMMAND_NAME];

	dbl_command_name(group, command, name);
	printf("usage: dblock %s%s%s\n\n", name, *command->usage ? " " : "", command->usage);
	if (command->about)
		fputs(command->about, stdout);
	else
		printf("%s\n", command->summary);
	if (command->commands) {
		puts("\ncommands:");
		list(command->commands);
	} else if (command->args || command->shared_args) {
		puts("\noptions:");
		dbl_args_help(stdout, command->shared_args);
		dbl_args_help(stdout, command->args);
	}
	help_group(command->commands ? command : group);
	puts("\noptions of every command:");
	dbl_args_help(stdout, dbl_global_args);
	fputs(durations, stdout);
	if (command->commands)
		printf("\n`dblock help %s COMMAND` says more.\n", command->name);
}
