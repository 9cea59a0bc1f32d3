/* SPDX-License-Identifier: MIT */
/* dblock migrate status: what is applied, and what is not. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/migrate/call.h"
#include "cli/ui/print.h"

static const char about[] =
	"Lists all migrations, of the files and of the database, and writes nothing. The state is\n"
	"pending, applied, running (somebody is at it), stopped (nobody is, and `up` goes on),\n"
	"failed (the database refused a statement; how many are done stands behind it), in doubt\n"
	"(`repair`), reverting (begun to be undone), missing (applied, without a file here),\n"
	"newer (missing, above all files here), changed (applied from another text than the file\n"
	"has now), out of order (pending, below an applied one).\n"
	"\n"
	"--check prints nothing more, and exits with 3 if any are pending, 4 if any are changed,\n"
	"missing or out of order, 5 if any stopped halfway; the largest of these.\n";

const struct dbl_arg dbl_migrate_status_args[] = {
	DBL_MIGRATE_FLAG("check", check, "the exit code says whether all is applied"),
	{0},
};

struct output {
	struct dbl_migrate_call call;
	struct dbl_table table;
	int worst; /* the exit code of --check */
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
	case DBLOCK_MIGRATION_STOPPED:
		return DBL_EXIT_MIGRATE_PENDING;
	default:
		return DBL_EXIT_MIGRATE_REPAIR;
	}
}

static int add_row(struct dbl_table *table, const struct dblock_migration *m)
{
	char version[32], state[80], at[DBL_TIME_TEXT];
	int used = snprintf(state, sizeof(state), "%s", dbl_migrate_state(m));

	if (dbl_migrate_is_stuck(m))
		snprintf(state + used, sizeof(state) - (size_t)used,
			 " (%" PRId64 " of %" PRId64 ")", m->step_done, m->steps);
	snprintf(version, sizeof(version), "%04" PRId64, m->version);
	if (m->version >= DBLOCK_MIGRATION_REPEATABLE)
		strcpy(version, "R");
	dbl_time_local(m->applied_us, at);
	return dbl_table_add(table, version, m->name, state, at,
			     m->applied_by[0] ? m->applied_by : "-");
}

static int found(void *arg, const struct dblock_migration *m)
{
	struct output *out = arg;
	int code = code_of(m);

	if (code > out->worst)
		out->worst = code;
	if (!out->call.migrations)
		return add_row(&out->table, m);
	json_array_append_new(out->call.migrations, dbl_migrate_json(m));
	return 0;
}

static int run(struct dbl_cli *cli)
{
	static const char *const heads[] = {"VERSION", "NAME", "STATE", "APPLIED", "BY", NULL};
	struct output out = {.table = {.heads = heads}};
	int rc, code = dbl_migrate_begin(&out.call, cli);

	if (code != DBL_EXIT_OK)
		return code;
	dbl_migrate_warn(&out.call);
	rc = dbl_migrate_look(&out.call, found, &out);
	dbl_table_print(&out.table);
	if (rc)
		return dbl_migrate_end(&out.call, rc);
	return dbl_migrate_end_with(&out.call, rc, out.call.args->check ? out.worst : DBL_EXIT_OK);
}

const struct dbl_command dbl_migrate_command_status = {
	.name = "status",
	.usage = "[--dir DIR] [--check]",
	.summary = "list what is applied and what is pending",
	.about = about,
	.args = dbl_migrate_status_args,
	.run = run,
};
