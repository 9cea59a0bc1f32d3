/* SPDX-License-Identifier: MIT */
/* Folders, files and lines of another tool. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/migrate/import/import_own.h"

/* ---- folders -------------------------------------------------------------------------------- */

static int add_entry(struct dbl_import *im, struct dbl_folder *folder, const char *dir,
		     const char *name)
{
	char *path = dbl_import_keep(im, dbl_migrate_path(dir, name, im->err));
	struct dbl_entry *entries = folder->entries;

	if ((folder->n & (folder->n - 1)) == 0) /* twice the room, at each power of two */
		entries = realloc(entries, (folder->n ? 2 * folder->n : 1) * sizeof(*entries));
	if (!path || !entries)
		return dbl_migrate_no_memory(im->err);
	folder->entries = entries;
	folder->entries[folder->n++] = (struct dbl_entry){
		.name = path + strlen(path) - strlen(name),
		.path = path,
		.is_folder = dbl_migrate_is_folder(path),
	};
	return 0;
}

static int list(struct dbl_import *im, struct dbl_folder *folder, const char *path)
{
	DIR *all = opendir(path);
	struct dirent *entry;
	int rc = 0;

	if (!all)
		return dbl_migrate_cannot(im->err, path, "read as a folder");
	while (rc == 0 && (entry = readdir(all))) {
		if (entry->d_name[0] != '.')
			rc = add_entry(im, folder, path, entry->d_name);
	}
	closedir(all);
	return rc;
}

static bool is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static int by_path(const void *left, const void *right)
{
	const struct dbl_entry *a = left, *b = right;

	return strcmp(a->path, b->path);
}

int dbl_folder_list(struct dbl_import *im, struct dbl_folder *folder, const char *path, bool deep)
{
	int rc;

	*folder = (struct dbl_folder){.path = path};
	rc = list(im, folder, path);
	/* What is found is looked at in its turn; a link may lead back. */
	for (size_t i = 0; deep && rc == 0 && i < folder->n; i++) {
		if (folder->entries[i].is_folder && !is_link(folder->entries[i].path))
			rc = list(im, folder, folder->entries[i].path);
	}
	if (folder->n)
		qsort(folder->entries, folder->n, sizeof(*folder->entries), by_path);
	return rc;
}

struct dbl_entry *dbl_folder_find(struct dbl_folder *folder, const char *name)
{
	for (size_t i = 0; i < folder->n; i++) {
		if (strcmp(folder->entries[i].name, name) == 0)
			return &folder->entries[i];
	}
	return NULL;
}

/* ---- files ---------------------------------------------------------------------------------- */

bool dbl_entry_is(const struct dbl_entry *entry, const char *ending)
{
	size_t len = strlen(entry->name), n = strlen(ending);

	return len > n && strcasecmp(entry->name + len - n, ending) == 0;
}

/* Opening a FIFO would wait for somebody who writes. */
static FILE *open_file(const struct dbl_entry *entry)
{
	struct stat st;

	if (stat(entry->path, &st))
		return NULL;
	if (S_ISREG(st.st_mode))
		return fopen(entry->path, "re");
	errno = S_ISDIR(st.st_mode) ? EISDIR : ENOTSUP;
	return NULL;
}

/* Reads it into memory, with a NUL behind it. NULL: errno says why not. */
static char *read_all(FILE *in, size_t *len)
{
	char *text = NULL, piece[BUFSIZ];
	FILE *out = open_memstream(&text, len);
	size_t n;
	bool failed;

	while (out && (n = fread(piece, 1, sizeof(piece), in)) > 0)
		fwrite(piece, 1, n, out);
	failed = !out || ferror(in) || ferror(out);
	if (out && fclose(out))
		failed = true;
	if (!failed)
		return text;
	free(text);
	return NULL;
}

