/* SPDX-License-Identifier: MIT */
/* dblock migrate: the group of commands, and what they share on the command line. */
#include <string.h>

#include "cli/migrate/call.h"

static const char about[] =
	"Brings an application's tables to what numbered SQL files say: those in DIR, else those\n"
	"in ./migrations. (dblock's own tables are for `dblock schema`.) Any number of processes\n"
	"may do it at once: each file is applied exactly once. What was applied stands in the\n"
	"table dblock_migration.\n"
	"\n"
	"The files are NNNN_name.up.sql and NNNN_name.down.sql, in DIR/sqlite, DIR/postgresql and\n"
	"DIR/mysql if there are such folders, else in DIR. Each is one transaction; on MySQL, and\n"
	"where the first line is `-- no-transaction`, each statement is one, and is counted, so\n"
	"that a later `up` goes on where it stopped. R_name.sql comes after all others, and again\n"
	"whenever its text has changed.\n"
	"\n"
	"Exit code: 0 done, or nothing to do; 1 a migration failed, and was rolled back or\n"
	"stopped safely, or plan --strict: one would lose, break or block something; 2 the\n"
	"command line or the files are wrong, nothing was done; 3 status --check: some are\n"
	"pending; 4 files were changed, are missing or out of order; 5 a person has to look, and\n"
	"use `repair`; 6 another process is migrating, for longer than --wait, or uses the\n"
	"database that is to be dropped; 7 the database does not exist, cannot be reached or\n"
	"written, or refuses permission.\n";

static const struct dbl_arg args[] = {
	DBL_MIGRATE_TEXT("dir", 'd', which.dir, "DIR",
			 "the folder of the files; default: migrations, if it is there"),
	DBL_MIGRATE_TEXT("scope", 0, which.scope, "NAME",
			 "whose they are, of several in one database; default app"),
	{"var", 'V', DBL_ARG_TEXTS, DBL_MIGRATE_AT(variables), "NAME=VALUE", 0, 0,
	 "a variable of the files, else of the environment; may be given again", NULL},
	{0},
};

static int help(struct dbl_cli *cli)
{
	const struct dbl_words *words = &cli->words;
	const struct dbl_command *command = NULL;

	if (words->count) {
		command = dbl_command_find(cli->group->commands, words->word[0]);
		if (!command)
			return dbl_cli_usage(cli, "unknown command '%s'", words->word[0]);
	}
	dbl_help_command(command ? cli->group : NULL, command ? command : cli->group);
	return DBL_EXIT_OK;
}

const struct dbl_command dbl_migrate_command_help = {
	.name = "help",
	.usage = "[COMMAND]",
	.summary = "explain one of these commands",
	.operands = {.names = {"COMMAND"}},
	.run = help,
};

static const struct dbl_command *const commands[] = {
	&dbl_migrate_command_up,       &dbl_migrate_command_down,
	&dbl_migrate_command_to,       &dbl_migrate_command_goto,
	&dbl_migrate_command_redo,     &dbl_migrate_command_status,
	&dbl_migrate_command_verify,   &dbl_migrate_command_plan,
	&dbl_migrate_command_new,      &dbl_migrate_command_embed,
	&dbl_migrate_command_baseline, &dbl_migrate_command_adopt,
	&dbl_migrate_command_repair,   &dbl_migrate_command_dump,
	&dbl_migrate_command_wait,     &dbl_migrate_command_create,
	&dbl_migrate_command_drop,     &dbl_migrate_command_import,
	&dbl_migrate_command_help,     NULL,
};

static const struct dbl_migrate_args defaults = {.which = DBL_MIGRATE_WHICH_INIT};

/* golang-migrate's, Flyway's, goose's, dbmate's, sqlx's, Liquibase's, where they are not the same. */
static const struct dbl_elsewhere elsewhere[] = {
	{"migrate", "up"},
	{"run", "up"},
	{"update", "up"},
	{"up-by-one", "up -n 1"},
	{"up-to", "up --to V"},
	{"rollback", "down"},
	{"revert", "down"},
	{"undo", "down"},
	{"down-to", "down --to V"},
	{"reset", "down --all"},
	{"clean", "drop"},
	{"info", "status"},
	{"version", "status"},
	{"history", "status"},
	{"validate", "verify"},
	{"add", "new NAME"},
	{"force", "repair V --applied"},
	{"changelog-sync", "baseline V"},
	{0},
};

const struct dbl_command dbl_command_migrate = {
	.name = "migrate",
	.usage = "COMMAND [ARGUMENT]...",
	.summary = "bring an application's tables to what its SQL files say",
	.about = about,
	.args = args,
	.operands = {.names = {"COMMAND"}, .verbatim_from = 1},
	.defaults = &defaults,
	.size = sizeof(defaults),
	.commands = commands,
	.elsewhere = elsewhere,
	.exits_of_migrate = true,
	.one_only = "run it for each member, with its -u",
};

_Static_assert(sizeof(struct dbl_migrate_args) <= DBL_OPTIONS_SIZE, "options fit");
