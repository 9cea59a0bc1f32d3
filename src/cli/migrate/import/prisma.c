/* SPDX-License-Identifier: MIT */
/* Prisma: 20240131123456_name/migration.sql, and migration_lock.toml beside them. */
#include <string.h>

#include "cli/migrate/import/folders.h"

bool dbl_prisma_is(struct dbl_import *im)
{
	return dbl_has_folder(im, "migration.sql", NULL);
}

/* A folder without a number comes after the ones before it, as Prisma sorts them as texts. One of 0
 * keeps its whole name, by which `adopt` finds it. */
static void read_prisma(struct dbl_one *one)
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
	dbl_read_parts(one, "migration.sql");
}

static void read_provider(struct dbl_import *im)
{
	struct dbl_entry *lock = dbl_folder_find(&im->folder, "migration_lock.toml");
	struct dbl_line line = {0};
	const char *value;
	size_t len;

	if (!lock || !dbl_entry_read(im, lock) ||
	    !dbl_find_value(lock, "provider", &line, &value, &len))
		return;
	for (const char *const *d = dbl_migrate_dialects; *d; d++)
		if (dbl_is_word(value, len, *d))
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
	dbl_read_folders(im, read_prisma);
}
