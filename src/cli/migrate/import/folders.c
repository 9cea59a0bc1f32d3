/* SPDX-License-Identifier: MIT */
/* diesel, Prisma, Sourcegraph: a folder for each migration, with up.sql and down.sql, or migration.sql,
 * in it, and a few words about it in a file beside. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/migrate/import/formats.h"

/* ---- what they share ------------------------------------------------------------------------ */

/* Whether there is a folder with a file of that name in it, and, unless it is NULL, with the other. */
static bool has_folder(struct dbl_import *im, const char *file, const char *other)
{
	bool found = false;

	for (size_t i = 0; i < im->folder.n && !found; i++) {
		struct dbl_folder one = {0};

		if (!im->folder.entries[i].is_folder)
			continue;
		if (dbl_folder_list(im, &one, im->folder.entries[i].path, false) == 0)
			found = dbl_folder_find(&one, file) &&
				(!other || dbl_folder_find(&one, other));
		free(one.entries);
	}
	return found;
}

/* A migration that is being read: its folder, and the files in it. */
struct one {
	struct dbl_import *im;
	const struct dbl_entry *entry;
	struct dbl_folder files;
	struct dbl_record *record;
};

/* The file of that name as a part; without one, there is none. */
static struct dbl_part part_of(struct one *one, const char *name)
{
	struct dbl_entry *file = dbl_folder_find(&one->files, name);

	if (!file || !dbl_entry_read(one->im, file))
		return (struct dbl_part){0};
	return dbl_entry_part(file);
}

/* Reads `up`, which must be there, and down.sql. */
static void read_parts(struct one *one, const char *up)
{
	one->record->up = part_of(one, up);
	one->record->down = part_of(one, "down.sql");
	if (!one->record->up.path && !dbl_folder_find(&one->files, up))
		dbl_import_tell(one->im, DBL_IMPORT_WRONG, one->entry->path, 0,
				"there is no %s in it; write one, or remove the folder", up);
}

/* Reads each folder, by name; what is no folder is told of, if it looks like a migration. */
static void read_folders(struct dbl_import *im, void (*read)(struct one *))
{
	for (size_t i = 0; i < im->folder.n; i++) {
		struct one one = {.im = im, .entry = &im->folder.entries[i]};

		if (!one.entry->is_folder && dbl_entry_is(one.entry, ".sql"))
			dbl_import_tell(
				im, DBL_IMPORT_LEFT_OUT, one.entry->path, 0,
				"a file beside the folders, which are the migrations here; put it "
				"into one, or move it away");
		else if (!one.entry->is_folder)
			dbl_entry_tell_code(im, &im->folder.entries[i]);
		else if (dbl_folder_list(im, &one.files, one.entry->path, false))
			dbl_import_tell(im, DBL_IMPORT_WRONG, one.entry->path, 0, "%s",
					im->err->message);
		else if (one.files.n)
			read(&one);
		free(one.files.entries);
	}
}

/* Finds `KEY = value` or `KEY: value` at the beginning of a line; false: there is none. Quotes around
 * the value, and a comment behind it, are cut off. */
static bool find_value(const struct dbl_entry *entry, const char *key, struct dbl_line *line,
		       const char **value, size_t *len)
{
	size_t n = strlen(key);

	while (dbl_line_next(entry, line)) {
		const char *at = dbl_line_trim(line, len), *end = at + *len;

		if (*len <= n || memcmp(at, key, n) != 0)
			continue;
		at += n;
		at += strspn(at, " \t");
		if (at >= end || (*at != '=' && *at != ':'))
			continue;
		at++;
		at += strspn(at, " \t");
		*len = at < end ? (size_t)(end - at) : 0;
		if (*len && (*at == '"' || *at == '\'')) {
			const char *close = memchr(at + 1, *at, *len - 1);

			at++;
			*len = close ? (size_t)(close - at) : *len - 1;
		}
		*value = at;
		return true;
	}
	return false;
}

static bool is_word(const char *value, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && memcmp(value, word, n) == 0 && (len == n || strchr(" \t#", value[n]));
}

/* ---- diesel: 2024-01-31-123456_name/up.sql, down.sql, metadata.toml -------------------------- */

bool dbl_diesel_is(struct dbl_import *im)
{
	return has_folder(im, "up.sql", NULL) && !has_folder(im, "up.sql", "metadata.yaml");
}

/* As diesel reads it: without the key, a file that is there says false. */
static bool is_in_transaction(struct one *one)
{
	struct dbl_entry *file = dbl_folder_find(&one->files, "metadata.toml");
	struct dbl_line line = {0};
	const char *value;
	size_t len;

	if (!file || !dbl_entry_read(one->im, file))
		return true;
	if (!find_value(file, "run_in_transaction", &line, &value, &len))
		return false;
	if (is_word(value, len, "true") || is_word(value, len, "false"))
		return *value == 't';
	dbl_import_tell(one->im, DBL_IMPORT_WRONG, file->path, line.number,
			"run_in_transaction is neither true nor false; make it one of them");
	return true;
}

/* The number: what is before the first underscore, without its dashes. */
static size_t digits_of(const char *name, char digits[64])
{
	size_t n = 0;

	for (; *name && *name != '_' && n < 63; name++)
		if (*name != '-')
			digits[n++] = *name;
	digits[n] = '\0';
	return n;
}

