/* SPDX-License-Identifier: MIT */
/* dblock ls: who holds what, since when, until when; and who waits. */
#include <stdio.h>

#include "cli/lock/commands.h"
#include "cli/lock/holder.h"
#include "cli/lock/mode.h"
#include "cli/lock/waiter.h"
#include "cli/ui/exits.h"

struct ls_options {
	bool all;
	bool waiters;
};

static const struct dbl_arg ls_args[] = {
	{"all", 'a', DBL_ARG_FLAG, offsetof(struct ls_options, all), NULL, 0, 0,
	 "also names that nobody holds"},
	{"waiters", 0, DBL_ARG_FLAG, offsetof(struct ls_options, waiters), NULL, 0, 0,
	 "list those who wait in line, not the holders"},
	{0},
};

static const char ls_about[] =
	"Lists the locks that are held, in byte order of their names. In PATTERN `*` stands for\n"
	"any text, `?` for one character, and `\\` takes the next character as it is.\n"
	"\n"
	"HELD says why the name is taken: session (as long as its client's session lives),\n"
	"lease (until its own end), rest (released, but kept by --at-least), dead (its session\n"
	"was buried: it is there for the taking), missing (somebody deleted the session's row:\n"
	"use `dblock break`), leaving (it is broken, or released by its token, and its holder has\n"
	"yet to let go), free.\n"
	"\n"
	"A lock that several hold has a line for each. A last column, MODE, is there if anything\n"
	"listed is not held alone: exclusive, shared, update, or `3 of 10` permits.\n"
	"\n"
	"With --waiters it lists those who wait, in each name by their PLACE in line: 1 is next.\n"
	"SESSION is that of who waits: alive, late (its heartbeat is overdue: it is passed\n"
	"over), dead or missing (it counts no more, and has no place).\n";

enum { NO_MEMORY = -1 };

static int add_row(void *table, const struct dblock_holder *holder)
{
	dbl_holder_row(table, holder);
	return ((struct dbl_table *)table)->failed ? NO_MEMORY : 0;
}

static int print_json(void *arg, const struct dblock_holder *holder)
{
	(void)arg;
	return dbl_json_line(dbl_holder_json(holder)) ? NO_MEMORY : 0;
}

static int add_waiter(void *table, const struct dblock_waiter *waiter)
{
	dbl_waiter_row(table, waiter);
	return ((struct dbl_table *)table)->failed ? NO_MEMORY : 0;
}

static int print_waiter_json(void *arg, const struct dblock_waiter *waiter)
{
	(void)arg;
	return dbl_json_line(dbl_waiter_json(waiter)) ? NO_MEMORY : 0;
}

static int list_holders(const struct dbl_cli *cli, const struct ls_options *o, const char *pattern,
			struct dblock_client *client, struct dbl_table *table,
			struct dblock_error *err)
{
	struct dblock_list_options list = DBLOCK_LIST_OPTIONS_INIT;

	list.pattern = pattern;
	list.free_too = o->all;
	table->heads = dbl_holder_heads;
	return dblock_list(client, &list, cli->json ? print_json : add_row, table, err);
}

static int list_waiters(const struct dbl_cli *cli, const char *pattern,
			struct dblock_client *client, struct dbl_table *table,
			struct dblock_error *err)
{
	struct dblock_waiters_options list = DBLOCK_WAITERS_OPTIONS_INIT;

	list.pattern = pattern;
	table->heads = dbl_waiter_heads;
	return dblock_waiters(client, &list, cli->json ? print_waiter_json : add_waiter, table,
			      err);
}

static int ls(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	const struct ls_options *o = options;
	const char *pattern = words->word[0];
	struct dbl_table table = {.spare = DBL_MODE_HEAD, .usual = dbl_mode_usual};
	struct dblock_client *client;
	struct dblock_error err = {0};
	int rc, code;

	if (o->all && o->waiters)
		return dbl_cli_usage(cli, "--all is for holders: it does not go with --waiters");
	code = dbl_cli_open_to_look(cli, &client);
	if (code != DBL_EXIT_OK)
		return code;
	rc = o->waiters ? list_waiters(cli, pattern, client, &table, &err)
			: list_holders(cli, o, pattern, client, &table, &err);
	if (rc == DBLOCK_OK && !cli->json && !table.count)
		dbl_cli_note(cli, "%s%s", o->waiters ? "nobody waits" : "nothing is held",
			     pattern ? o->waiters ? " for what fits the pattern"
						  : " that fits the pattern"
				     : "");
	dbl_table_print(&table);
	if (rc != DBLOCK_OK)
		code = dbl_cli_failed(cli, rc, &err);
	dblock_close(client);
	return code;
}

static const char *const ls_operands[] = {"PATTERN", NULL};
static const struct ls_options ls_defaults = {0};

const struct dbl_command dbl_command_ls = {
	.name = "ls",
	.usage = "[-a | --waiters] [PATTERN]",
	.summary = "list who holds what, since when, until when; or who waits",
	.about = ls_about,
	.args = ls_args,
	.operands = {ls_operands, 0, 0},
	.defaults = &ls_defaults,
	.size = sizeof(ls_defaults),
	.run = ls,
};
