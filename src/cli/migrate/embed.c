/* SPDX-License-Identifier: MIT */
/* dblock migrate embed: migrations as C source. The texts are arrays of bytes, because C99 promises
 * string literals of no more than 4095 characters; the names come from files that were checked, so
 * nothing needs to be escaped. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/migrate/files.h"

enum { SYMBOL_MAX = 100, A_LINE = 16 };

struct embedding {
	FILE *out;
	const char *symbol;
	char table[64 + SYMBOL_MAX]; /* the name of the array that is being written */
	char *rows;                  /* the rows of that array, while its texts are written */
	size_t rows_len;
	FILE *rows_out;
	size_t count;
	struct dblock_error *err;
};

/* Close a stream in memory, which completes its text. rc: the result so far. */
static int finish(struct embedding *e, FILE *out, int rc)
{
	bool failed = ferror(out);

	failed = fclose(out) || failed;
	return failed && rc == 0 ? dbl_migrate_no_memory(e->err) : rc;
}

/* ---- one migration -------------------------------------------------------------------------- */

/* A byte above 127 is written as a character, as a number would not fit where char is signed. */
static void write_byte(FILE *out, char c)
{
	unsigned byte = (unsigned char)c;

	fprintf(out, byte < 128 ? "%u," : "'\\%o',", byte);
}

static void write_text(struct embedding *e, const char *way, int64_t version, const char *text,
		       size_t len)
{
	fprintf(e->out, "\nstatic const char %s_%s_%" PRId64 "[] = {\n", e->table, way, version);
	for (size_t i = 0; i < len; i++) {
		write_byte(e->out, text[i]);
		if (i % A_LINE == A_LINE - 1)
			fputc('\n', e->out);
	}
	fputs("0};\n", e->out);
}

static void write_reference(struct embedding *e, const char *way, int64_t version)
{
	fprintf(e->rows_out, ", %s_%s_%" PRId64 ", sizeof(%s_%s_%" PRId64 ") - 1", e->table, way,
		version, e->table, way, version);
}

static int write_migration(void *arg, const struct dblock_migration_file *file)
{
	struct embedding *e = arg;

	write_text(e, "up", file->version, file->up, file->up_len);
	if (file->down)
		write_text(e, "down", file->version, file->down, file->down_len);
	fprintf(e->rows_out, "\t{%" PRId64 ", \"%s\"", file->version, file->name);
	write_reference(e, "up", file->version);
	if (file->down)
		write_reference(e, "down", file->version);
	else
		fputs(", NULL, 0", e->rows_out);
	fputs("},\n", e->rows_out);
	e->count++;
	return 0;
}

/* ---- one array ------------------------------------------------------------------------------ */

static void write_table(struct embedding *e)
{
	fprintf(e->out, "\nextern const struct dblock_migration_file %s[];\n", e->table);
	fprintf(e->out, "extern const size_t %s_count;\n\n", e->table);
	fprintf(e->out, "const struct dblock_migration_file %s[] = {\n", e->table);
	fwrite(e->rows, 1, e->rows_len, e->out);
	fprintf(e->out, "};\n\nconst size_t %s_count = %zu;\n", e->table, e->count);
}

static int embed_folder(struct embedding *e, const char *dir, const char *dialect)
{
	int rc;

	e->count = 0;
	e->rows_out = open_memstream(&e->rows, &e->rows_len);
	if (!e->rows_out)
		return dbl_migrate_no_memory(e->err);
	rc = dblock_migrate_check(dir, dialect, write_migration, NULL, e, e->err);
	rc = finish(e, e->rows_out, rc);
	if (rc == 0)
		write_table(e);
	free(e->rows);
	e->rows = NULL;
	return rc;
}

static int embed_each(struct embedding *e, const char *dir)
{
	size_t n = 0;
	int rc = 0;

	if (!dbl_migrate_is_folder(dir))
		return dbl_migrate_refuse(e->err, "there is no folder %s", dir);
	for (const char *const *d = dbl_migrate_dialects; *d && rc == 0; d++) {
		char *path = dbl_migrate_path(dir, *d, e->err);

		if (!path)
			return DBLOCK_E_NOMEM;
		if (dbl_migrate_is_folder(path)) {
			snprintf(e->table, sizeof(e->table), "%s_%s", e->symbol, *d);
			rc = embed_folder(e, dir, *d);
			n++;
		}
		free(path);
	}
	if (rc == 0 && n == 0)
		rc = dbl_migrate_refuse(e->err,
					"%s has no folder sqlite, postgresql or mysql; say with "
					"--dialect which of them its files are for",
					dir);
	return rc;
}

static int embed(struct embedding *e, const char *dir, const char *dialect)
{
	fputs("/* Made by `dblock migrate embed`. Do not change it: make it again. */\n"
	      "#include <stddef.h>\n\n"
	      "#include <dblock/migrate.h>\n",
	      e->out);
	if (!dialect)
		return embed_each(e, dir);
	snprintf(e->table, sizeof(e->table), "%s", e->symbol);
	return embed_folder(e, dir, dialect);
}

int dbl_migrate_embed(const char *dir, const char *dialect, const char *symbol, const char *file,
		      struct dblock_error *err)
{
	struct embedding e = {.symbol = symbol, .err = err};
	char *text = NULL;
	size_t len = 0;
	int rc;

	if (!dbl_migrate_is_identifier(symbol, strlen(symbol)) || strlen(symbol) > SYMBOL_MAX)
		return dbl_migrate_refuse(
			err, "'%.80s' cannot name an array in C; use letters, digits and _",
			symbol);
	e.out = open_memstream(&text, &len);
	if (!e.out)
		return dbl_migrate_no_memory(err);
	rc = finish(&e, e.out, embed(&e, dir, dialect));
	if (rc == 0)
		rc = dbl_migrate_replace_file(file, text, len, err);
	free(text);
	return rc;
}
