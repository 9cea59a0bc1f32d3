/* SPDX-License-Identifier: MIT */
/* Chooses and reads a folder of migrations. All is read in order of name, so that of several faults
 * always the same one is reported. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "migrate/set/set_own.h"

struct entry {
	const char *file;
	struct dbl_file_name name;
};

struct folder {
	struct dbl_set *set;
	const char *path; /* without a slash at its end */
	struct entry *entries;
	size_t n;
};

/* ---- what lies there ------------------------------------------------------------------------ */

static bool is_sql(const char *file)
{
	size_t len = strlen(file);

	return file[0] != '.' && len >= 4 && strcasecmp(file + len - 4, ".sql") == 0;
}

static int add(void *arg, const char *file)
{
	struct folder *folder = arg;
	size_t n = folder->n;
	const char *copy;

	if (!is_sql(file))
		return 0;
	copy = dbl_set_keep(folder->set, dbl_strdup(file));
	if (!copy)
		return ENOMEM;
	if ((n & (n - 1)) == 0) { /* twice the room, at each power of two */
		struct entry *entries =
			dbl_realloc(folder->entries, (n ? 2 * n : 1) * sizeof(*entries));

		if (!entries)
			return ENOMEM;
		folder->entries = entries;
	}
	folder->entries[folder->n++] = (struct entry){.file = copy};
	return 0;
}

static int by_file(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return strcmp(a->file, b->file);
}

static int list(struct folder *folder, struct dblock_error *err)
{
	int rc = dbl_folder_read(folder->path, add, folder);

	if (rc == ENOMEM)
		return dbl_set_no_memory(err);
	if (rc)
		return dbl_fail_native(err, DBLOCK_E_INVALID, rc, NULL,
				       "%s: cannot be read as a folder: %s; name the folder that "
				       "the migrations lie in",
				       folder->path, strerror(rc));
	if (folder->n)
		qsort(folder->entries, folder->n, sizeof(*folder->entries), by_file);
	return 0;
}

/* ---- one folder or the other ---------------------------------------------------------------- */

static int find_sql(void *arg, const char *file)
{
	(void)arg;
	return is_sql(file) ? -1 : 0;
}

static bool has_sql(const char *path)
{
	return dbl_folder_read(path, find_sql, NULL) == -1;
}

static char *path_of(struct dbl_set *set, const char *dir, size_t len, const char *name)
{
	struct dbl_str path = {0};

	dbl_str_addn(&path, dir, len);
	dbl_str_add(&path, *name && dir[len - 1] != '/' ? "/" : "");
	dbl_str_add(&path, name);
	return dbl_set_keep(set, dbl_str_take(&path));
}

/* Chooses dir/<dialect> if there is such a folder, else dir. */
static int choose(struct folder *folder, const char *dir, const struct dbl_dialect *dialect,
		  struct dblock_error *err)
{
	size_t len = strlen(dir);
	const char *plain, *own;

	if (len == 0)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the name of the folder of migrations is empty; name one");
	while (len > 1 && dir[len - 1] == '/')
		len--;
	plain = path_of(folder->set, dir, len, "");
	own = path_of(folder->set, dir, len, dialect->name);
	if (!plain || !own)
		return dbl_set_no_memory(err);
	folder->path = dbl_is_folder(own) ? own : plain;
	if (folder->path == own && has_sql(own) && has_sql(plain))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"both %s and %s hold .sql files, and only one can be meant; move "
				"them all into %s, or away from there",
				plain, own, own);
	return 0;
}

/* ---- their names ---------------------------------------------------------------------------- */

static int by_version(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	bool a_down = a->name.way == DBL_WAY_DOWN, b_down = b->name.way == DBL_WAY_DOWN;

	if (a->name.way == DBL_WAY_REPEAT && b->name.way == DBL_WAY_REPEAT)
		return strcmp(a->file, b->file);
	if (a->name.version != b->name.version)
		return a->name.version < b->name.version ? -1 : 1;
	return a_down != b_down ? a_down - b_down : strcmp(a->file, b->file);
}

