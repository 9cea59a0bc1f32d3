/* SPDX-License-Identifier: MIT */
/* dblock migrate new, embed: files, without a database. */
#include <stdio.h>
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

struct output {
	const struct dbl_cli *cli;
	json_t *files;
};

static void made(void *arg, const char *path)
{
	struct output *out = arg;

	if (out->files)
		json_array_append_new(out->files, json_string(path));
	else
		printf("%s\n", path);
}

static int end(struct output *out, int rc, const struct dblock_error *err)
{
	json_t *object;

	if (rc)
		dbl_cli_error(out->cli, "%s", err->message);
	if (!out->files)
		return dbl_cli_exit(out->cli, rc);
	object = json_object();
	json_object_set_new(object, "ok", json_boolean(rc == DBLOCK_OK));
	dbl_json_text(object, "command", dbl_command_word(out->cli->command));
	json_object_set_new(object, "files", out->files);
	if (rc) {
		json_t *error = json_object();

		dbl_json_text(error, "code", dblock_outcome_name(rc));
		dbl_json_text(error, "message", err->message);
		json_object_set_new(object, "error", error);
	} else {
		json_object_set_new(object, "error", json_null());
	}
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : dbl_cli_exit(out->cli, rc);
}

static int new (struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	const struct dbl_migrate_args *args = options;
	struct output out = {cli, cli->json ? json_array() : NULL};
	struct dblock_error err = {0};
	int rc = dbl_migrate_new(args->dir ? args->dir : "migrations", words->word[0], args->seq,
				 time(NULL), made, &out, &err);

	return end(&out, rc, &err);
}

static int embed(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	const struct dbl_migrate_args *args = options;
	const char *dir = words->count ? words->word[0] : args->dir;
	struct output out = {cli, NULL};
	struct dblock_error err = {0};
	int rc;

	if (!dir || (words->count && args->dir))
		return dbl_cli_usage(cli, "%s", dir ? "DIR is given twice" : "DIR is missing");
	if (!args->out)
		return dbl_cli_usage(cli, "-o FILE is missing");
	out.files = cli->json ? json_array() : NULL;
	rc = dbl_migrate_embed(dir, args->dialect, args->symbol ? args->symbol : "migrations",
			       args->out, &err);
	if (rc == DBLOCK_OK && out.files)
		made(&out, args->out);
	return end(&out, rc, &err);
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
