/* SPDX-License-Identifier: MIT */
/* The files of a folder, two and two: by their names, and then their texts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "migrate/set/set_own.h"

/* ---- their names ---------------------------------------------------------------------------- */

static int by_version(const void *left, const void *right)
{
	const struct dbl_entry *a = left, *b = right;
	bool a_down = a->name.way == DBL_WAY_DOWN, b_down = b->name.way == DBL_WAY_DOWN;

	if (a->name.version != b->name.version)
		return a->name.version < b->name.version ? -1 : 1;
	return a_down != b_down ? a_down - b_down : strcmp(a->file, b->file);
}

static int read_names(struct dbl_folder *folder, struct dblock_error *err)
{
	for (size_t i = 0; i < folder->n; i++) {
		struct dbl_entry *entry = &folder->entries[i];
		int rc = dbl_file_name_read(&entry->name, entry->file, err);

		if (rc) {
			dbl_err_prefix(err, "%s/%s", folder->path, entry->file);
			return rc;
		}
	}
	qsort(folder->entries, folder->n, sizeof(*folder->entries), by_version);
	return 0;
}

static bool same_name(const struct dbl_entry *a, const struct dbl_entry *b)
{
	return a->name.len == b->name.len && memcmp(a->name.name, b->name.name, a->name.len) == 0;
}

/* Can `entry` be the other half of the file that begins with `up`? NULL: nothing is there yet. */
static int check_pair(const struct dbl_folder *folder, const struct dbl_entry *up,
		      const struct dbl_entry *down, const struct dbl_entry *entry,
		      struct dblock_error *err)
{
	bool is_down = entry->name.way == DBL_WAY_DOWN;
	const struct dbl_entry *twin = is_down ? down : up;

	if (is_down && !up)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s/%s: what it undoes is missing; put its .up.sql there, or "
				"remove it",
				folder->path, entry->file);
	if (twin)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s: %s and %s have the same number; give one of them another",
				folder->path, twin->file, entry->file);
	if (is_down && !same_name(up, entry))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s: %s does not undo %s, whose number it has; give both one name",
				folder->path, entry->file, up->file);
	if (is_down && up->name.way == DBL_WAY_ONLY_UP)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s: %s is to undo %s, which a name without .up says cannot be "
				"undone; call that one NNNN_name.up.sql",
				folder->path, entry->file, up->file);
	return 0;
}

/* ---- their texts ---------------------------------------------------------------------------- */

static int cannot_read(const struct dbl_script *script, int error, struct dblock_error *err)
{
	const char *what = NULL;

	if (error == ENOMEM)
		return dbl_set_no_memory(err);
	if (error == EISDIR)
		what = "this is a folder; remove it, or let its name not end in .sql";
	else if (error == ENOTSUP)
		what = "this is no file, but a FIFO, a socket or a device; remove it";
	else if (error == EFBIG)
		what = "it has more than 64 MiB; cut it into several migrations";
	else if (error == EAGAIN)
		what = "it was written while it was read; try again";
	if (what)
		return dbl_fail_native(err, DBLOCK_E_INVALID, error, NULL, "%s: %s", script->path,
				       what);
	return dbl_fail_native(err, DBLOCK_E_INVALID, error, NULL,
			       "%s: cannot be read: %s; repair or remove it", script->path,
			       strerror(error));
}

static int read_text(const struct dbl_folder *folder, const struct dbl_entry *entry,
		     struct dbl_script *script, struct dblock_error *err)
{
	struct dbl_str path = {0};
	char *text = NULL;
	size_t len = 0;
	int rc;

	dbl_str_addf(&path, "%s/%s", folder->path, entry->file);
	script->path = dbl_set_keep(folder->set, dbl_str_take(&path));
	if (!script->path)
		return dbl_set_no_memory(err);
	rc = dbl_file_read(script->path, DBL_SCRIPT_MAX, &text, &len);
	return rc ? cannot_read(script, rc, err)
		  : dbl_script_take(folder->set, script, text, len, err);
}

static int read_file(const struct dbl_folder *folder, const struct dbl_entry *entry,
		     struct dblock_error *err)
{
	struct dbl_set *set = folder->set;
	struct dbl_file *file;

	if (entry->name.way == DBL_WAY_DOWN)
		return read_text(folder, entry, &set->files[set->n - 1].down, err);
	file = &set->files[set->n++];
	file->version = entry->name.version;
	file->name = dbl_set_keep(set, dbl_strndup(entry->name.name, entry->name.len));
	return file->name ? read_text(folder, entry, &file->up, err) : dbl_set_no_memory(err);
}

/* ---- all of them ---------------------------------------------------------------------------- */

int dbl_folder_pair(struct dbl_folder *folder, struct dblock_error *err)
{
	const struct dbl_entry *found[2] = {NULL, NULL}; /* of this number: up, down */
	int rc = read_names(folder, err);

	for (size_t i = 0; i < folder->n && rc == 0; i++) {
		const struct dbl_entry *entry = &folder->entries[i];

		if (i > 0 && entry->name.version != entry[-1].name.version)
			found[0] = found[1] = NULL;
		rc = check_pair(folder, found[0], found[1], entry, err);
		found[entry->name.way == DBL_WAY_DOWN] = entry;
	}
	return rc;
}

int dbl_folder_take(struct dbl_folder *folder, struct dblock_error *err)
{
	int rc = 0;

	folder->set->files = dbl_alloc(folder->n * sizeof(*folder->set->files));
	if (!folder->set->files)
		return dbl_set_no_memory(err);
	for (size_t i = 0; i < folder->n && rc == 0; i++)
		rc = read_file(folder, &folder->entries[i], err);
	return rc;
}
