/* SPDX-License-Identifier: MIT */
/* dblock migrate status: what is applied, and what is not. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/migrate/call.h"
#include "cli/migrate/commands.h"
#include "cli/ui/exits.h"
#include "cli/ui/table.h"
#include "cli/ui/times.h"

static const char about[] =
	"Lists all migrations, of the files and of the database, and writes nothing. The state is\n"
	"pending, applied, running (somebody is at it, or it stopped between two statements), "
	"failed\n"
	"(the database refused a statement; how many are done stands behind it), in doubt "
	"(`repair`),\n"
	"reverting (begun to be undone), missing (applied, without a file here), newer (missing, "
	"above\n"
	"all files here), changed (applied from another text than the file has now), out of order\n"
	"(pending, below an applied one).\n"
	"\n"
	"--check prints nothing more, and exits with 3 if any are pending, 4 if any are changed,\n"
	"missing or out of order, 5 if any stopped halfway; the largest of these.\n";

static const struct dbl_arg args[] = {
	DBL_MIGRATE_FLAG("check", check, "the exit code says whether all is applied"),
	{0},
};

enum { NO_MEMORY = -1 };

struct output {
	struct dbl_migrate_call call;
	struct dbl_table table;
	int worst; /* exit code, for --check */
};

static int code_of(const struct dblock_migration *m)
{
	switch (m->state) {
	case DBLOCK_MIGRATION_PENDING:
		return m->out_of_order ? DBL_EXIT_MIGRATE_DRIFT : DBL_EXIT_MIGRATE_PENDING;
	case DBLOCK_MIGRATION_APPLIED:
		return m->changed ? DBL_EXIT_MIGRATE_DRIFT : DBL_EXIT_OK;
	case DBLOCK_MIGRATION_MISSING:
		return m->newer ? DBL_EXIT_OK : DBL_EXIT_MIGRATE_DRIFT;
	case DBLOCK_MIGRATION_RUNNING:
		return DBL_EXIT_MIGRATE_PENDING;
	default:
		return DBL_EXIT_MIGRATE_REPAIR;
	}
}

static void add_state(struct dbl_table *table, const struct dblock_migration *m)
{
	char state[80];
	bool halfway =
		m->state == DBLOCK_MIGRATION_FAILED || m->state == DBLOCK_MIGRATION_RUNNING ||
		m->state == DBLOCK_MIGRATION_IN_DOUBT || m->state == DBLOCK_MIGRATION_REVERTING;

	if (halfway)
		snprintf(state, sizeof(state), "%s (%" PRId64 " of %" PRId64 ")",
			 dbl_migrate_state(m), m->step_done, m->steps);
	dbl_table_add(table, halfway ? state : dbl_migrate_state(m));
}

static void add_row(struct dbl_table *table, const struct dblock_migration *m)
{
	char version[32], at[DBL_TIME_TEXT];

	snprintf(version, sizeof(version), "%04" PRId64, m->version);
	dbl_time_local(m->applied_us, at);
	dbl_table_add(table, version);
	dbl_table_add(table, m->name);
	add_state(table, m);
	dbl_table_add(table, at);
	dbl_table_add(table, m->applied_by[0] ? m->applied_by : "-");
}

static int found(void *arg, const struct dblock_migration *m)
{
	struct output *out = arg;
	int code = code_of(m);

	if (code > out->worst)
		out->worst = code;
	if (out->call.migrations)
		json_array_append_new(out->call.migrations, dbl_migrate_json(m));
	else
		add_row(&out->table, m);
	return out->table.failed ? NO_MEMORY : 0;
}

int dbl_migrate_cmd_status(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	static const char *const heads[] = {"VERSION", "NAME", "STATE", "APPLIED", "BY", NULL};
	struct output out = {.table = {.heads = heads}};
	int rc, code = dbl_migrate_begin(&out.call, cli, options);

	(void)words;
	if (code != DBL_EXIT_OK)
		return code;
	rc = dblock_migrate_status(out.call.url, &out.call.options, &out.call.which, found, &out,
				   &out.call.err);
	dbl_table_print(&out.table);
	if (rc)
		return dbl_migrate_end(&out.call, rc);
	return dbl_migrate_end_with(&out.call, rc, out.call.args->check ? out.worst : DBL_EXIT_OK);
}

static const char *const operands[] = {NULL};

const struct dbl_command dbl_migrate_command_status = {
	.name = "migrate status",
	.usage = "[--dir DIR] [--check]",
	.summary = "list what is applied and what is pending",
	.about = about,
	.args = args,
	.operands = {operands, 0, 0},
	.run = dbl_migrate_cmd_status,
};
