/* SPDX-License-Identifier: MIT */
/* golang-migrate, sqlx and Atlas: the whole file is the migration, and its name says which way. They
 * are ours already, but for names that are none here. The bytes stay, for the sake of checksums. */
#include <string.h>

#include "cli/migrate/import/formats.h"

enum way { UP, DOWN, ONLY_UP };

/* The last ".up." or ".down." in the name: 7_x.up.sql, and as it happens 7_x.up.db.sql. */
static const char *find_way(const char *name, enum way *way)
{
	const char *found = NULL, *at;

	*way = ONLY_UP;
	for (at = name; (at = strstr(at, ".up.")); at++) {
		found = at;
		*way = UP;
	}
	for (at = found ? found : name; (at = strstr(at, ".down.")); at++) {
		found = at;
		*way = DOWN;
	}
	return found ? found : name + strlen(name) - strlen(".sql");
}

static bool is_numbered(const struct dbl_entry *entry)
{
	size_t digits = strspn(entry->name, "0123456789");

	return digits > 0 && entry->name[digits] == '_' && dbl_entry_is(entry, ".sql");
}

bool dbl_pairs_is(struct dbl_import *im)
{
	enum way way;

	for (size_t i = 0; i < im->folder.n; i++) {
		(void)find_way(im->folder.entries[i].name, &way);
		if (is_numbered(&im->folder.entries[i]) && way != ONLY_UP)
			return true;
	}
	return false;
}

bool dbl_plain_is(struct dbl_import *im)
{
	for (size_t i = 0; i < im->folder.n; i++)
		if (is_numbered(&im->folder.entries[i]))
			return true;
	return false;
}

static void take_up(struct dbl_import *im, struct dbl_entry *entry)
{
	size_t digits = strspn(entry->name, "0123456789");
	struct dbl_record *record = dbl_import_add_number(im, entry, entry->name, digits);
	const char *name = entry->name + digits + 1;
	enum way way;

	if (!record)
		return;
	record->name = dbl_name_of(im, name, (size_t)(find_way(name - 1, &way) - name));
	record->up = dbl_entry_part(entry);
	/* sqlx takes any line that begins so. */
	record->up.no_transaction = strncmp(entry->text, "-- no-transaction", 17) == 0;
}

static void take_down(struct dbl_import *im, struct dbl_entry *entry)
{
	int64_t version;
	size_t i = 0;

	if (!dbl_number_read(entry->name, strspn(entry->name, "0123456789"), &version))
		return; /* what it undoes was told of */
	while (i < im->n && im->records[i].version != version)
		i++;
	if (i == im->n) {
		dbl_import_tell(im, DBL_IMPORT_WRONG, entry->path, 0,
				"what it undoes is missing; put its .up.sql there, or remove it");
	} else if (im->records[i].down.path) {
		dbl_import_tell(im, DBL_IMPORT_WRONG, entry->path, 0,
				"%s undoes the same number; remove one of them",
				im->records[i].down.path);
	} else {
		im->records[i].down = dbl_entry_part(entry);
		im->records[i].down.no_transaction =
			strncmp(entry->text, "-- no-transaction", 17) == 0;
	}
}

static void take(struct dbl_import *im, struct dbl_entry *entry, bool downs)
{
	enum way way;

	if (!is_numbered(entry)) {
		if (!downs && dbl_entry_is(entry, ".sql"))
			dbl_import_tell(
				im, DBL_IMPORT_LEFT_OUT, entry->path, 0,
				"this is no migration, as its name does not begin with a number "
				"and _; call it NNNN_name.up.sql, or move it away");
		else if (!downs)
			dbl_entry_tell_code(im, entry);
		return;
	}
	(void)find_way(entry->name, &way);
	if (downs != (way == DOWN) || !dbl_entry_read(im, entry))
		return;
	if (downs)
		take_down(im, entry);
	else
		take_up(im, entry);
}

void dbl_plain_read(struct dbl_import *im)
{
	for (size_t i = 0; i < im->folder.n; i++)
		take(im, &im->folder.entries[i], false);
	for (size_t i = 0; i < im->folder.n; i++)
		take(im, &im->folder.entries[i], true);
}
