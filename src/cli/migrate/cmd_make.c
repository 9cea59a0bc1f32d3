/* SPDX-License-Identifier: MIT */
/* dblock migrate new, embed: files, without a database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/migrate/call.h"
#include "cli/migrate/files.h"

static const char new_about[] =
	"Makes the two files of a migration, NNNN_NAME.up.sql and NNNN_NAME.down.sql, in DIR, or\n"
	"in each of its folders sqlite, postgresql and mysql that are there, and prints their\n"
	"names. DIR is made if it is not there. The number is the time, YYYYMMDDHHMMSS in UTC, so\n"
	"that two people do not choose the same; with --seq it is the next one of four digits.\n"
	"\n"
	"The files are to be filled, but for two forms, whose NAME can be left out:\n"
	"--version-column adds a column for optimistic locking to TABLE; --fence has every write\n"
	"to TABLE refused whose transaction has not called dblock_fence() for a lock, or has lost\n"
	"it (PostgreSQL, MySQL and MariaDB; a trigger of SQLite cannot tell who writes). TABLE\n"
	"may be SCHEMA.TABLE. Where DIR has no such folders, the text is for the database of the\n"
	"URL, or for that of --dialect.\n";

static const char embed_about[] =
	"Writes the files of DIR as C source, for an application that carries its migrations in\n"
	"itself: one array of struct dblock_migration_file for each of the folders sqlite,\n"
	"postgresql and mysql, migrations_sqlite and so on, with its number of elements in\n"
	"migrations_sqlite_count. The files are checked first. FILE is replaced as a whole, or\n"
	"stays as it was.\n";

static const struct dbl_arg new_args[] = {
	DBL_MIGRATE_FLAG("seq", seq, "number them 0001, 0002, ..."),
	{"dialect", 0, DBL_ARG_TEXTS, DBL_MIGRATE_AT(dialects), "NAME", 0, 0,
	 "only for sqlite, postgresql or mysql; may be given again", "sqlite postgresql mysql"},
	DBL_MIGRATE_TEXT("version-column", 0, version_column, "TABLE",
			 "add a column for optimistic locking to TABLE"),
	DBL_MIGRATE_TEXT("column", 0, column, "NAME", "what to call that column; default version"),
	DBL_MIGRATE_TEXT("fence", 0, fence, "TABLE", "demand a fence for every write to TABLE"),
	DBL_MIGRATE_TEXT("lock", 0, lock, "NAME", "of which lock; default: what TABLE says"),
	{0},
};

static const struct dbl_arg embed_args[] = {
	DBL_MIGRATE_TEXT("output", 'o', out, "FILE", "the C source to write"),
	DBL_MIGRATE_TEXT("symbol", 0, symbol, "NAME",
			 "begin the arrays' names with this; default migrations"),
	DBL_MIGRATE_TEXT("dialect", 0, dialect, "NAME",
			 "only those for sqlite, postgresql or mysql, as one array"),
	{0},
};

static void made(void *arg, const char *path)
{
	struct dbl_migrate_call *call = arg;

	if (call->migrations)
		json_array_append_new(call->migrations, json_string(path));
	else
		printf("%s\n", path);
}

/* A call that needs no database. */
static struct dbl_migrate_call begin(const struct dbl_cli *cli, const struct dbl_migrate_args *args)
{
	return (struct dbl_migrate_call){
		.cli = cli, .args = args, .migrations = cli->json ? json_array() : NULL};
}

static int end(struct dbl_migrate_call *call, int rc)
{
	json_t *object;

	if (rc)
		dbl_migrate_say_failure(call, rc);
	if (!call->migrations)
		return dbl_cli_exit(call->cli, rc);
	object = json_object();
	json_object_set_new(object, "ok", json_boolean(rc == DBLOCK_OK));
	dbl_json_text(object, "command", call->cli->command->name);
	json_object_set_new(object, "files", call->migrations);
	json_object_set_new(object, "error", rc ? dbl_migrate_error(call, rc) : json_null());
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : dbl_cli_exit(call->cli, rc);
}

/* Append a next step, unless the library's message has one. */
static void add_next(struct dblock_error *err, const char *next)
{
	size_t used = strlen(err->message);

	if (!strstr(err->message, "\nnext: "))
		snprintf(err->message + used, sizeof(err->message) - used, "\nnext:  %s", next);
}