static int read_names(struct folder *folder, struct dblock_error *err)
{
	for (size_t i = 0; i < folder->n; i++) {
		struct entry *entry = &folder->entries[i];
		int rc = dbl_file_name_read(&entry->name, entry->file, err);

		if (rc) {
			dbl_err_prefix(err, "%s/%s", folder->path, entry->file);
			return rc;
		}
	}
	qsort(folder->entries, folder->n, sizeof(*folder->entries), by_version);
	return 0;
}

static bool same_name(const struct entry *a, const struct entry *b)
{
	return a->name.len == b->name.len && memcmp(a->name.name, b->name.name, a->name.len) == 0;
}

/* Fails if `entry` does not go with the files of the same number before it, which may be NULL. */
static int check_pair(const struct folder *folder, const struct entry *up, const struct entry *down,
		      const struct entry *entry, struct dblock_error *err)
{
	bool is_down = entry->name.way == DBL_WAY_DOWN;
	const struct entry *twin = is_down ? down : up;

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
	else if (error == EAGAIN)
		what = "it was written while it was read; try again";
	if (what)
		return dbl_fail_native(err, DBLOCK_E_INVALID, error, NULL, "%s: %s", script->path,
				       what);
	return dbl_fail_native(err, DBLOCK_E_INVALID, error, NULL,
			       "%s: cannot be read: %s; repair or remove it", script->path,
			       strerror(error));
}

static int read_text(const struct folder *folder, const struct entry *entry,
		     struct dbl_script *script, struct dblock_error *err)
{
	struct dbl_str path = {0};
	struct dbl_taking taking;
	int rc;

	dbl_str_addf(&path, "%s/%s", folder->path, entry->file);
	script->path = dbl_set_keep(folder->set, dbl_str_take(&path));
	if (!script->path)
		return dbl_set_no_memory(err);
	dbl_script_take(folder->set, &taking);
	rc = dbl_file_parts(script->path, dbl_script_part, &taking);
	if (rc == 0 || taking.spool.error)
		return dbl_script_taken(folder->set, script, &taking, err);
	dbl_spool_drop(&taking.spool);
	return cannot_read(script, rc, err);
}

static int read_file(const struct folder *folder, const struct entry *entry,
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

static int pair_all(struct folder *folder, struct dblock_error *err)
{
	const struct entry *found[2] = {NULL, NULL}; /* of this number: up, down */
	int rc = read_names(folder, err);

	for (size_t i = 0; i < folder->n && rc == 0; i++) {
		const struct entry *entry = &folder->entries[i];

		if (i > 0 && entry->name.version != entry[-1].name.version)
			found[0] = found[1] = NULL;
		rc = check_pair(folder, found[0], found[1], entry, err);
		found[entry->name.way == DBL_WAY_DOWN] = entry;
	}
	return rc;
}

static int take_all(struct folder *folder, struct dblock_error *err)
{
	int rc = 0;

	folder->set->files = dbl_alloc(folder->n * sizeof(*folder->set->files));
	if (!folder->set->files)
		return dbl_set_no_memory(err);
	for (size_t i = 0; i < folder->n && rc == 0; i++)
		rc = read_file(folder, &folder->entries[i], err);
	return rc;
}

int dbl_set_read_dir(struct dbl_set *set, const char *dir, const struct dbl_dialect *dialect,
		     struct dblock_error *err)
{
	struct folder folder = {.set = set};
	int rc = choose(&folder, dir, dialect, err);

	if (rc == 0)
		rc = list(&folder, err);
	if (rc == 0 && folder.n == 0)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "%s: there is no migration for %s here; put NNNN_name.up.sql there, "
			      "or name another folder; of what another tool keeps there, 'dblock "
			      "migrate import DIR --to OUT' makes one",
			      folder.path, dialect->name);
	if (rc == 0)
		rc = pair_all(&folder, err);
	if (rc == 0)
		rc = take_all(&folder, err);
	dbl_free(folder.entries);
	return rc;
}
