/* SPDX-License-Identifier: MIT */
/* dblock migrate up: apply what is missing. */
#include <string.h>

#include "cli/migrate/dump.h"

static const char about[] =
	"Applies the migrations that are missing, in order of number, and prints a line for each.\n"
	"All files are checked first. If there is nothing to do it reads once and writes nothing.\n"
	"Where nothing is recorded yet, and yet there are tables, or the history of another tool\n"
	"(golang-migrate, Flyway and so on), it refuses, and says how to go on.\n"
	"\n"
	"A migration that fails in its transaction leaves nothing behind: correct the file and\n"
	"run `up` again. One that is run step by step (see `dblock help migrate`) says which\n"
	"statement failed, and `up` goes on there once the file is corrected from that line on.\n"
	"The message ends with the command to go on with.\n"
	"\n"
	"TERM and INT stop it before the next statement, with exit code 1; a second one at once.\n";

static const struct dbl_arg args[] = {
	DBL_MIGRATE_TO("no further than this migration"),
	DBL_MIGRATE_COUNT("at most so many"),
	DBL_MIGRATE_OUT_OF_ORDER("also those below one that is applied"),
	DBL_MIGRATE_FLAG("adopt", which.adopt,
			 "first take over what another tool has applied, if any"),
	DBL_MIGRATE_TEXT("dump", 0, dump, "FILE",
			 "afterwards write the schema to it, as `dump` does"),
	DBL_MIGRATE_TABLES,
	DBL_MIGRATE_RUNS,
	{0},
};

static int run(struct dbl_cli *cli)
{
	const struct dbl_migrate_args *asked = cli->options;
	struct dbl_migrate_call call;
	int rc, code;

	if (asked->dump && strcmp(asked->dump, "-") == 0)
		return dbl_cli_usage(cli, "--dump - would mix with the lines of what is applied: "
					  "run 'dblock migrate dump -' afterwards");
	code = dbl_migrate_begin(&call, cli);

	if (code != DBL_EXIT_OK)
		return code;
	rc = asked->dump ? dbl_dump_check(&call, asked->dump) : DBLOCK_OK;
	if (rc)
		return dbl_migrate_end(&call, rc);
	dbl_migrate_warn(&call);
	dbl_migrate_run(&call);
	rc = dblock_migrate_up(call.url, &call.options, &call.which, dbl_migrate_told, &call,
			       &call.err);
	if (rc == DBLOCK_OK && !call.count)
		dbl_cli_note(cli, "nothing to do: all migrations are applied");
	if (rc == DBLOCK_OK && asked->dump)
		rc = dbl_dump_write(&call, asked->dump);
	return dbl_migrate_end(&call, rc);
}

const struct dbl_command dbl_migrate_command_up = {
	.name = "up",
	.usage = "[--dir DIR] [--to V] [-n N]",
	.summary = "apply what is missing",
	.about = about,
	.args = args,
	.run = run,
};