static void read_diesel(struct one *one)
{
	const char *name = strchr(one->entry->name, '_');
	char digits[64];
	size_t n = digits_of(one->entry->name, digits);

	if (n == 0 || digits[strspn(digits, "0123456789")] != '\0') {
		dbl_import_tell(
			one->im, DBL_IMPORT_LEFT_OUT, one->entry->path, 0,
			"this is no migration, as its name does not begin with a number or a "
			"date; call it NNNN_name, or move it away");
		return;
	}
	one->record = dbl_import_add_number(one->im, one->entry, digits, n);
	if (!one->record)
		return;
	one->record->name = dbl_name_of(one->im, name ? name : "", name ? strlen(name) : 0);
	read_parts(one, "up.sql");
	one->record->up.no_transaction = one->record->down.no_transaction = !is_in_transaction(one);
}

void dbl_diesel_read(struct dbl_import *im)
{
	read_folders(im, read_diesel);
}

/* ---- Prisma: 20240131123456_name/migration.sql, migration_lock.toml -------------------------- */

bool dbl_prisma_is(struct dbl_import *im)
{
	return has_folder(im, "migration.sql", NULL);
}

/* A folder without a number comes after the ones before it, as Prisma sorts them as texts. One of 0
 * keeps its whole name, by which `adopt` finds it. */
static void read_prisma(struct one *one)
{
	struct dbl_import *im = one->im;
	const char *name = one->entry->name;
	size_t digits = strspn(name, "0123456789");
	int64_t before = im->n ? im->records[im->n - 1].version : 0;

	if (digits && (name[digits] == '_' || name[digits] == '-')) {
		one->record = dbl_import_add_number(im, one->entry, name, digits);
	} else {
		digits = 0;
		one->record = dbl_import_add(im);
		if (one->record)
			one->record->version = before + 1;
	}
	if (!one->record)
		return;
	if (one->record->version == 0)
		digits = 0;
	one->record->name = dbl_name_of(im, name + digits, strlen(name + digits));
	read_parts(one, "migration.sql");
}

static void read_provider(struct dbl_import *im)
{
	struct dbl_entry *lock = dbl_folder_find(&im->folder, "migration_lock.toml");
	struct dbl_line line = {0};
	const char *value;
	size_t len;

	if (!lock || !dbl_entry_read(im, lock) ||
	    !find_value(lock, "provider", &line, &value, &len))
		return;
	for (const char *const *d = dbl_migrate_dialects; *d; d++)
		if (is_word(value, len, *d))
			im->dialect = *d;
	if (!im->dialect)
		dbl_import_tell(
			im, DBL_IMPORT_WRONG, lock->path, line.number,
			"these files are for %.*s; dblock knows sqlite, postgresql and mysql",
			(int)(len < 40 ? len : 40), value);
}

void dbl_prisma_read(struct dbl_import *im)
{
	read_provider(im);
	read_folders(im, read_prisma);
}

/* ---- Sourcegraph: 1700000000/up.sql, down.sql, metadata.yaml --------------------------------- */

bool dbl_sourcegraph_is(struct dbl_import *im)
{
	return has_folder(im, "up.sql", "metadata.yaml");
}

/* The order of numbers must be that of the parents, too. */
static void check_parents(const struct one *one, const struct dbl_entry *file, int line,
			  const char *list, size_t len)
{
	size_t digits;

	for (size_t at = 0; at < len; at += digits ? digits : 1) {
		int64_t parent;

		digits = strspn(list + at, "0123456789");
		if (dbl_number_read(list + at, digits, &parent) && parent >= one->record->version)
			dbl_import_tell(one->im, DBL_IMPORT_WRONG, file->path, line,
					"its parent %lld comes after it by number, which decides "
					"the order here; give this one a number above that",
					(long long)parent);
	}
}

static void read_metadata(struct one *one, const struct dbl_entry *file)
{
	static const char *const keys[] = {"parents", "parent"};
	struct dbl_line line = {0};
	const char *value = "";
	size_t len;

	if (!find_value(file, "name", &line, &value, &len))
		len = 0;
	one->record->name = dbl_name_of(one->im, value, len);
	for (size_t i = 0; i < 2; i++) {
		line = (struct dbl_line){0};
		if (find_value(file, keys[i], &line, &value, &len))
			check_parents(one, file, line.number, value, len);
	}
	line = (struct dbl_line){0};
	if (find_value(file, "createIndexConcurrently", &line, &value, &len))
		one->record->up.no_transaction = is_word(value, len, "true");
}

static void read_sourcegraph(struct one *one)
{
	struct dbl_entry *metadata = dbl_folder_find(&one->files, "metadata.yaml");
	const char *name = one->entry->name;

	if (name[strspn(name, "0123456789")] != '\0' || !metadata) {
		dbl_import_tell(one->im, DBL_IMPORT_LEFT_OUT, one->entry->path, 0,
				metadata
					? "this is no migration, as its name is no number; call it "
					  "by one, or move it away"
					: "there is no metadata.yaml in it; write one, or move it "
					  "away");
		return;
	}
	one->record = dbl_import_add_number(one->im, one->entry, name, strlen(name));
	if (!one->record)
		return;
	read_parts(one, "up.sql");
	if (dbl_entry_read(one->im, metadata))
		read_metadata(one, metadata);
}

void dbl_sourcegraph_read(struct dbl_import *im)
{
	im->dialect = "postgresql";
	read_folders(im, read_sourcegraph);
}
