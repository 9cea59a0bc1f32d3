/* SPDX-License-Identifier: MIT */
/* dblock migrate verify: do files and database agree? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/migrate/dump.h"
#include "cli/migrate/files.h"

static const char about[] =
	"Compares the files with what was applied, and names all that is wrong: files that were\n"
	"changed, are missing or come too late, two with one number, migrations that stopped\n"
	"halfway, indexes that PostgreSQL calls INVALID. That some are pending is not wrong, nor,\n"
	"unless --strict, that the database is newer than the files. Comments, blanks and line\n"
	"ends do not count, apart from those in quotes. Writes nothing.\n"
	"\n"
	"Exit code: 0 all is well, 2 the files themselves are not sound, 4 they do not fit, 5 a\n"
	"person has to look. --files-only checks the files of all kinds of databases in DIR,\n"
	"without a connection.\n";

static const struct dbl_arg args[] = {
	DBL_MIGRATE_FLAG("strict", which.strict, "a database newer than the files is wrong too"),
	DBL_MIGRATE_FLAG("files-only", files_only, "check the files, without a database"),
	DBL_MIGRATE_TEXT("dump", 0, dump, "FILE",
			 "and that file with the schema, as `dump` writes it"),
	{0},
};

static int found(void *arg, const struct dblock_migrate_problem *problem)
{
	dbl_migrate_problem(arg, problem);
	return 0;
}

/* ---- the files ------------------------------------------------------------------------------ */

/* Check all files, also those after a wrong one. */
static int check_files(struct dbl_migrate_call *call, const char *dialect)
{
	struct dblock_error err = {0};
	int rc = dblock_migrate_check(call->dir, dialect, NULL, found, call, &err);
	const struct dblock_migrate_problem problem = {
		.size = sizeof(problem),
		.kind = DBLOCK_PROBLEM_FILES,
		.name = dialect,
		.detail = err.message,
	};

	if (rc == DBLOCK_OK)
		return rc;
	/* The last message says what to do about all of them. */
	err.message[strcspn(err.message, "\n")] = '\0';
	dbl_migrate_problem(call, &problem);
	snprintf(call->err.message, sizeof(call->err.message),
		 "the files are not sound\n"
		 "next:  correct them, then run 'dblock migrate verify --files-only'");
	return rc;
}

static int files_only(struct dbl_migrate_call *call)
{
	int rc = DBLOCK_OK;
	bool any = false;

	for (const char *const *d = dbl_migrate_dialects; *d; d++) {
		char *path = dbl_migrate_path(call->dir, *d, &call->err);

		if (path && dbl_migrate_is_folder(path)) {
			int one = check_files(call, *d);

			any = true;
			rc = rc ? rc : one;
		}
		free(path);
	}
	return any ? rc : check_files(call, dbl_migrate_dialect(call->cli));
}

/* ---- the database --------------------------------------------------------------------------- */

static const struct dbl_migrate_args *args_of(const struct dbl_cli *cli)
{
	return cli->options;
}

static int run(struct dbl_cli *cli)
{
	struct dbl_migrate_call call;
	int rc, code;

	if (args_of(cli)->dump && args_of(cli)->files_only)
		return dbl_cli_usage(cli, "--dump needs the database, and --files-only has none");
	code = dbl_migrate_begin(&call, cli);
	if (code != DBL_EXIT_OK)
		return code;
	if (call.args->files_only)
		rc = files_only(&call);
	else
		rc = dblock_migrate_verify(call.url, &call.options, &call.which, found, &call,
					   &call.err);
	if (rc == DBLOCK_OK && call.args->dump)
		rc = dbl_dump_compare(&call, call.args->dump);
	if (rc == DBLOCK_OK)
		dbl_cli_note(cli, "nothing is wrong");
	return dbl_migrate_end(&call, rc);
}

const struct dbl_command dbl_migrate_command_verify = {
	.name = "verify",
	.usage = "[--dir DIR] [--strict | --files-only] [--dump FILE]",
	.summary = "do files and database fit together?",
	.about = about,
	.args = args,
	.run = run,
};
