/* SPDX-License-Identifier: MIT */
/* dblock migrate import: another tool's folder becomes one of ours. No database. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/migrate/call.h"
#include "cli/migrate/file/file.h"
#include "cli/migrate/import/import.h"

static const char about[] =
	"Makes the folder OUT of files NNNN_name.up.sql and NNNN_name.down.sql from another\n"
	"tool's migrations in DIR, and prints which file became which. Whose they are is told\n"
	"from the files, or by --from: " DBL_IMPORT_TOOLS ".\n"
	"Numbers stay, so that `migrate adopt` finds in the tool's history what is applied.\n"
	"\n"
	"What is wrong, and what has no meaning here, is named with file and line: programs,\n"
	"variables, commands of the tool's own. Then nothing is written; OUT is made as a whole,\n"
	"and only if its files are what `migrate up` takes. DIR stays as it is.\n";

static const struct dbl_arg args[] = {
	DBL_MIGRATE_TEXT("to", 0, to_dir, "OUT", "the folder to make; default: migrations"),
	DBL_MIGRATE_TEXT("from", 0, from, "TOOL", "whose files they are, where they do not tell"),
	DBL_MIGRATE_TEXT(
		"dialect", 0, dialect, "NAME",
		"what they are written for: sqlite, postgresql or mysql; default: the URL's"),
	DBL_MIGRATE_FLAG("env", env, "take the value of ${NAME} from the environment"),
	DBL_MIGRATE_FLAG("allow-missing", which.allow_missing,
			 "although files that have no meaning here are left out"),
	DBL_MIGRATE_FLAG("dry-run", dry_run, "print it, and write nothing"),
	{0},
};

struct import {
	const struct dbl_cli *cli;
	json_t *files, *imported, *problems; /* NULL without --json */
};

static const char *code_of(enum dbl_import_kind kind)
{
	return kind == DBL_IMPORT_WRONG      ? "files"
	       : kind == DBL_IMPORT_LEFT_OUT ? "left out"
					     : "note";
}

/* Whether it goes on all the same. */
static bool is_harmless(const struct import *it, const struct dbl_import_news *news)
{
	const struct dbl_migrate_args *options = it->cli->options;

	return news->kind == DBL_IMPORT_NOTE ||
	       (news->kind == DBL_IMPORT_LEFT_OUT && options->which.allow_missing);
}

static json_t *json_of(const struct import *it, const struct dbl_import_news *news)
{
	json_t *object = json_object();

	if (news->kind != DBL_IMPORT_MADE)
		dbl_json_text(object, "code", code_of(news->kind));
	dbl_json_text(object, "file", *news->file ? news->file : NULL);
	if (news->kind == DBL_IMPORT_MADE) {
		dbl_json_text(object, "to", news->text);
		return object;
	}
	json_object_set_new(object, "line", news->line ? json_integer(news->line) : json_null());
	json_object_set_new(object, "harmless", json_boolean(is_harmless(it, news)));
	dbl_json_text(object, "detail", news->text);
	return object;
}

static void say(const struct import *it, const struct dbl_import_news *news)
{
	char *file = dbl_text_safe(news->file), *text = dbl_text_safe(news->text);
	char line[24] = "";

	if (news->line)
		snprintf(line, sizeof(line), ":%d", news->line);
	if (file && text && news->kind == DBL_IMPORT_MADE)
		printf("%s -> %s\n", file, text);
	else if (file && text && !(is_harmless(it, news) && it->cli->quiet))
		fprintf(stderr, "%s: %s%s%s%s\n", is_harmless(it, news) ? "warning" : "error", file,
			line, *file ? ": " : "", text);
	free(file);
	free(text);
}

static void told(void *arg, const struct dbl_import_news *news)
{
	struct import *it = arg;

	if (!it->problems) {
		say(it, news);
		return;
	}
	json_array_append_new(news->kind == DBL_IMPORT_MADE ? it->imported : it->problems,
			      json_of(it, news));
	if (news->kind == DBL_IMPORT_MADE)
		json_array_append_new(it->files, json_string(news->text));
}

static void add_next(struct dblock_error *err)
{
	size_t used = strlen(err->message);

	if (!strstr(err->message, "\nnext: "))
		snprintf(err->message + used, sizeof(err->message) - used,
			 "\nnext:  correct that, then run the command again");
}

static int end(const struct import *it, struct dbl_migrate_call *call, const char *tool, int rc)
{
	json_t *object;

	if (rc)
		add_next(&call->err);
	if (rc)
		dbl_migrate_say_failure(call, rc);
	if (!it->problems)
		return dbl_cli_exit(it->cli, rc);
	object = json_object();
	json_object_set_new(object, "ok", json_boolean(rc == DBLOCK_OK));
	dbl_json_text(object, "command", it->cli->command->name);
	dbl_json_text(object, "tool", tool);
	json_object_set_new(object, "files", it->files);
	json_object_set_new(object, "imported", it->imported);
	json_object_set_new(object, "problems", it->problems);
	json_object_set_new(object, "error", rc ? dbl_migrate_error(call, rc) : json_null());
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : dbl_cli_exit(it->cli, rc);
}

static int run(struct dbl_cli *cli)
{
	const struct dbl_migrate_args *options = cli->options;
	struct dbl_migrate_call call = {.cli = cli, .args = options};
	struct import it = {cli, cli->json ? json_array() : NULL, cli->json ? json_array() : NULL,
			    cli->json ? json_array() : NULL};
	struct dbl_importing importing = {
		.dir = cli->words.word[0],
		.out = options->to_dir ? options->to_dir : DBL_MIGRATE_DIR,
		.from = options->from,
		.dialect = options->dialect,
		.url_dialect = cli->url ? dbl_migrate_dialect(cli) : "",
		.env = options->env,
		.allow_missing = options->which.allow_missing,
		.dry_run = options->dry_run,
		.told = told,
		.arg = &it,
	};
	int rc = dbl_migrate_import(&importing, &call.err);

	return end(&it, &call, importing.tool, rc);
}

static int check(const struct dbl_cli *cli)
{
	const struct dbl_migrate_args *options = cli->options;

	if (options->which.dir)
		return dbl_cli_usage(cli,
				     "--dir is not for import: DIR has the other tool's files, "
				     "and --to OUT says where ours are made");
	return DBL_EXIT_OK;
}

const struct dbl_command dbl_migrate_command_import = {
	.name = "import",
	.usage = "DIR [--to OUT] [--from TOOL] [--dialect NAME] [--dry-run]",
	.summary = "make a folder of migrations from another tool's",
	.about = about,
	.args = args,
	.operands = {.names = {"DIR"}, .least = 1},
	.check = check,
	.run = run,
};
