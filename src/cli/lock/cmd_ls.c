/* SPDX-License-Identifier: MIT */
/* dblock ls: who holds what, since when, until when; and who waits. */
#include <stdio.h>

#include "cli/lock/words.h"
#include "cli/ui/cli.h"

struct ls_options {
	bool all;
	bool waiters;
};

static const struct dbl_arg ls_args[] = {
	DBL_FLAG_ARG("all", 'a', offsetof(struct ls_options, all), "also names that nobody holds"),
	DBL_FLAG_ARG("waiters", 0, offsetof(struct ls_options, waiters),
		     "list those who wait in line, not the holders"),
	{0},
};

static const char ls_about[] =
	"Lists the locks that are held, in byte order of their names. In PATTERN `*` stands for\n"
	"any text, `?` for one character, and `\\` takes the next character as it is.\n"
	"\n"
	"HELD says why the name is taken: session (as long as its client's session lives),\n"
	"lease (until its own end), minimum (released, but kept by --at-least), dead (its\n"
	"session was buried: it is there for the taking), missing (somebody deleted the session's "
	"row:\n"
	"use `dblock break`), leaving (it is broken, or released by its token, and its holder has\n"
	"yet to let go), free.\n"
	"\n"
	"A lock that several hold has a line for each. A last column, MODE, is there if anything\n"
	"listed is not held alone: exclusive, shared, update, or `3 of 10` permits.\n"
	"\n"
	"With --waiters it lists those who wait, in each name by their PLACE in line: 1 is next.\n"
	"SESSION is that of who waits: alive, late (its heartbeat is overdue: it is passed\n"
	"over), dead or missing (it counts no more, and has no place).\n";

static int print_holder(void *arg, const struct dblock_holder *holder)
{
	(void)arg;
	return dbl_json_line(dbl_holder_json(holder));
}

static int print_waiter(void *arg, const struct dblock_waiter *waiter)
{
	(void)arg;
	return dbl_json_line(dbl_waiter_json(waiter));
}

static int list_holders(struct dbl_cli *cli, const char *pattern, struct dbl_table *table)
{
	struct dblock_list_options list = DBLOCK_LIST_OPTIONS_INIT;

	list.pattern = pattern;
	list.free_too = ((const struct ls_options *)cli->options)->all;
	table->heads = dbl_holder_heads;
	return dblock_list(cli->client, &list, cli->json ? print_holder : dbl_holder_row, table,
			   &cli->err);
}

static int list_waiters(struct dbl_cli *cli, const char *pattern, struct dbl_table *table)
{
	struct dblock_waiters_options list = DBLOCK_WAITERS_OPTIONS_INIT;

	list.pattern = pattern;
	table->heads = dbl_waiter_heads;
	return dblock_waiters(cli->client, &list, cli->json ? print_waiter : dbl_waiter_row, table,
			      &cli->err);
}

static int check(const struct dbl_cli *cli)
{
	const struct ls_options *o = cli->options;

	if (o->all && o->waiters)
		return dbl_cli_usage(cli, "--all is for holders: it does not go with --waiters");
	return DBL_EXIT_OK;
}

static int ls(struct dbl_cli *cli)
{
	const struct ls_options *o = cli->options;
	const char *pattern = cli->words.word[0];
	struct dbl_table table = {.spare = DBL_MODE_HEAD, .usual = dbl_mode_usual};
	int rc = (o->waiters ? list_waiters : list_holders)(cli, pattern, &table);

	if (rc == DBLOCK_OK && !cli->json && !table.count)
		dbl_cli_note(cli, "%s%s", o->waiters ? "nobody waits" : "nothing is held",
			     pattern ? o->waiters ? " for what fits the pattern"
						  : " that fits the pattern"
				     : "");
	dbl_table_print(&table);
	return dbl_cli_ended(cli, rc, &cli->err);
}

const struct dbl_command dbl_command_ls = {
	.name = "ls",
	.usage = "[-a | --waiters] [PATTERN]",
	.summary = "list who holds what, since when, until when; or who waits",
	.about = ls_about,
	.args = ls_args,
	.operands = {{"PATTERN"}, 0, 0},
	.client = DBL_CLIENT_LOOK,
	.check = check,
	.run = ls,
};
