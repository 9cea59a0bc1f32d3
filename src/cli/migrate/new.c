/* SPDX-License-Identifier: MIT */
/* dblock migrate new: the two files of a migration. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/migrate/files.h"

enum { NAME_MAX_LEN = 200, FOLDERS = 3, FILES = 2 * FOLDERS };

struct making {
	const struct dbl_making *of;
	char *folders[FOLDERS];
	const char *dialects[FOLDERS]; /* the dialect of each folder */
	size_t n_folders;
	char *files[FILES]; /* those that were made */
	size_t n_files;
	char number[24];
	struct dblock_error *err;
};

/* ---- the name ------------------------------------------------------------------------------- */

static bool ends(const char *name, const char *with)
{
	size_t len = strlen(name), n = strlen(with);

	return len >= n && strcasecmp(name + len - n, with) == 0;
}

static int check_name(const char *name, struct dblock_error *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.-";

	if (name[0] && !strchr("_.-", name[0]) && strlen(name) <= NAME_MAX_LEN &&
	    !name[strspn(name, allowed)] && !ends(name, ".up") && !ends(name, ".down") &&
	    !ends(name, ".sql"))
		return 0;
	return dbl_migrate_refuse(err,
				  "'%.80s' is no name for a migration; name what it does, with at "
				  "most %d of A-Z a-z 0-9 _ . -, and no ending",
				  name, NAME_MAX_LEN);
}

/* ---- the folders ---------------------------------------------------------------------------- */

static int add_folder(struct making *making, char *path, const char *dialect)
{
	if (!path)
		return dbl_migrate_no_memory(making->err);
	making->dialects[making->n_folders] = dialect;
	making->folders[making->n_folders++] = path;
	return 0;
}

static bool is_wanted(const struct dbl_making *of, const char *dialect)
{
	for (size_t i = 0; i < of->n_dialects; i++)
		if (strcmp(of->dialects[i], dialect) == 0)
			return true;
	return of->n_dialects == 0;
}

/* The folder itself has the files, so it is for one dialect. */
static int take_dir(struct making *making)
{
	const struct dbl_making *of = making->of;
	const char *dialect = of->n_dialects ? of->dialects[0] : of->url_dialect;

	for (size_t i = 1; i < of->n_dialects; i++)
		if (strcmp(of->dialects[i], dialect) != 0)
			return dbl_migrate_refuse(
				making->err,
				"%s: one folder is for one kind of database; make "
				"%s/%s and %s/%s",
				of->dir, of->dir, dialect, of->dir, of->dialects[i]);
	return add_folder(making, strdup(of->dir), dialect);
}

static int check_dialects(struct making *making)
{
	int rc = 0;

	for (size_t i = 0; i < making->of->n_dialects && rc == 0; i++)
		rc = dbl_migrate_check_dialect(making->of->dialects[i], making->err);
	return rc;
}

/* Each dialect that was asked for must have its folder, if any has one. */
static int find_dialects(struct making *making, size_t *found)
{
	const char *dir = making->of->dir, *missing = NULL;
	int rc = 0;

	for (const char *const *d = dbl_migrate_dialects; *d && rc == 0; d++) {
		char *path = dbl_migrate_path(dir, *d, making->err);
		bool there = !path || dbl_migrate_is_folder(path);
		bool wanted = is_wanted(making->of, *d);

		*found += there;
		if (there && wanted) {
			rc = add_folder(making, path, *d);
			continue;
		}
		missing = wanted && making->of->n_dialects ? *d : missing;
		free(path);
	}
	if (rc == 0 && *found && missing)
		rc = dbl_migrate_refuse(making->err,
					"%s has folders for other databases, and no %s/%s; make it",
					dir, dir, missing);
	return rc;
}

static int find_folders(struct making *making)
{
	size_t found = 0;
	int rc = check_dialects(making);

	if (rc == 0 && !making->of->dir[0])
		rc = dbl_migrate_refuse(making->err, "the name of the folder is empty; name one");
	if (rc == 0)
		rc = find_dialects(making, &found);
	if (rc == 0 && found == 0)
		rc = take_dir(making);
	for (size_t i = 0; i < making->n_folders && rc == 0; i++)
		rc = dbl_draft_check(&making->of->draft, making->dialects[i], making->err);
	return rc;
}

