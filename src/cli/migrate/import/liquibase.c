/* SPDX-License-Identifier: MIT */
/* Liquibase's formatted SQL: files of changesets, each of which becomes a migration. Its number is the
 * one that its id begins with; if none does, they are numbered as they come, and called by their ids. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/migrate/import/formats.h"

struct liquibase {
	struct dbl_import *im;
	const char *path;
	struct dbl_text up, down;
	bool open; /* a changeset has begun */
	size_t numbered;
};

static void wrong(const struct liquibase *l, int line, const char *what)
{
	dbl_import_tell(l->im, DBL_IMPORT_WRONG, l->path, line, "%s", what);
}

static bool begins(const char *text, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && strncasecmp(text, with, n) == 0;
}

/* ---- a changeset ---------------------------------------------------------------------------- */

static void end_changeset(struct liquibase *l)
{
	struct dbl_record *record = l->open ? &l->im->records[l->im->n - 1] : NULL;

	if (record) {
		l->down.no_transaction = l->up.no_transaction;
		record->up = dbl_text_part(l->im, &l->up, l->path);
		record->up.path = l->path;
		record->down = dbl_text_part(l->im, &l->down, l->path);
	}
	l->up = l->down = (struct dbl_text){0};
	l->open = false;
}

/* Reads 7, 7-name or 7_name, as `adopt` reads an id. Returns the length of the digits; 0: it is none. */
static size_t number_in(const char *id, size_t len)
{
	size_t n = 0;

	while (n < len && isdigit((unsigned char)id[n]))
		n++;
	return n == len || strchr("_-", id[n]) ? n : 0;
}

static void begin_changeset(struct liquibase *l, const char *id, size_t len, int line)
{
	size_t digits = number_in(id, len);
	struct dbl_record *record = dbl_import_add(l->im);

	if (!record)
		return;
	l->open = true;
	if (digits) {
		l->numbered++;
		if (!dbl_number_read(id, digits, &record->version))
			wrong(l, line, "its number is too large; give it another id");
	}
	if (digits == len && digits)
		record->name = "changeset";
	else
		record->name = dbl_name_of(l->im, id + digits, len - digits);
}

static void read_attribute(struct liquibase *l, const char *word, size_t len, int line)
{
	static const char *const harmless[] = {
		"splitStatements:",  "stripComments:",   "created:",
		"logicalFilePath:",  "failOnError:true", "runInTransaction:true",
		"runOnChange:false", "runAlways:false",  "endDelimiter:;"};

	if (begins(word, len, "runInTransaction:false")) {
		l->up.no_transaction = true;
		return;
	}
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (begins(word, len, harmless[i]))
			return;
	dbl_import_tell(
		l->im, DBL_IMPORT_WRONG, l->path, line,
		"'%.*s' has no meaning here: each migration runs once, everywhere; remove it, or "
		"the changeset",
		(int)(len < 60 ? len : 60), word);
}

