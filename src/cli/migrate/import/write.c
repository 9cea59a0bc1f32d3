/* SPDX-License-Identifier: MIT */
#include "cli/migrate/import/write.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 256 };

static const char directive[] = "-- no-transaction\n";

struct writing {
	struct dbl_import *im;
	char *out, *beside; /* the folder, and the one that becomes it */
	const char *dialect;
	int width; /* digits of a number, at least */
};

/* ---- names ---------------------------------------------------------------------------------- */

static bool is_repeatable(const struct dbl_record *record)
{
	return record->version >= DBLOCK_MIGRATION_REPEATABLE;
}

/* Four digits, or, if names would not sort as the numbers do, as many as the largest has. */
static int choose_width(const struct dbl_import *im)
{
	char before[32], name[32];
	size_t n = im->n;

	while (n > 0 && is_repeatable(&im->records[n - 1]))
		n--;
	for (size_t i = 1; i < n; i++) {
		snprintf(before, sizeof(before), "%04" PRId64 "_", im->records[i - 1].version);
		snprintf(name, sizeof(name), "%04" PRId64 "_", im->records[i].version);
		if (strcmp(before, name) > 0)
			return snprintf(NULL, 0, "%" PRId64, im->records[n - 1].version);
	}
	return 4;
}

static void file_name(const struct writing *w, const struct dbl_record *record, bool down,
		      char name[FILE_MAX])
{
	if (is_repeatable(record))
		snprintf(name, FILE_MAX, "R_%.200s.sql", record->name);
	else
		snprintf(name, FILE_MAX, "%0*" PRId64 "_%.200s%s.sql", w->width, record->version,
			 record->name,
			 !record->down.path ? ""
			 : down             ? ".down"
					    : ".up");
}

/* ---- messages about what was written -------------------------------------------------------- */

/* Whether it begins with the directive, or with our line before it. */
static bool has_directive(const struct dbl_part *part)
{
	size_t n = strlen(directive) - 1;

	return part->len > n && strncmp(part->text, directive, n) == 0 &&
	       strchr("\r\n", part->text[n]);
}

/* On SQLite a file is one transaction, but where a statement that cannot be in one stands alone. */
static bool gets_directive(const struct writing *w, const struct dbl_part *part)
{
	return part->no_transaction && !has_directive(part) && strcmp(w->dialect, "sqlite") != 0;
}

/* The line of the other tool's file that became this line of ours. */
static int line_there(const struct writing *w, const struct dbl_part *part, int line)
{
	line -= gets_directive(w, part);
	if (line < 1)
		return 1;
	return part->lines ? part->lines[line - 1] : line;
}

/* Finds the text that became the file of that name; NULL: there is none. */
static const struct dbl_part *find_part(const struct writing *w, const char *file, size_t len)
{
	char name[FILE_MAX];

	for (size_t i = 0; i < w->im->n; i++) {
		const struct dbl_record *record = &w->im->records[i];

		for (int down = 0; down < 2; down++) {
			file_name(w, record, down, name);
			if (strlen(name) == len && memcmp(name, file, len) == 0)
				return down ? &record->down : &record->up;
		}
	}
	return NULL;
}

/* "BESIDE/0001_x.up.sql:7:3: .." is told as "db/00001_x.sql:9:3: ..", where the text is from. */
static void put_place(const struct writing *w, FILE *out, const char **message)
{
	const char *file = *message + strlen(w->beside) + 1;
	size_t len = strcspn(file, ":\n");
	const struct dbl_part *part = find_part(w, file, len);
	int line = 0, n = 0;

	if (!part) {
		fputs(w->out, out);
		*message += strlen(w->beside);
		return;
	}
	fputs(part->path, out);
	*message = file + len;
	if (sscanf(*message, ":%d%n", &line, &n) == 1) {
		fprintf(out, ":%d", line_there(w, part, line));
		*message += n;
	}
}

/* The message with the places that it names in the other tool's files; to be freed. */
static char *translate(const struct writing *w, const char *message)
{
	char *text = NULL;
	const char *at;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	while ((at = strstr(message, w->beside))) {
		fwrite(message, 1, (size_t)(at - message), out);
		message = at;
		put_place(w, out, &message);
	}
	fputs(message, out);
	fclose(out);
	return text;
}

static int warn(void *arg, const struct dblock_migrate_problem *problem)
{
	const struct writing *w = arg;
	char *text = translate(w, problem->detail);

	if (text)
		dbl_import_tell(w->im, DBL_IMPORT_NOTE, "", 0, "%s", text);
	free(text);
	return 0;
}

/* What the library says to do about a folder is about that of ours. */
static void tell_refused(const struct writing *w)
{
	struct dblock_error *err = w->im->err;
	char *next = strstr(err->message, "\nnext:"), *text;

	if (next)
		*next = '\0';
	text = translate(w, err->message);
	if (text)
		snprintf(err->message, sizeof(err->message), "%s\nstate: nothing was written",
			 text);
	free(text);
}