bool dbl_entry_read(struct dbl_import *im, struct dbl_entry *entry)
{
	FILE *in;
	char *text;

	if (entry->was_read)
		return entry->text != NULL;
	entry->was_read = true;
	in = open_file(entry);
	text = in ? read_all(in, &entry->len) : NULL;
	if (!text)
		dbl_import_tell(im, DBL_IMPORT_WRONG, entry->path, 0,
				"cannot be read: %s; repair or remove it", strerror(errno));
	else
		entry->text = dbl_import_keep(im, text);
	if (in)
		fclose(in);
	if (entry->text && strncmp(entry->text, "\xEF\xBB\xBF", 3) == 0) {
		entry->text += 3;
		entry->len -= 3;
	}
	return entry->text != NULL;
}

struct dbl_part dbl_entry_part(const struct dbl_entry *entry)
{
	return (struct dbl_part){.path = entry->path, .text = entry->text, .len = entry->len};
}

/* ---- programs ------------------------------------------------------------------------------- */

static const char *language_of(const struct dbl_entry *entry)
{
	static const char *const known[][2] = {
		{".go", "Go"},          {".java", "Java"},      {".kt", "Kotlin"},
		{".scala", "Scala"},    {".groovy", "Groovy"},  {".js", "JavaScript"},
		{".mjs", "JavaScript"}, {".cjs", "JavaScript"}, {".ts", "TypeScript"},
		{".rb", "Ruby"},        {".py", "Python"},      {".php", "PHP"},
		{".rs", "Rust"},        {".xml", "XML"},        {".yaml", "YAML"},
		{".yml", "YAML"},       {".json", "JSON"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (dbl_entry_is(entry, known[i][0]))
			return known[i][1];
	return NULL;
}

/* Whether its name is that of a migration, as 0001_x.go, V2__X.java or R__X.java. (Liquibase's are
 * called changelog, by custom.) */
static bool is_migration(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	if (digits)
		return name[digits] == '_' || name[digits] == '-';
	return strchr("VURB", name[0]) && strstr(name, "__") &&
	       name + 1 + strspn(name + 1, "0123456789._") >= strstr(name, "__");
}

/* The line where it begins to do something; 1: who knows. */
static int line_of_code(const struct dbl_entry *entry)
{
	static const char *const words[] = {"AddMigration", "AddNamedMigration", "class ",
					    "exports",      "export ",           "def up",
					    "<changeSet",   "changeSet:"};
	struct dbl_line line = {0};

	while (dbl_line_next(entry, &line))
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (memmem(line.text, line.len, words[i], strlen(words[i])))
				return line.number;
	return 1;
}

void dbl_entry_tell_code(struct dbl_import *im, struct dbl_entry *entry)
{
	const char *language = entry->is_folder ? NULL : language_of(entry);

	if (!language || dbl_entry_is(entry, "_test.go") ||
	    !(is_migration(entry->name) || strstr(entry->name, "changelog")) ||
	    !dbl_entry_read(im, entry))
		return;
	dbl_import_tell(
		im, DBL_IMPORT_LEFT_OUT, entry->path, line_of_code(entry),
		"this is %s, which dblock does not run; write what it does as SQL beside it",
		language);
}

/* ---- lines ---------------------------------------------------------------------------------- */

bool dbl_line_next(const struct dbl_entry *entry, struct dbl_line *line)
{
	const char *end = entry->text + entry->len, *newline;

	line->text = line->text ? line->text + line->len : entry->text;
	if (line->text == end)
		return false;
	newline = memchr(line->text, '\n', (size_t)(end - line->text));
	line->len = (size_t)((newline ? newline + 1 : end) - line->text);
	line->number++;
	return true;
}

const char *dbl_line_trim(const struct dbl_line *line, size_t *len)
{
	const char *from = line->text, *to = line->text + line->len;

	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	*len = (size_t)(to - from);
	return from;
}

bool dbl_line_is_blank(const struct dbl_line *line)
{
	size_t len;

	(void)dbl_line_trim(line, &len);
	return len == 0;
}

bool dbl_line_is_comment(const struct dbl_line *line)
{
	size_t len;
	const char *text = dbl_line_trim(line, &len);

	return len >= 2 && text[0] == '-' && text[1] == '-';
}
