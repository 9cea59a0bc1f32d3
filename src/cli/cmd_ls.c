/* SPDX-License-Identifier: MIT */
/* dblock ls, show: who holds what, since when, until when. */
#include <stdio.h>

#include "commands.h"
#include "exits.h"
#include "holder.h"

struct ls_options {
	bool all;
};

static const struct dbl_arg ls_args[] = {
	{"all", 'a', DBL_ARG_FLAG, offsetof(struct ls_options, all), NULL, 0, 0,
	 "also names that nobody holds"},
	{0},
};

static const char ls_about[] =
	"Lists the locks that are held, in byte order of their names. In PATTERN `*` stands for\n"
	"any text, `?` for one character, and `\\` takes the next character as it is.\n"
	"\n"
	"HELD says why the name is taken: session (as long as its client's session lives),\n"
	"lease (until its own end), rest (released, but kept by --at-least), dead (its session\n"
	"was buried: it is there for the taking), missing (somebody deleted the session's row:\n"
	"use `dblock break`), free.\n";

static const char show_about[] =
	"Shows one lock with its value, also if nobody holds it. Exit code 1: no such name is\n"
	"known.\n";

enum { NO_MEMORY = -1 };

static int add_row(void *table, const struct dblock_holder *holder)
{
	dbl_holder_row(table, holder);
	return ((struct dbl_table *)table)->failed ? NO_MEMORY : 0;
}

static int print_json(void *arg, const struct dblock_holder *holder)
{
	(void)arg;
	return dbl_holder_json(holder) ? NO_MEMORY : 0;
}

static int print_lines(void *arg, const struct dblock_holder *holder)
{
	(void)arg;
	return dbl_holder_lines(holder) ? NO_MEMORY : 0;
}

static int ls(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	const struct ls_options *o = options;
	struct dblock_list_options list = DBLOCK_LIST_OPTIONS_INIT;
	struct dbl_table table = {.heads = dbl_holder_heads};
	struct dblock_client *client;
	struct dblock_error err = {0};
	int rc, code = dbl_cli_open(cli, 0, &client);

	if (code != DBL_EXIT_OK)
		return code;
	list.pattern = words->word[0];
	list.free_too = o->all;
	rc = dblock_list(client, &list, cli->json ? print_json : add_row, &table, &err);
	if (rc == DBLOCK_OK && !cli->json && !table.count)
		dbl_cli_note(cli, "nothing is held%s",
			     list.pattern ? " that fits the pattern" : "");
	dbl_table_print(&table);
	if (rc != DBLOCK_OK)
		code = dbl_cli_failed(cli, rc, &err);
	dblock_close(client);
	return code;
}

static int show(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	struct dblock_client *client;
	struct dblock_error err = {0};
	int rc, code = dbl_cli_open(cli, 0, &client);

	(void)options;
	if (code != DBL_EXIT_OK)
		return code;
	rc = dblock_show(client, words->word[0], cli->json ? print_json : print_lines, NULL, &err);
	if (rc != DBLOCK_OK)
		code = dbl_cli_failed(cli, rc, &err);
	dblock_close(client);
	return code;
}

static const char *const ls_operands[] = {"PATTERN", NULL};
static const char *const show_operands[] = {"NAME", NULL};
static const struct ls_options ls_defaults = {0};

const struct dbl_command dbl_command_ls = {
	.name = "ls",
	.usage = "[-a] [PATTERN]",
	.summary = "list who holds what, since when, until when",
	.about = ls_about,
	.args = ls_args,
	.operands = {ls_operands, 0, 0},
	.defaults = &ls_defaults,
	.size = sizeof(ls_defaults),
	.run = ls,
};

const struct dbl_command dbl_command_show = {
	.name = "show",
	.usage = "NAME",
	.summary = "show one lock with all that is known of it",
	.about = show_about,
	.operands = {show_operands, 1, 0},
	.run = show,
};