static int check(struct writing *w)
{
	int rc = dblock_migrate_check(w->beside, w->dialect, NULL, warn, w, w->im->err);

	if (rc)
		tell_refused(w);
	return rc;
}

/* ---- files ---------------------------------------------------------------------------------- */

static int write_part(struct writing *w, const struct dbl_record *record, bool down)
{
	const struct dbl_part *part = down ? &record->down : &record->up;
	struct dblock_error *err = w->im->err;
	const char *head = gets_directive(w, part) ? directive : "";
	char name[FILE_MAX], *path, *text;
	size_t n = strlen(head);
	int rc;

	file_name(w, record, down, name);
	path = dbl_import_keep(w->im, dbl_migrate_path(w->beside, name, err));
	text = malloc(n + part->len + 1);
	if (!path || !text) {
		free(text);
		return dbl_migrate_no_memory(err);
	}
	memcpy(text, head, n);
	memcpy(text + n, part->text, part->len);
	rc = dbl_migrate_make_file(path, text, n + part->len, "made", err);
	free(text);
	return rc;
}

static int write_all(struct writing *w)
{
	int rc = 0;

	for (size_t i = 0; i < w->im->n && rc == 0; i++) {
		rc = write_part(w, &w->im->records[i], false);
		if (rc == 0 && w->im->records[i].down.path)
			rc = write_part(w, &w->im->records[i], true);
	}
	return rc;
}

static void tell_part(const struct writing *w, const struct dbl_record *record, bool down)
{
	char name[FILE_MAX], *path;

	file_name(w, record, down, name);
	path = dbl_import_keep(w->im, dbl_migrate_path(w->out, name, w->im->err));
	if (path)
		dbl_import_tell(w->im, DBL_IMPORT_MADE, down ? record->down.path : record->up.path,
				0, "%s", path);
}

static void tell_all(const struct writing *w)
{
	for (size_t i = 0; i < w->im->n; i++) {
		tell_part(w, &w->im->records[i], false);
		if (w->im->records[i].down.path)
			tell_part(w, &w->im->records[i], true);
	}
}

/* ---- the folder ----------------------------------------------------------------------------- */

static void remove_folder(const char *path)
{
	DIR *all = opendir(path);
	struct dirent *entry;

	while (all && (entry = readdir(all)))
		unlinkat(dirfd(all), entry->d_name, 0);
	if (all)
		closedir(all);
	rmdir(path);
}

static bool is_empty(const char *path)
{
	DIR *all = opendir(path);
	struct dirent *entry;
	int n = 0;

	while (all && (entry = readdir(all)))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (all)
		closedir(all);
	return all && n == 0;
}

static int check_out(const struct writing *w)
{
	struct stat st;

	if (!*w->out)
		return dbl_migrate_refuse(w->im->err, "the name of the folder is empty\n"
						      "next:  name one with --to");
	if (lstat(w->out, &st) && errno == ENOENT)
		return 0;
	if (dbl_migrate_is_folder(w->out) && is_empty(w->out))
		return 0;
	return dbl_migrate_refuse(w->im->err,
				  "%s is there, and not empty\n"
				  "state: nothing was written\n"
				  "next:  name a folder that is not there yet: --to OUT",
				  w->out);
}

static int fill(struct writing *w)
{
	int rc = write_all(w);

	if (rc == 0)
		rc = check(w);
	if (rc == 0 && !w->im->of->dry_run && rename(w->beside, w->out))
		rc = dbl_migrate_cannot(w->im->err, w->out, "made");
	if (rc || w->im->of->dry_run)
		remove_folder(w->beside);
	return rc;
}

int dbl_import_write(struct dbl_import *im)
{
	struct writing w = {.im = im, .width = choose_width(im)};
	int rc;

	w.dialect = im->of->dialect ? im->of->dialect
		    : im->dialect   ? im->dialect
				    : im->of->url_dialect;
	w.out = dbl_import_keep(im, strdup(im->of->out));
	if (!w.out)
		return dbl_migrate_no_memory(im->err);
	for (size_t len = strlen(w.out); len > 1 && w.out[len - 1] == '/'; len--)
		w.out[len - 1] = '\0';
	if (asprintf(&w.beside, "%s.%ld.tmp", w.out, (long)getpid()) < 0)
		return dbl_migrate_no_memory(im->err);
	dbl_import_keep(im, w.beside);
	rc = check_out(&w);
	if (rc == 0 && mkdir(w.beside, 0777))
		rc = dbl_migrate_cannot(im->err, w.out, "made");
	if (rc == 0)
		rc = fill(&w);
	if (rc == 0)
		tell_all(&w);
	return rc;
}
