/* SPDX-License-Identifier: MIT */
/* Rails: db/structure.sql makes what all migrations up to the largest of its versions make; they are
 * Ruby, and it becomes one file of that number. */
#include <stdlib.h>
#include <string.h>

#include "cli/migrate/import/formats.h"

static const char how[] = "set config.active_record.schema_format = :sql, run 'bin/rails "
			  "db:schema:dump', and import the folder of structure.sql";

static bool is_ruby(const struct dbl_entry *entry)
{
	size_t digits = strspn(entry->name, "0123456789");

	return digits > 0 && entry->name[digits] == '_' && dbl_entry_is(entry, ".rb");
}

bool dbl_rails_is(struct dbl_import *im)
{
	for (size_t i = 0; i < im->folder.n; i++)
		if (is_ruby(&im->folder.entries[i]))
			return true;
	return dbl_folder_find(&im->folder, "structure.sql") ||
	       dbl_folder_find(&im->folder, "schema.rb");
}

/* The largest number in quotes behind INSERT INTO .. schema_migrations; 0: there is none. */
static int64_t last_version(const struct dbl_entry *structure)
{
	struct dbl_line line = {0};
	int64_t last = 0, version;
	bool inside = false;

	while (dbl_line_next(structure, &line)) {
		size_t len;
		const char *text = dbl_line_trim(&line, &len), *quote = text;

		inside |= memmem(text, len, "INSERT INTO", 11) &&
			  memmem(text, len, "schema_migrations", 17);
		while (inside && (quote = memchr(quote, '\'', (size_t)(text + len - quote)))) {
			size_t digits = strspn(++quote, "0123456789");

			if (quote[digits] == '\'' && dbl_number_read(quote, digits, &version)) {
				last = version > last ? version : last;
				quote += digits + 1;
			}
		}
		inside &= len == 0 || text[len - 1] != ';';
	}
	return last;
}

static void read_structure(struct dbl_import *im, struct dbl_entry *structure)
{
	int64_t last = dbl_entry_read(im, structure) ? last_version(structure) : 0;
	struct dbl_record *record;

	if (structure->text && !last)
		dbl_import_tell(
			im, DBL_IMPORT_WRONG, structure->path, 0,
			"there is no INSERT INTO schema_migrations in it, which says how far it "
			"goes; %s",
			how);
	record = last ? dbl_import_add(im) : NULL;
	if (!record)
		return;
	record->version = last;
	record->name = "structure";
	record->up = dbl_entry_part(structure);
	dbl_import_tell(im, DBL_IMPORT_NOTE, structure->path, 0,
			"this stands for all migrations up to %lld: on a database that Rails has "
			"migrated so far, say 'dblock migrate baseline %lld'",
			(long long)last, (long long)last);
}

void dbl_rails_read(struct dbl_import *im)
{
	struct dbl_entry *structure = dbl_folder_find(&im->folder, "structure.sql");
	struct dbl_entry *schema = dbl_folder_find(&im->folder, "schema.rb");

	if (structure)
		read_structure(im, structure);
	else if (schema)
		dbl_import_tell(im, DBL_IMPORT_WRONG, schema->path, 1, "this is Ruby; %s", how);
	for (size_t i = 0; i < im->folder.n; i++)
		if (!structure && !schema && is_ruby(&im->folder.entries[i]))
			dbl_import_tell(im, DBL_IMPORT_WRONG, im->folder.entries[i].path, 1,
					"this is Ruby; %s", how);
}
