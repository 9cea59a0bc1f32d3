/* SPDX-License-Identifier: MIT */
/* dblock global ls: what is prepared somewhere, and what becomes of it. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/global/global.h"

static const char about[] =
	"Lists the transactions over several databases of which something is prepared, or which\n"
	"are decided and not finished everywhere: when each began, how many of its branches keep\n"
	"their rows locked, and what the recovery does with it. Nothing is changed.\n"
	"\n"
	"  dblock global ls -u \"$ORDERS\" -u \"$STOCK\"\n";

static const char *const heads[] = {"ID", "SINCE", "PREPARED", "STATE", "WHY", NULL};

static int add_row(void *table, const struct dblock_recovery *found)
{
	char since[DBL_TIME_TEXT], branches[24];

	dbl_time_local(found->since_us, since);
	snprintf(branches, sizeof(branches), "%" PRId64, found->branches);
	return dbl_table_add(table, found->id, since, branches,
			     dbl_recovered_word(found->outcome, false), found->text)
		       ? DBLOCK_E_NOMEM
		       : 0;
}

static int print_object(void *unused, const struct dblock_recovery *found)
{
	(void)unused;
	return dbl_json_line(dbl_recovery_json(found, false)) ? DBLOCK_E_NOMEM : 0;
}

static int ls(struct dbl_cli *cli)
{
	struct dbl_table table = {.heads = heads};
	struct dbl_databases d;
	int code = dbl_global_look(cli, &d, NULL, NULL, cli->json ? print_object : add_row, &table);

	dbl_databases_close(&d);
	if (code == DBL_EXIT_OK && !cli->json && !table.count)
		dbl_cli_note(cli, "nothing is prepared, and nothing is left to be finished");
	dbl_table_print(&table);
	return code;
}

const struct dbl_command dbl_command_global_ls = {
	.name = "ls",
	.usage = "",
	.summary = "list those that are prepared, or not finished",
	.about = about,
	.run = ls,
	.run_members = ls,
};
