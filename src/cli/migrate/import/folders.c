/* SPDX-License-Identifier: MIT */
#include "cli/migrate/import/folders.h"

#include <stdlib.h>
#include <string.h>

bool dbl_has_folder(struct dbl_import *im, const char *file, const char *other)
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

/* The file of that name as a part; without one, there is none. */
static struct dbl_part part_of(struct dbl_one *one, const char *name)
{
	struct dbl_entry *file = dbl_folder_find(&one->files, name);

	if (!file || !dbl_entry_read(one->im, file))
		return (struct dbl_part){0};
	return dbl_entry_part(file);
}

void dbl_read_parts(struct dbl_one *one, const char *up)
{
	one->record->up = part_of(one, up);
	one->record->down = part_of(one, "down.sql");
	if (!one->record->up.path && !dbl_folder_find(&one->files, up))
		dbl_import_tell(one->im, DBL_IMPORT_WRONG, one->entry->path, 0,
				"there is no %s in it; write one, or remove the folder", up);
}

void dbl_read_folders(struct dbl_import *im, void (*read)(struct dbl_one *))
{
	for (size_t i = 0; i < im->folder.n; i++) {
		struct dbl_one one = {.im = im, .entry = &im->folder.entries[i]};

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

bool dbl_find_value(const struct dbl_entry *entry, const char *key, struct dbl_line *line,
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

bool dbl_is_word(const char *value, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && memcmp(value, word, n) == 0 && (len == n || strchr(" \t#", value[n]));
}
