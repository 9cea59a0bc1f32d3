/* SPDX-License-Identifier: MIT */
/* Folders of files NNNN_name.sql, with both ways in each. */
#include <string.h>

#include "cli/migrate/import/formats.h"

bool dbl_folder_has_mark(struct dbl_import *im, const char *mark)
{
	for (size_t i = 0; i < im->folder.n; i++) {
		struct dbl_entry *entry = &im->folder.entries[i];
		struct dbl_line line = {0};

		if (entry->is_folder || !dbl_entry_is(entry, ".sql") || !dbl_entry_read(im, entry))
			continue;
		while (dbl_line_next(entry, &line)) {
			if (dbl_line_is_comment(&line) &&
			    memmem(line.text, line.len, mark, strlen(mark)))
				return true;
		}
	}
	return false;
}

struct dbl_record *dbl_import_add_number(struct dbl_import *im, const struct dbl_entry *entry,
					 const char *digits, size_t len)
{
	struct dbl_record *record;
	int64_t version;

	if (dbl_number_read(digits, len, &version)) {
		record = dbl_import_add(im);
		if (record)
			record->version = version;
		return record;
	}
	dbl_import_tell(im, DBL_IMPORT_WRONG, entry->path, 0,
			"its number is too large; give it one of at most %lld",
			(long long)DBLOCK_MIGRATION_REPEATABLE - 1);
	return NULL;
}

static void read_numbered(struct dbl_import *im, struct dbl_entry *entry,
			  void (*read)(struct dbl_import *, const struct dbl_entry *,
				       struct dbl_record *))
{
	size_t digits = strspn(entry->name, "0123456789");
	size_t len = strlen(entry->name) - strlen(".sql");
	struct dbl_record *record;

	if (digits == 0) {
		dbl_import_tell(im, DBL_IMPORT_LEFT_OUT, entry->path, 0,
				"this is no migration, as its name begins with no number; call it "
				"NNNN_name.sql, or move it away");
		return;
	}
	if (!dbl_entry_read(im, entry))
		return;
	record = dbl_import_add_number(im, entry, entry->name, digits);
	if (!record)
		return;
	record->name = dbl_name_of(im, entry->name + digits, len > digits ? len - digits : 0);
	read(im, entry, record);
}

void dbl_numbered_read(struct dbl_import *im,
		       void (*read)(struct dbl_import *, const struct dbl_entry *,
				    struct dbl_record *))
{
	for (size_t i = 0; i < im->folder.n; i++) {
		struct dbl_entry *entry = &im->folder.entries[i];

		if (dbl_entry_is(entry, ".sql"))
			read_numbered(im, entry, read);
		else
			dbl_entry_tell_code(im, entry);
	}
}
