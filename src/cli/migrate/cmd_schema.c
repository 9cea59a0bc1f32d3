/* SPDX-License-Identifier: MIT */
/* dblock schema: the library's own tables, by `dblock migrate` with the files that are built in. */
#include "cli/migrate/call.h"

static const char about[] =
	"Makes the tables that dblock keeps its locks in, and brings them up to date, from files\n"
	"that are built into the program. (An application's own tables are for `dblock migrate`.)\n"
	"Any number of processes may do it at once: each migration is applied exactly once. What\n"
	"was applied stands in the table dblock_migration.\n"
	"\n"
	"Exit code: as of `dblock migrate`: 0 done, or nothing to do; 1 a migration failed; 2 the\n"
	"command line is wrong; 3 status --check: some are pending; 4 what was applied is not\n"
	"what is built in; 5 a person has to look, and use `repair`; 6 another process is\n"
	"migrating, or somebody holds a lock; 7 the database cannot be reached or written, or\n"
	"refuses permission.\n";

static const char up_about[] =
	"Applies the migrations that are missing, and prints a line for each. If there is nothing\n"
	"to do it reads once and writes nothing. Programs of an older dblock go on with newer\n"
	"tables.\n";

static const char down_about[] =
	"Undoes migrations, the one applied last first: one, or so many, or all that were applied\n"
	"after V; --all drops every table of dblock's. Asks first. Nobody may hold a lock: who\n"
	"does is not harmed, and it ends with 6.\n";

static const char status_about[] =
	"Lists all migrations, those built in and those in the database, and writes nothing.\n"
	"\n"
	"--check prints nothing more, and exits with 3 if any are pending, 4 if any are changed,\n"
	"5 if any stopped halfway.\n";

static const char verify_about[] =
	"Compares what was applied with what is built in, and names all that is wrong. Writes\n"
	"nothing.\n";

static const char plan_about[] =
	"Says what `up` would do, and writes nothing. --sql prints a script for the database's\n"
	"own client instead, for somebody else to run: the rows of the history are in it. Run it\n"
	"with psql -v ON_ERROR_STOP=1, with mysql, or with sqlite3 -bail, which stop at the first\n"
	"error.\n";

static const char baseline_about[] =
	"For tables that are there without their history, as after a restore that left it out:\n"
	"records migration V and all below it as applied, without running them. Asks first.\n";

static const char repair_about[] =
	"Changes the row of migration V in the history, by your word; runs nothing. Prints the\n"
	"row as it is and as it would be, and asks.\n";

/* ---- the commands --------------------------------------------------------------------------- */

static const struct dbl_arg up_args[] = {
	DBL_MIGRATE_TO("no further than this migration"),
	DBL_MIGRATE_RUNS,
	{0},
};

static const struct dbl_arg verify_args[] = {
	DBL_MIGRATE_FLAG("strict", which.strict, "a database newer than this program is wrong too"),
	{0},
};

static const struct dbl_arg plan_args[] = {
	DBL_MIGRATE_SQL,
	DBL_MIGRATE_TO("no further than this migration"),
	{0},
};

/* Run the command of `dblock migrate` that has the same name. */
static int run(struct dbl_cli *cli)
{
	return dbl_command_find(dbl_command_migrate.commands, cli->command->name)->run(cli);
}

#define COMMAND(word, line, what, table, n)                                                        \
	static const struct dbl_command word##_command = {                                         \
		.name = #word,                                                                     \
		.usage = line,                                                                     \
		.summary = what,                                                                   \
		.about = word##_about,                                                             \
		.args = table,                                                                     \
		.operands = {.names = {(n) ? "V" : NULL}, .least = (n)},                           \
		.run = run,                                                                        \
	}

COMMAND(up, "[--to V]", "make dblock's tables, or bring them up to date", up_args, 0);
COMMAND(down, "[-n N | --to V | --all] [--yes]", "undo the migration applied last, or more",
	dbl_migrate_down_args, 0);
COMMAND(status, "[--check]", "list what is applied and what is pending", dbl_migrate_status_args,
	0);
COMMAND(verify, "[--strict]", "is what was applied what is built in?", verify_args, 0);
COMMAND(plan, "[--sql] [--to V]", "say what `up` would do", plan_args, 0);
COMMAND(baseline, "V [--yes]", "take existing tables for those of migration V",
	dbl_migrate_baseline_args, 1);
COMMAND(repair, "V --done | --not-done | --applied | --forget | --rechecksum [--yes]",
	"say how to go on with one that stopped halfway", dbl_migrate_repair_args, 1);

static const struct dbl_command *const commands[] = {
	&up_command,   &down_command,     &status_command, &verify_command,
	&plan_command, &baseline_command, &repair_command, &dbl_migrate_command_help,
	NULL};

static const struct dbl_migrate_args defaults = {.own = true, .which = DBL_MIGRATE_WHICH_INIT};

const struct dbl_command dbl_command_schema = {
	.name = "schema",
	.usage = "COMMAND [ARGUMENT]...",
	.summary = "make dblock's own tables, or bring them up to date",
	.about = about,
	.operands = {.names = {"COMMAND"}, .verbatim_from = 1},
	.defaults = &defaults,
	.size = sizeof(defaults),
	.commands = commands,
	.exits_of_migrate = true,
	.one_only = "run it for each member, with its -u",
};