/* ---- the number ----------------------------------------------------------------------------- */

/* A file's number; 0 if it is no migration. A number that is too large counts as the largest. */
static int64_t number_of(const char *file)
{
	intmax_t number;
	char *end;

	if (file[0] < '0' || file[0] > '9' || !ends(file, ".sql"))
		return 0;
	number = strtoimax(file, &end, 10);
	return *end == '_' ? number : 0;
}

static int find_last(struct making *making, const char *folder, int64_t *last)
{
	DIR *all = opendir(folder);
	struct dirent *entry;

	if (!all)
		return dbl_migrate_cannot(making->err, folder, "read as a folder");
	while ((entry = readdir(all))) {
		int64_t number = number_of(entry->d_name);

		*last = number > *last ? number : *last;
	}
	closedir(all);
	return 0;
}

static int64_t stamp(time_t now)
{
	struct tm t = {0};

	gmtime_r(&now, &t);
	return ((t.tm_year + 1900) * INT64_C(10000) + (t.tm_mon + 1) * 100 + t.tm_mday) * 1000000 +
	       t.tm_hour * 10000 + t.tm_min * 100 + t.tm_sec;
}

static int choose_number(struct making *making)
{
	int64_t last = 0, number = making->of->seq ? 1 : stamp(making->of->now);
	int rc = 0;

	for (size_t i = 0; i < making->n_folders && rc == 0; i++)
		rc = find_last(making, making->folders[i], &last);
	if (rc)
		return rc;
	if (last >= DBLOCK_MIGRATION_REPEATABLE - 1)
		return dbl_migrate_refuse(
			making->err, "there is no number above the largest one there; renumber "
				     "that one");
	number = number > last ? number : last + 1;
	snprintf(making->number, sizeof(making->number), "%04" PRId64, number);
	return 0;
}

/* ---- the files ------------------------------------------------------------------------------ */

/* The text's first line tells what it is; the rest is the draft, if there is one. */
static char *text_of(const struct making *making, const char *dialect, bool up)
{
	char *draft = dbl_draft_text(&making->of->draft, dialect, up), *text = NULL;

	if (!draft || asprintf(&text, "-- %s %s_%s.\n%s", up ? "Applies" : "Undoes", making->number,
			       making->of->name, draft) < 0)
		text = NULL;
	free(draft);
	return text;
}

static int make_file(struct making *making, size_t folder, bool up)
{
	char file[NAME_MAX_LEN + 64];
	char *path, *text;
	int rc;

	snprintf(file, sizeof(file), "%s_%s.%s.sql", making->number, making->of->name,
		 up ? "up" : "down");
	path = dbl_migrate_path(making->folders[folder], file, making->err);
	if (!path)
		return DBLOCK_E_NOMEM;
	text = text_of(making, making->dialects[folder], up);
	rc = text ? dbl_migrate_make_file(path, text, strlen(text), "made", making->err)
		  : dbl_migrate_no_memory(making->err);
	free(text);
	if (rc)
		free(path);
	else
		making->files[making->n_files++] = path;
	return rc;
}

static int make_files(struct making *making)
{
	int rc = 0;

	for (size_t i = 0; i < making->n_folders && rc == 0; i++) {
		rc = make_file(making, i, true);
		if (rc == 0)
			rc = make_file(making, i, false);
	}
	for (size_t i = 0; i < making->n_files && rc; i++)
		unlink(making->files[i]);
	return rc;
}

int dbl_migrate_new(const struct dbl_making *of, dbl_made_cb *made, void *arg,
		    struct dblock_error *err)
{
	struct making making = {.of = of, .err = err};
	int rc = find_folders(&making);

	if (rc == 0)
		rc = check_name(of->name, err);
	if (rc == 0)
		rc = mkdir(of->dir, 0777) && errno != EEXIST
			     ? dbl_migrate_cannot(err, of->dir, "made")
			     : 0;
	if (rc == 0)
		rc = choose_number(&making);
	if (rc == 0)
		rc = make_files(&making);
	for (size_t i = 0; i < making.n_files; i++) {
		if (rc == 0 && made)
			made(arg, making.files[i]);
		free(making.files[i]);
	}
	for (size_t i = 0; i < making.n_folders; i++)
		free(making.folders[i]);
	return rc;
}
