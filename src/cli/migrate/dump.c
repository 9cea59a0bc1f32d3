/* SPDX-License-Identifier: MIT */
#include "cli/migrate/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <dblock/dump.h>

#include "cli/migrate/files.h"
#include "cli/migrate/program.h"

#define HEAD                                                                                       \
	"-- The schema, as `dblock migrate dump` writes it. Do not change it, make it again.\n\n"

/* So many lines of a difference are told. */
enum { LINES = 40 };

/* ---- before --------------------------------------------------------------------------------- */

static bool is_same_folder(const struct stat *folder, const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 && st.st_dev == folder->st_dev &&
	       st.st_ino == folder->st_ino;
}

/* Would `up` read FILE as a migration, and refuse it for its name? */
static bool is_among(const struct dbl_migrate_call *call, const char *file)
{
	const char *slash = strrchr(file, '/'), *end = strrchr(file, '.');
	char *folder = slash ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
	char *inner = NULL;
	struct stat st;
	bool is = false;

	if (end && strcmp(end, ".sql") == 0 && folder && stat(folder, &st) == 0 && call->dir) {
		inner = dbl_migrate_path(call->dir, dbl_migrate_dialect(call->cli), NULL);
		is = is_same_folder(&st, call->dir) || is_same_folder(&st, inner);
	}
	free(folder);
	free(inner);
	return is;
}

int dbl_dump_check(struct dbl_migrate_call *call, const char *file)
{
	const char *dialect = dbl_migrate_dialect(call->cli);
	struct dbl_dump_tool tool;

	if (is_among(call, file))
		return dbl_migrate_refuse(&call->err,
					  "%s: among the migrations it would be taken for one\n"
					  "state: nothing was done\n"
					  "next:  name a file in another folder",
					  file);
	if (strcmp(dialect, "postgresql") != 0 && strcmp(dialect, "mysql") != 0)
		return DBLOCK_OK;
	return dbl_dump_tool_find(&tool, dialect, &call->err);
}

/* ---- the text ------------------------------------------------------------------------------- */

struct making {
	struct dbl_migrate_call *call;
	FILE *out;
};

static int make(void *arg, const struct dblock_dump *dump)
{
	const struct making *m = arg;
	struct dblock_error *err = &m->call->err;
	const char *dialect = dbl_migrate_dialect(m->call->cli);
	struct dbl_dump_tool tool;
	int rc = DBLOCK_OK;

	fputs(HEAD, m->out);
	if (strcmp(dialect, "sqlite") != 0)
		rc = dbl_dump_tool_find(&tool, dialect, err);
	else if (*dump->tables)
		fprintf(m->out, "%s\n", dump->tables);
	if (rc == DBLOCK_OK && strcmp(dialect, "sqlite") != 0)
		rc = dbl_dump_tool_run(&tool, dump, m->out, err);
	fputs(dump->history, m->out);
	return rc;
}

/* *text is to be freed, also after a failure. */
static int make_text(struct dbl_migrate_call *call, char **text, size_t *len)
{
	struct dblock_migrate_options which = call->which;
	struct making m = {.call = call};
	int rc;

	*text = NULL;
	*len = 0;
	m.out = open_memstream(text, len);
	if (!m.out)
		return dbl_migrate_no_memory(&call->err);
	which.to = which.count = 0;
	which.warned = NULL;
	call->step = 0; /* a failure is of no statement */
	rc = dblock_migrate_dump(call->url, &call->options, &which, make, &m, &call->err);
	if (fclose(m.out) && rc == 0)
		return dbl_migrate_no_memory(&call->err);
	return rc;
}

/* ---- the file ------------------------------------------------------------------------------- */

static char *read_file(const char *path)
{
	FILE *in = fopen(path, "re"), *out;
	char *text = NULL, buffer[4096];
	size_t len, n;

	if (!in)
		return NULL;
	out = open_memstream(&text, &len);
	while (out && (n = fread(buffer, 1, sizeof(buffer), in)) > 0)
		fwrite(buffer, 1, n, out);
	if (out)
		fclose(out);
	fclose(in);
	return text;
}

static int replace(struct dbl_migrate_call *call, const char *file, const char *text, size_t len)
{
	char *old = read_file(file);
	bool same = old && strcmp(old, text) == 0;
	int rc;

	free(old);
	if (same) {
		dbl_cli_note(call->cli, "%s is up to date", file);
		return DBLOCK_OK;
	}
	rc = dbl_migrate_replace_file(file, text, len, &call->err);
	if (rc == DBLOCK_OK && !call->cli->quiet && !call->cli->json)
		printf("wrote %s\n", file);
	return rc;
}

int dbl_dump_write(struct dbl_migrate_call *call, const char *file)
{
	char *text;
	size_t len;
	int rc = make_text(call, &text, &len);

	if (rc == DBLOCK_OK && strcmp(file, "-") == 0)
		fwrite(text, 1, len, stdout);
	else if (rc == DBLOCK_OK)
		rc = replace(call, file, text, len);
	free(text);
	return rc;
}

/* ---- the difference ------------------------------------------------------------------------- */

static void tell(struct dbl_migrate_call *call, const char *file, const char *text)
{
	const char *end = text;
	char *first;

	for (int i = 0; i < LINES && *end; i++)
		end += strcspn(end, "\n") + (end[strcspn(end, "\n")] == '\n');
	first = strndup(text, (size_t)(end - text));
	if (first && call->problems) {
		json_t *object = json_object();

		dbl_json_text(object, "code", "dump");
		json_object_set_new(object, "version", json_null());
		dbl_json_text(object, "name", file);
		json_object_set_new(object, "harmless", json_false());
		dbl_json_text(object, "detail", first);
		json_array_append_new(call->problems, object);
	} else if (first) {
		printf("%s%s", first, *end ? "...\n" : "");
	}
	fflush(stdout);
	free(first);
}

static int differ(struct dbl_migrate_call *call, const char *file, const char *text)
{
	const char *const argv[] = {"diff",         "-u", "--label", file, "--label",
				    "the database", "--", file,      "-",  NULL};
	struct dbl_program program = {.argv = argv, .input = text};
	int rc = dbl_program_run(&program, &call->err);

	if (rc == DBLOCK_OK && !program.missing && program.status == 1)
		tell(call, file, program.out);
	dbl_program_free(&program);
	if (rc)
		return rc;
	dbl_migrate_refuse(&call->err,
			   "%s is not the schema of this database\n"
			   "next:  if the database is right: 'dblock migrate dump %s'",
			   file, file);
	return call->err.code = DBLOCK_E_DRIFT;
}

int dbl_dump_compare(struct dbl_migrate_call *call, const char *file)
{
	char *text, *old = read_file(file);
	size_t len;
	int rc;

	if (!old)
		return dbl_migrate_cannot(&call->err, file, "read");
	rc = make_text(call, &text, &len);
	if (rc == DBLOCK_OK && strcmp(old, text) != 0)
		rc = differ(call, file, text);
	free(text);
	free(old);
	return rc;
}
