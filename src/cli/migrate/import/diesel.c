/* SPDX-License-Identifier: MIT */
/* diesel: 2024-01-31-123456_name/up.sql, down.sql, metadata.toml. Source: diesel 2.3,
 * migrations_internals/src/lib.rs. */
#include <string.h>

#include "cli/migrate/import/folders.h"

bool dbl_diesel_is(struct dbl_import *im)
{
	return dbl_has_folder(im, "up.sql", NULL) && !dbl_has_folder(im, "up.sql", "metadata.yaml");
}

/* As diesel reads it: without the key, a file that is there says false. */
static bool is_in_transaction(struct dbl_one *one)
{
	struct dbl_entry *file = dbl_folder_find(&one->files, "metadata.toml");
	struct dbl_line line = {0};
	const char *value;
	size_t len;

	if (!file || !dbl_entry_read(one->im, file))
		return true;
	if (!dbl_find_value(file, "run_in_transaction", &line, &value, &len))
		return false;
	if (dbl_is_word(value, len, "true") || dbl_is_word(value, len, "false"))
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

static void read_diesel(struct dbl_one *one)
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
	dbl_read_parts(one, "up.sql");
	one->record->up.no_transaction = one->record->down.no_transaction = !is_in_transaction(one);
}

void dbl_diesel_read(struct dbl_import *im)
{
	dbl_read_folders(im, read_diesel);
}