/* Reads `author:id attribute:value ..`. */
static void changeset(struct liquibase *l, const char *at, size_t len, int line)
{
	const char *end = at + len, *colon = memchr(at, ':', len), *id = colon ? colon + 1 : end;
	size_t n = 0;

	end_changeset(l);
	while (id + n < end && !isspace((unsigned char)id[n]))
		n++;
	if (n == 0) {
		wrong(l, line, "a changeset without an id; write '--changeset author:id'");
		return;
	}
	begin_changeset(l, id, n, line);
	for (at = id + n; at < end; at += n) {
		while (at < end && isspace((unsigned char)*at))
			at++;
		for (n = 0; at + n < end && !isspace((unsigned char)at[n]);)
			n++;
		if (n)
			read_attribute(l, at, n, line);
	}
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void rollback(struct liquibase *l, const struct dbl_line *line, const char *at, size_t len)
{
	struct dbl_line sql = {.text = at, .len = len, .number = line->number};
	size_t n;

	at = dbl_line_trim(&sql, &n);
	if (!l->open)
		wrong(l, line->number,
		      "a rollback outside of a changeset; write '--changeset "
		      "author:id' above it");
	if (!l->open || n == 0 || (n == 5 && begins(at, n, "empty")) ||
	    (n == 12 && begins(at, n, "not required")))
		return;
	sql.text = at;
	sql.len = (size_t)(line->text + line->len - at);
	dbl_text_line(l->im, &l->down, &sql);
}

/* Whether it is `--WORD ..`; the rest goes to `at`. */
static bool is_command(const struct dbl_line *line, const char *word, const char **at, size_t *len)
{
	const char *text = dbl_line_trim(line, len), *end = text + *len;
	size_t n = strlen(word);

	if (!dbl_line_is_comment(line))
		return false;
	for (text += 2; text < end && isspace((unsigned char)*text);)
		text++;
	if (!begins(text, (size_t)(end - text), word) ||
	    (text + n < end && !isspace((unsigned char)text[n])))
		return false;
	for (*at = text + n; *at < end && isspace((unsigned char)**at);)
		++*at;
	*len = (size_t)(end - *at);
	return true;
}

static void take(struct liquibase *l, const struct dbl_line *line)
{
	const char *at;
	size_t len;

	if (is_command(line, "changeset", &at, &len))
		changeset(l, at, len, line->number);
	else if (is_command(line, "rollback", &at, &len))
		rollback(l, line, at, len);
	else if (is_command(line, "property", &at, &len) ||
		 is_command(line, "preconditions", &at, &len) ||
		 is_command(line, "precondition-sql-check", &at, &len) ||
		 is_command(line, "ignoreLines:start", &at, &len))
		wrong(l, line->number,
		      "a command of Liquibase that has no meaning here; remove the line");
	else if (l->open)
		dbl_text_line(l->im, &l->up, line);
	else if (!dbl_line_is_blank(line) && !dbl_line_is_comment(line))
		wrong(l, line->number,
		      "a statement outside of a changeset; write '--changeset "
		      "author:id' above it");
}

static void read_file(struct liquibase *l, struct dbl_entry *entry)
{
	struct dbl_line line = {0};
	const char *at;
	size_t len;

	l->path = entry->path;
	if (!dbl_line_next(entry, &line) || !is_command(&line, "liquibase", &at, &len) ||
	    !begins(at, len, "formatted sql")) {
		dbl_import_tell(
			l->im, DBL_IMPORT_LEFT_OUT, entry->path, 1,
			"the first line is not '--liquibase formatted sql'; write it there, or "
			"move the file away");
		return;
	}
	while (dbl_line_next(entry, &line))
		take(l, &line);
	end_changeset(l);
}

/* ---- the folder ----------------------------------------------------------------------------- */

bool dbl_liquibase_is(struct dbl_import *im)
{
	return dbl_folder_has_mark(im, "liquibase formatted sql") ||
	       dbl_folder_find(&im->folder, "db.changelog-master.xml") ||
	       dbl_folder_find(&im->folder, "db.changelog-master.yaml");
}

void dbl_liquibase_read(struct dbl_import *im)
{
	struct liquibase l = {.im = im};

	for (size_t i = 0; i < im->folder.n; i++) {
		struct dbl_entry *entry = &im->folder.entries[i];

		if (!dbl_entry_is(entry, ".sql"))
			dbl_entry_tell_code(im, entry);
		else if (dbl_entry_read(im, entry))
			read_file(&l, entry);
	}
	if (l.numbered == im->n)
		return;
	if (l.numbered)
		dbl_import_tell(
			im, DBL_IMPORT_WRONG, im->of->dir, 0,
			"some changesets' ids begin with a number, and others' do not; give all "
			"of them ids of one kind");
	for (size_t i = 0; i < im->n; i++)
		im->records[i].version = (int64_t)i + 1;
}
