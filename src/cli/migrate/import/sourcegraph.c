/* SPDX-License-Identifier: MIT */
/* Sourcegraph's own way: 1700000000/up.sql, down.sql, metadata.yaml. */
#include <string.h>

#include "cli/migrate/import/folders.h"

bool dbl_sourcegraph_is(struct dbl_import *im)
{
	return dbl_has_folder(im, "up.sql", "metadata.yaml");
}

/* The order of numbers must be that of the parents, too. */
static void check_parents(const struct dbl_one *one, const struct dbl_entry *file, int line,
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

static void read_metadata(struct dbl_one *one, const struct dbl_entry *file)
{
	static const char *const keys[] = {"parents", "parent"};
	struct dbl_line line = {0};
	const char *value = "";
	size_t len;

	if (!dbl_find_value(file, "name", &line, &value, &len))
		len = 0;
	one->record->name = dbl_name_of(one->im, value, len);
	for (size_t i = 0; i < 2; i++) {
		line = (struct dbl_line){0};
		if (dbl_find_value(file, keys[i], &line, &value, &len))
			check_parents(one, file, line.number, value, len);
	}
	line = (struct dbl_line){0};
	if (dbl_find_value(file, "createIndexConcurrently", &line, &value, &len))
		one->record->up.no_transaction = dbl_is_word(value, len, "true");
}

static void read_sourcegraph(struct dbl_one *one)
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
	dbl_read_parts(one, "up.sql");
	if (dbl_entry_read(one->im, metadata))
		read_metadata(one, metadata);
}

void dbl_sourcegraph_read(struct dbl_import *im)
{
	im->dialect = "postgresql";
	dbl_read_folders(im, read_sourcegraph);
}
