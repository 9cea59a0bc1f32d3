/* SPDX-License-Identifier: MIT */
/* dblock migrate new: the two files of a migration, to be filled. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "migrate_files.h"

enum { NAME_MAX_LEN = 200, FOLDERS = 3, FILES = 2 * FOLDERS };

struct making {
	const char *name;
	char *folders[FOLDERS];
	size_t n_folders;
	char *files[FILES]; /* that were made */
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
	return dbl_migrate_fail(err, DBLOCK_E_INVALID, 0,
				"'%.80s' is no name for a migration; name what it does, with at "
				"most %d of A-Z a-z 0-9 _ . -, and no ending",
				name, NAME_MAX_LEN);
}

/* ---- the folders ---------------------------------------------------------------------------- */

static int cannot(struct making *making, const char *path, const char *what)
{
	int error = errno;

	return dbl_migrate_fail(making->err, DBLOCK_E_INVALID, error, "%s: cannot be %s: %s", path,
				what, strerror(error));
}

static int add_folder(struct making *making, char *path)
{
	if (!path)
		return DBLOCK_E_NOMEM;
	making->folders[making->n_folders++] = path;
	return 0;
}

static int find_folders(struct making *making, const char *dir)
{
	int rc = 0;

	if (!dir[0])
		return dbl_migrate_fail(making->err, DBLOCK_E_INVALID, 0,
					"the name of the folder is empty; name one");
	if (mkdir(dir, 0777) && errno != EEXIST)
		return cannot(making, dir, "made");
	for (const char *const *d = dbl_migrate_dialects; *d && rc == 0; d++) {
		char *path = dbl_migrate_path(dir, *d, making->err);

		if (!path || dbl_migrate_is_folder(path))
			rc = add_folder(making, path);
		else
			free(path);
	}
	if (rc == 0 && making->n_folders == 0)
		rc = add_folder(making, dbl_migrate_path(dir, NULL, making->err));
	return rc;
}

/* ---- the number ----------------------------------------------------------------------------- */

/* That of a file; 0 if it is no migration. What is too large for one counts as the largest. */
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
		return cannot(making, folder, "read as a folder");
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

static int choose_number(struct making *making, bool seq, time_t now)
{
	int64_t last = 0, number = seq ? 1 : stamp(now);
	int rc = 0;

	for (size_t i = 0; i < making->n_folders && rc == 0; i++)
		rc = find_last(making, making->folders[i], &last);
	if (rc)
		return rc;
	if (last == INT64_MAX)
		return dbl_migrate_fail(making->err, DBLOCK_E_INVALID, 0,
					"there is no number above the largest one there; renumber "
					"that one");
	number = number > last ? number : last + 1;
	snprintf(making->number, sizeof(making->number), "%04" PRId64, number);
	return 0;
}

/* ---- the files ------------------------------------------------------------------------------ */

static int write_file(struct making *making, const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	size_t len = strlen(text);
	bool written;

	if (fd < 0)
		return cannot(making, path, "made");
	written = write(fd, text, len) == (ssize_t)len;
	if (close(fd) || !written) {
		cannot(making, path, "written");
		unlink(path);
		return making->err->code;
	}
	return 0;
}

static int make_file(struct making *making, const char *folder, const char *way, const char *does)
{
	char file[NAME_MAX_LEN + 64], text[NAME_MAX_LEN + 128];
	char *path;
	int rc;

	snprintf(file, sizeof(file), "%s_%s.%s.sql", making->number, making->name, way);
	snprintf(text, sizeof(text), "-- %s %s_%s.\n", does, making->number, making->name);
	path = dbl_migrate_path(folder, file, making->err);
	if (!path)
		return DBLOCK_E_NOMEM;
	rc = write_file(making, path, text);
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
		rc = make_file(making, making->folders[i], "up", "Applies");
		if (rc == 0)
			rc = make_file(making, making->folders[i], "down", "Undoes");
	}
	for (size_t i = 0; i < making->n_files && rc; i++)
		unlink(making->files[i]);
	return rc;
}

int dbl_migrate_new(const char *dir, const char *name, bool seq, time_t now, dbl_made_cb *made,
		    void *arg, struct dblock_error *err)
{
	struct making making = {.name = name, .err = err};
	int rc = check_name(name, err);

	if (rc == 0)
		rc = find_folders(&making, dir);
	if (rc == 0)
		rc = choose_number(&making, seq, now);
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
