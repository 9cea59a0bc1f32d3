/* SPDX-License-Identifier: MIT */
/* A folder of migrations: which one, and what lies in it. Everything is read in order of name, so
 * that of several faults always the same one is told. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "migrate/set/set_own.h"

/* ---- what lies there ------------------------------------------------------------------------ */

static bool ends_in_sql(const char *file)
{
	size_t len = strlen(file);

	return len >= 4 && strcasecmp(file + len - 4, ".sql") == 0;
}

static int add(void *arg, const char *file)
{
	struct dbl_folder *folder = arg;
	size_t n = folder->n;
	const char *copy;

	if (file[0] == '.' || !ends_in_sql(file))
		return 0;
	copy = dbl_set_keep(folder->set, dbl_strdup(file));
	if (!copy)
		return ENOMEM;
	if ((n & (n - 1)) == 0) { /* twice the room, at each power of two */
		struct dbl_entry *entries =
			dbl_realloc(folder->entries, (n ? 2 * n : 1) * sizeof(*entries));

		if (!entries)
			return ENOMEM;
		folder->entries = entries;
	}
	folder->entries[folder->n++] = (struct dbl_entry){.file = copy};
	return 0;
}

static int by_file(const void *left, const void *right)
{
	const struct dbl_entry *a = left, *b = right;

	return strcmp(a->file, b->file);
}

static int list(struct dbl_folder *folder, struct dblock_error *err)
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

static int is_sql(void *arg, const char *file)
{
	(void)arg;
	return file[0] != '.' && ends_in_sql(file) ? -1 : 0;
}

static bool has_sql(const char *path)
{
	return dbl_folder_read(path, is_sql, NULL) == -1;
}

static char *path_of(struct dbl_set *set, const char *dir, size_t len, const char *name)
{
	struct dbl_str path = {0};

	dbl_str_addn(&path, dir, len);
	dbl_str_add(&path, *name && dir[len - 1] != '/' ? "/" : "");
	dbl_str_add(&path, name);
	return dbl_set_keep(set, dbl_str_take(&path));
}

/* dir/<dialect> where there is one, else dir. */
static int choose(struct dbl_folder *folder, const char *dir, const struct dbl_dialect *dialect,
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

/* ---- all of it ------------------------------------------------------------------------------ */

int dbl_set_read_dir(struct dbl_set *set, const char *dir, const struct dbl_dialect *dialect,
		     struct dblock_error *err)
{
	struct dbl_folder folder = {.set = set};
	int rc = choose(&folder, dir, dialect, err);

	if (rc == 0)
		rc = list(&folder, err);
	if (rc == 0 && folder.n == 0)
		rc = dbl_fail(err, DBLOCK_E_INVALID,
			      "%s: there is no migration for %s here; put NNNN_name.up.sql there, "
			      "or name another folder",
			      folder.path, dialect->name);
	if (rc == 0)
		rc = dbl_folder_pair(&folder, err);
	if (rc == 0)
		rc = dbl_folder_take(&folder, err);
	dbl_free(folder.entries);
	return rc;
}
