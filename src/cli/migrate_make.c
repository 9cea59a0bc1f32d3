/* SPDX-License-Identifier: MIT */
/* dblock migrate new, embed: files, without a database. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "exits.h"
#include "migrate_cli.h"
#include "migrate_commands.h"
#include "migrate_files.h"

static const char new_about[] =
	"Makes the two files of a migration, NNNN_NAME.up.sql and NNNN_NAME.down.sql, in DIR, or "
	"in\n"
	"each of its folders sqlite, postgresql and mysql that are there, and prints their names.\n"
	"DIR is made if it is not there. The number is the time, YYYYMMDDHHMMSS in UTC, so that "
	"two\n"
	"people do not choose the same; with --seq it is the next one of four digits.\n";

static const char embed_about[] =
	"Writes the files of DIR as C source, for an application that carries its migrations in\n"
	"itself: one array of struct dblock_migration_file for each of the folders sqlite,\n"
	"postgresql and mysql, migrations_sqlite and so on, with its number of elements in\n"
	"migrations_sqlite_count. The files are checked first. FILE is replaced as a whole, or "
	"stays\n"
	"as it was.\n";

static const struct dbl_arg new_args[] = {
	DBL_MIGRATE_FLAG("seq", seq, "number them 0001, 0002, ..."),
	{0},
};

static const struct dbl_arg embed_args[] = {
	{"output", 'o', DBL_ARG_TEXT, offsetof(struct dbl_migrate_args, out), "FILE", 0, 0,
	 "the C source to write"},
	{"symbol", 0, DBL_ARG_TEXT, offsetof(struct dbl_migrate_args, symbol), "NAME", 0, 0,
	 "begin the arrays' names with this; default migrations"},
	{"dialect", 0, DBL_ARG_TEXT, offsetof(struct dbl_migrate_args, dialect), "NAME", 0, 0,
	 "only those for sqlite, postgresql or mysql, as one array"},
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

/* Of a call that needs no database. */
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
	dbl_json_text(object, "command", dbl_command_word(call->cli->command));
	json_object_set_new(object, "files", call->migrations);
	json_object_set_new(object, "error", rc ? dbl_migrate_error(call, rc) : json_null());
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : dbl_cli_exit(call->cli, rc);
}

/* What the library says has its own. */
static void add_next(struct dblock_error *err, const char *next)
{
	size_t used = strlen(err->message);

	if (!strstr(err->message, "\nnext: "))
		snprintf(err->message + used, sizeof(err->message) - used, "\nnext:  %s", next);
}

static int new (struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	const struct dbl_migrate_args *args = options;
	struct dbl_migrate_call call = begin(cli, args);
	int rc = dbl_migrate_new(args->dir ? args->dir : "migrations", words->word[0], args->seq,
				 time(NULL), made, &call, &call.err);

	if (rc)
		add_next(&call.err, "correct that, then run 'dblock migrate new NAME'");
	return end(&call, rc);
}

static int embed(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	const struct dbl_migrate_args *args = options;
	struct dbl_migrate_args named = *args;
	struct dbl_migrate_call call;
	int rc;

	if (words->count)
		named.dir = words->word[0];
	if (!named.dir || (words->count && args->dir))
		return dbl_cli_usage(cli, "%s",
				     named.dir ? "DIR is given twice" : "DIR is missing");
	if (!args->out)
		return dbl_cli_usage(cli, "-o FILE is missing");
	call = begin(cli, &named);
	rc = dbl_migrate_embed(named.dir, args->dialect, args->symbol ? args->symbol : "migrations",
			       args->out, &call.err);
	if (rc)
		add_next(&call.err, "correct that, then run 'dblock migrate embed -o FILE.c'");
	else if (call.migrations)
		made(&call, args->out);
	return end(&call, rc);
}

static const char *const new_operands[] = {"NAME", NULL};
static const char *const embed_operands[] = {"DIR", NULL};

const struct dbl_command dbl_migrate_command_new = {
	.name = "migrate new",
	.usage = "NAME [--dir DIR] [--seq]",
	.summary = "make the files of a migration; default DIR: migrations",
	.about = new_about,
	.args = new_args,
	.operands = {new_operands, 1, 0},
	.group = &dbl_command_migrate,
	.run = new,
};

const struct dbl_command dbl_migrate_command_embed = {
	.name = "migrate embed",
	.usage = "DIR -o FILE.c [--symbol NAME] [--dialect NAME]",
	.summary = "write migrations as C source",
	.about = embed_about,
	.args = embed_args,
	.operands = {embed_operands, 0, 0},
	.group = &dbl_command_migrate,
	.run = embed,
};
