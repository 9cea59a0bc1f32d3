/* SPDX-License-Identifier: MIT */
/* dblock migrate adopt: what another tool has applied becomes our history; nothing is run. */
#include <limits.h>
#include <stdio.h>

#include <dblock/adopt.h>

#include "cli/migrate/call.h"

static const char about[] =
	"For a database that another tool has migrated: records what that has applied as applied,\n"
	"without running anything. Its history is compared with the files first, by number, by\n"
	"name where it has none, and by checksum where the tool keeps one of the file's bytes;\n"
	"what does not fit is told, and nothing is written. Prints what it would record, and "
	"asks.\n"
	"The tool's own table stays as it is.\n"
	"\n"
	"It knows golang-migrate, Rails, dbmate, Flyway, goose, Liquibase, sqlx, diesel, Atlas,\n"
	"Prisma, knex and node-pg-migrate by their tables; --from says which, if there are two.\n";

static const struct dbl_arg args[] = {
	DBL_MIGRATE_TEXT("from", 0, from, "TOOL", "which tool's history, where there are several"),
	DBL_MIGRATE_FLAG("allow-missing", which.allow_missing,
			 "although it has applied what is not among the files"),
	DBL_MIGRATE_FLAG("dry-run", dry_run, "print it, and write nothing"),
	DBL_MIGRATE_YES,
	DBL_MIGRATE_WAIT,
	{0},
};

struct adoption {
	struct dbl_migrate_call call;
	const struct dblock_migrate_adopted *what;
	bool declined; /* nothing is to be written, */
	int code;      /* as was asked for, or since the answer was no */
};

/* What ends the library's call without a change: none of its own outcomes. */
enum { DECLINED = INT_MAX };

static int show(void *arg, const struct dblock_migration *m)
{
	const struct adoption *it = arg;
	char label[DBL_MIGRATE_LABEL];
	bool adopted = false;

	for (size_t i = 0; i < it->what->n; i++)
		adopted |= it->what->versions[i] == m->version;
	if (m->state == DBLOCK_MIGRATION_PENDING)
		fprintf(stderr, "  %s: %s\n", dbl_migrate_label(label, m->version, m->name),
			adopted ? "would be recorded as applied" : "stays pending");
	return 0;
}

static int told(void *arg, const struct dblock_migrate_adopted *what)
{
	struct adoption *it = arg;
	const struct dbl_cli *cli = it->call.cli;
	int rc = DBLOCK_OK;

	it->what = what;
	if (!cli->quiet && !cli->json) {
		fprintf(stderr, "%s has applied %zu of these files; its table %s is at %s\n",
			what->tool, what->n, what->table, what->version);
		rc = dbl_migrate_look(&it->call, show, it);
	}
	if (rc)
		return rc;
	if (!it->call.args->dry_run)
		it->code = dbl_migrate_ask(&it->call, "Record them as applied?");
	it->declined = it->call.args->dry_run || it->code != DBL_EXIT_OK;
	return it->declined ? DECLINED : DBLOCK_OK;
}

static int tell_recorded(void *arg, const struct dblock_migration *m)
{
	const struct dbl_migrate_call *call = arg;
	char label[DBL_MIGRATE_LABEL];

	if (m->state != DBLOCK_MIGRATION_APPLIED)
		return 0;
	if (call->migrations)
		json_array_append_new(call->migrations, dbl_migrate_json(m));
	else
		printf("recorded %s\n", dbl_migrate_label(label, m->version, m->name));
	return 0;
}

static int run(struct dbl_cli *cli)
{
	struct adoption it = {.code = DBL_EXIT_OK};
	struct dbl_migrate_call *call = &it.call;
	int rc, code = dbl_migrate_begin(call, cli);

	if (code != DBL_EXIT_OK)
		return code;
	rc = dblock_migrate_adopt(call->url, &call->options, &call->which, call->args->from, told,
				  &it, &call->err);
	if (it.declined)
		return it.code != DBL_EXIT_OK ? it.code : dbl_migrate_end(call, DBLOCK_OK);
	if (rc == DBLOCK_OK)
		rc = dbl_migrate_look(call, tell_recorded, call);
	return dbl_migrate_end(call, rc);
}

const struct dbl_command dbl_migrate_command_adopt = {
	.name = "adopt",
	.usage = "[--dir DIR] [--from TOOL] [--dry-run] [--yes]",
	.summary = "take over the history of another migration tool",
	.about = about,
	.args = args,
	.run = run,
};
