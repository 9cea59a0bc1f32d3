/* SPDX-License-Identifier: MIT */
/* dblock migrate up, status: the library's own tables. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "exits.h"
#include "json.h"
#include "table.h"
#include "times.h"

static const char about[] =
	"migrate up creates the tables, or brings them up to date, and prints what it applied.\n"
	"Any number may run at once: each migration is applied exactly once.\n"
	"migrate status lists all migrations and changes nothing.\n"
	"\n"
	"A new SQLite file gets its tables at first use; a server never gets them without being\n"
	"asked, by this command or by --auto-migrate.\n";

enum { NO_MEMORY = -1 };

struct output {
	const struct dbl_cli *cli;
	struct dbl_table table;
	int64_t count;
};

static const char *state(const struct dblock_migration *m)
{
	switch (m->state) {
	case DBLOCK_MIGRATION_PENDING:
		return "pending";
	case DBLOCK_MIGRATION_APPLIED:
		return m->changed ? "changed" : "applied";
	case DBLOCK_MIGRATION_RUNNING:
		return "running";
	case DBLOCK_MIGRATION_MISSING:
		return "missing";
	case DBLOCK_MIGRATION_FAILED:
		return "failed";
	case DBLOCK_MIGRATION_IN_DOUBT:
		return "in doubt";
	case DBLOCK_MIGRATION_REVERTING:
		return "reverting";
	}
	return "?";
}

static int print_json(const struct dblock_migration *m)
{
	json_t *object = json_object();

	dbl_json_number(object, "version", m->version);
	dbl_json_text(object, "name", m->name);
	dbl_json_text(object, "state", state(m));
	dbl_json_time(object, "applied", m->applied_us);
	dbl_json_text(object, "applied_by", m->applied_by);
	return dbl_json_line(object) ? NO_MEMORY : 0;
}

static int applied(void *arg, const struct dblock_migration *m)
{
	struct output *out = arg;

	out->count++;
	if (out->cli->json)
		return print_json(m);
	printf("applied %04" PRId64 " %s\n", m->version, m->name);
	return 0;
}

static int found(void *arg, const struct dblock_migration *m)
{
	struct output *out = arg;
	char version[32], at[DBL_TIME_TEXT];

	if (out->cli->json)
		return print_json(m);
	snprintf(version, sizeof(version), "%04" PRId64, m->version);
	dbl_time_local(m->applied_us, at);
	dbl_table_add(&out->table, version);
	dbl_table_add(&out->table, m->name);
	dbl_table_add(&out->table, state(m));
	dbl_table_add(&out->table, at);
	dbl_table_add(&out->table, m->applied_by[0] ? m->applied_by : "-");
	return out->table.failed ? NO_MEMORY : 0;
}

struct options {
	const char *dir;
	const char *scope;
};

static int run(struct dbl_cli *cli, const void *given, const struct dbl_words *words)
{
	const struct options *options = given;
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
	static const char *const heads[] = {"VERSION", "NAME", "STATE", "APPLIED", "BY", NULL};
	struct dblock_client_options o = dbl_cli_options(cli);
	struct output out = {cli, {.heads = heads}, 0};
	struct dblock_error err = {0};
	bool up = strcmp(words->word[0], "up") == 0;
	int rc;

	which.dir = options->dir;
	which.scope = options->scope;
	/* As long as its answers may take, another process may. */
	which.wait_ms = cli->timeout_ms;
	if (up)
		rc = dblock_migrate_up(dbl_cli_url(cli), &o, &which, applied, &out, &err);
	else if (strcmp(words->word[0], "status") == 0)
		rc = dblock_migrate_status(dbl_cli_url(cli), &o, &which, found, &out, &err);
	else
		return dbl_cli_usage(cli, "'%s' is neither 'up' nor 'status'", words->word[0]);
	dbl_table_print(&out.table);
	if (rc != DBLOCK_OK)
		return dbl_cli_failed(cli, rc, &err);
	if (up && !out.count)
		dbl_cli_note(cli, "nothing to do: all migrations are applied");
	return DBL_EXIT_OK;
}

static const struct dbl_arg args[] = {
	{"dir", 0, DBL_ARG_TEXT, offsetof(struct options, dir), "DIR", 0, 0,
	 "an application's migrations: DIR/<database>/ if there, else DIR"},
	{"scope", 0, DBL_ARG_TEXT, offsetof(struct options, scope), "NAME", 0, 0,
	 "whose they are; app unless given"},
	{0},
};

static const struct options defaults = {0};

static const char *const operands[] = {"up|status", NULL};

const struct dbl_command dbl_command_migrate = {
	.name = "migrate",
	.usage = "up|status",
	.summary = "create or update the tables, or say what is applied",
	.about = about,
	.args = args,
	.operands = {operands, 1, 0},
	.defaults = &defaults,
	.size = sizeof(defaults),
	.run = run,
};