static int check_new(const struct dbl_cli *cli)
{
	const struct dbl_migrate_args *args = cli->options;

	if (args->version_column && args->fence)
		return dbl_cli_usage(cli, "--version-column and --fence are two migrations: make "
					  "one, then the other");
	if (args->column && !args->version_column)
		return dbl_cli_usage(cli, "--column goes with --version-column TABLE");
	if (args->lock && !args->fence)
		return dbl_cli_usage(cli, "--lock goes with --fence TABLE");
	if (!cli->words.count && !args->version_column && !args->fence)
		return dbl_cli_usage(cli, "NAME is missing");
	return DBL_EXIT_OK;
}

static struct dbl_draft draft_of(const struct dbl_cli *cli, const struct dbl_migrate_args *args)
{
	if (args->version_column)
		return (struct dbl_draft){.template = "version",
					  .table = args->version_column,
					  .column = args->column ? args->column : "version"};
	if (args->fence)
		return (struct dbl_draft){.template = "fence",
					  .table = args->fence,
					  .lock = args->lock ? args->lock : args->fence,
					  .schema = cli->schema,
					  .prefix = cli->prefix};
	return (struct dbl_draft){0};
}

static int begin_migration(struct dbl_migrate_call *call, const char *name)
{
	const struct dbl_migrate_args *args = call->args;
	struct dbl_making making = {
		.dir = args->which.dir ? args->which.dir : DBL_MIGRATE_DIR,
		.name = name,
		.seq = args->seq,
		.now = time(NULL),
		.dialects = args->dialects.text,
		.n_dialects = args->dialects.n,
		.url_dialect = dbl_migrate_dialect(call->cli),
		.draft = draft_of(call->cli, args),
	};
	char *own = name ? NULL : dbl_draft_name(&making.draft);
	int rc;

	making.name = name ? name : own;
	rc = making.name ? dbl_migrate_new(&making, made, call, &call->err)
			 : dbl_migrate_no_memory(&call->err);
	free(own);
	return rc;
}

static int new (struct dbl_cli *cli)
{
	const struct dbl_migrate_args *args = cli->options;
	struct dbl_migrate_call call = begin(cli, args);
	int rc = begin_migration(&call, cli->words.word[0]);

	if (rc)
		add_next(&call.err,
			 args->version_column ? "correct that, then run 'dblock migrate new "
						"--version-column TABLE'"
			 : args->fence ? "correct that, then run 'dblock migrate new --fence TABLE'"
				       : "correct that, then run 'dblock migrate new NAME'");
	return end(&call, rc);
}

static int embed(struct dbl_cli *cli)
{
	const struct dbl_migrate_args *args = cli->options;
	struct dbl_migrate_args named = *args;
	struct dbl_migrate_call call;
	int rc;

	if (cli->words.count)
		named.which.dir = cli->words.word[0];
	if (!named.which.dir || (cli->words.count && args->which.dir))
		return dbl_cli_usage(cli, "%s",
				     named.which.dir ? "DIR is given twice" : "DIR is missing");
	if (!args->out)
		return dbl_cli_usage(cli, "-o FILE is missing");
	call = begin(cli, &named);
	rc = dbl_migrate_embed(named.which.dir, args->dialect,
			       args->symbol ? args->symbol : "migrations", args->out, &call.err);
	if (rc)
		add_next(&call.err, "correct that, then run 'dblock migrate embed -o FILE.c'");
	else if (call.migrations)
		made(&call, args->out);
	return end(&call, rc);
}

const struct dbl_command dbl_migrate_command_new = {
	.name = "new",
	.usage = "[NAME] [--dir DIR] [--seq] [--version-column TABLE | --fence TABLE]",
	.summary = "make the files of a migration; default DIR: migrations",
	.about = new_about,
	.args = new_args,
	.operands =
		{.names = {"NAME"}}, /* NAME is needed unless it can be made from other options */
	.check = check_new,
	.run = new,
};

const struct dbl_command dbl_migrate_command_embed = {
	.name = "embed",
	.usage = "DIR -o FILE.c [--symbol NAME] [--dialect NAME]",
	.summary = "write migrations as C source",
	.about = embed_about,
	.args = embed_args,
	.operands = {.names = {"DIR"}},
	.run = embed,
};
