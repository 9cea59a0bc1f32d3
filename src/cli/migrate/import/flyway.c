/* SPDX-License-Identifier: MIT */
/* Flyway: V1.2__name.sql, and U, B and R files, in any folder below. Source: Flyway 13,
 * flyway-core/.../resource/ResourceNameParser.java, api/MigrationVersion.java. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/migrate/import/formats.h"

/* A file, by its name. */
struct script {
	struct dbl_entry *entry;
	char kind;         /* V, U, B, R */
	char version[128]; /* "1.2"; "" of an R */
	const char *name;  /* what stands behind __ */
	size_t name_len;
	struct dbl_record *record; /* of a V */
};

struct flyway {
	struct dbl_import *im;
	struct dbl_folder all;
	struct script *scripts;
	size_t n;
	bool plain;   /* all versions are numbers of ours */
	int64_t last; /* else: the last number that was given */
};

/* ---- names ---------------------------------------------------------------------------------- */

/* Reads 1.2 or 1_2; false: it is no version. */
static bool read_version(const char *text, size_t len, char version[128])
{
	bool after_digit = false;

	for (size_t i = 0; i < len; i++) {
		bool digit = text[i] >= '0' && text[i] <= '9';

		if (!digit && (!after_digit || !strchr("._", text[i])))
			return false;
		version[i] = digit ? text[i] : '.';
		after_digit = digit;
	}
	version[len] = '\0';
	return after_digit;
}

static bool read_name(struct dbl_entry *entry, struct script *script)
{
	const char *separator = strstr(entry->name, "__");
	size_t len = separator ? (size_t)(separator - entry->name) - 1 : 0;

	*script = (struct script){.entry = entry, .kind = entry->name[0]};
	if (!separator || separator == entry->name || len >= sizeof(script->version) ||
	    !strchr("VUBR", script->kind) || !dbl_entry_is(entry, ".sql"))
		return false;
	script->name = separator + 2;
	script->name_len = strlen(script->name) - strlen(".sql");
	if (script->kind == 'R')
		return len == 0;
	return read_version(entry->name + 1, len, script->version);
}

/* Compares as Flyway does: number by number, and 1.0 is 1. */
static int compare_versions(const char *a, const char *b)
{
	while (*a || *b) {
		size_t m, n;
		int order;

		a += strspn(a, "0");
		b += strspn(b, "0");
		m = strspn(a, "0123456789");
		n = strspn(b, "0123456789");
		order = m != n ? (m < n ? -1 : 1) : memcmp(a, b, n);
		if (order)
			return order;
		a += m + (a[m] == '.');
		b += n + (b[n] == '.');
	}
	return 0;
}

static int by_version(const void *left, const void *right)
{
	const struct script *a = left, *b = right;
	int order = compare_versions(a->version, b->version);

	if (order)
		return order;
	return a->kind != b->kind ? b->kind - a->kind /* V, U, B */
				  : strcmp(a->entry->path, b->entry->path);
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* Reads NAME.sql.conf, if it is there. */
static void read_settings(struct flyway *f, const struct script *script, struct dbl_part *part)
{
	char name[300];
	struct dbl_entry *conf;
	struct dbl_line line = {0};
	const char *text;
	size_t len;

	snprintf(name, sizeof(name), "%.280s.conf", script->entry->name);
	conf = dbl_folder_find(&f->all, name);
	if (!conf || !dbl_entry_read(f->im, conf))
		return;
	while (dbl_line_next(conf, &line)) {
		text = dbl_line_trim(&line, &len);
		if (len == 26 && memcmp(text, "executeInTransaction=false", 26) == 0)
			part->no_transaction = true;
		else if (len && *text != '#' &&
			 !(len == 25 && memcmp(text, "executeInTransaction=true", 25) == 0))
			dbl_import_tell(f->im, DBL_IMPORT_WRONG, conf->path, line.number,
					"dblock has no such setting; of these, it knows "
					"executeInTransaction");
	}
}

/* Flyway leaves the transaction out by itself where PostgreSQL wants it so. */
static bool is_concurrent(const struct dbl_entry *entry)
{
	static const char word[] = "index concurrently";
	struct dbl_line line = {0};
	bool found = false;

	while (!found && dbl_line_next(entry, &line)) {
		size_t n = sizeof(word) - 1;

		for (size_t i = 0; !dbl_line_is_comment(&line) && i + n <= line.len; i++)
			found |= strncasecmp(line.text + i, word, n) == 0;
	}
	return found;
}

static struct dbl_part read_text(struct flyway *f, const struct script *script)
{
	struct dbl_part part = dbl_entry_part(script->entry);
	struct dbl_line line = {0};
	struct dbl_text text = {0};

	if (strstr(script->entry->text, "${")) {
		while (dbl_line_next(script->entry, &line)) {
			struct dbl_line filled = line;

			dbl_variables(f->im, script->entry->path, &filled, false);
			dbl_text_line(f->im, &text, &filled);
		}
		part = dbl_text_part(f->im, &text, script->entry->path);
	}
	part.no_transaction = is_concurrent(script->entry);
	read_settings(f, script, &part);
	return part;
}

/* ---- records -------------------------------------------------------------------------------- */

/* Where a version is none of our numbers, as 1.2 or 0, all are numbered anew, and keep theirs in the
 * name, by which `adopt` finds them. */
static void add_versioned(struct flyway *f, struct script *script)
{
	struct dbl_import *im = f->im;
	char whole[300];
	int len;

	script->record = dbl_import_add(im);
	if (!script->record)
		return;
	len = snprintf(whole, sizeof(whole), "V%s__%.*s", script->version,
		       (int)(script->name_len < 160 ? script->name_len : 160), script->name);
	if (f->plain)
		(void)dbl_number_read(script->version, strlen(script->version),
				      &script->record->version);
	else
		script->record->version = ++f->last;
	script->record->name = f->plain ? dbl_name_of(im, script->name, script->name_len)
					: dbl_name_of(im, whole, (size_t)len);
	script->record->up = read_text(f, script);
}

/* Flyway repeats it when it has changed, after all others, and so do we. */
static void add_repeatable(struct flyway *f, const struct script *script)
{
	struct dbl_record *record = dbl_import_add(f->im);

	if (!record)
		return;
	record->name = dbl_name_of(f->im, script->name, script->name_len);
	record->version = dblock_migration_repeatable(record->name);
	record->up = read_text(f, script);
}

static void add_undo(struct flyway *f, struct script *script, const struct script *before)
{
	struct dbl_record *of = before && compare_versions(before->version, script->version) == 0
					? f->im->records + f->im->n - 1
					: NULL;

	if (!of)
		dbl_import_tell(
			f->im, DBL_IMPORT_WRONG, script->entry->path, 0,
			"what it undoes, V%s__, is missing; put it there, or remove this one",
			script->version);
	else if (of->down.path)
		dbl_import_tell(f->im, DBL_IMPORT_WRONG, script->entry->path, 0,
				"%s undoes the same version; remove one of them", of->down.path);
	else
		of->down = read_text(f, script);
}

/* Flyway makes a new database from the last baseline, an old one from the V files, to the same end. */
static void add_baseline(struct flyway *f, struct script *script, const struct script *before)
{
	if (!before) {
		add_versioned(f, script);
		return;
	}
	dbl_import_tell(f->im, DBL_IMPORT_NOTE, script->entry->path, 0,
			"a baseline is left out, as the V files up to it make the same");
}

static void add(struct flyway *f, struct script *script, const struct script *before)
{
	if (!dbl_entry_read(f->im, script->entry))
		return;
	if (script->kind == 'R')
		add_repeatable(f, script);
	else if (script->kind == 'U')
		add_undo(f, script, before);
	else if (script->kind == 'B')
		add_baseline(f, script, before);
	else if (before && compare_versions(before->version, script->version) == 0)
		dbl_import_tell(f->im, DBL_IMPORT_WRONG, script->entry->path, 0,
				"%s has the same version; give one of them another",
				before->entry->path);
	else
		add_versioned(f, script);
}

/* ---- the folder ----------------------------------------------------------------------------- */

static bool is_number(const char *version)
{
	int64_t number;

	return dbl_number_read(version, strlen(version), &number) && number > 0;
}

/* Flyway runs beforeMigrate.sql, afterEachMigrate__name.sql and so on around its migrations. */
static bool is_callback(const struct dbl_entry *entry)
{
	return strncmp(entry->name, "before", 6) == 0 || strncmp(entry->name, "after", 5) == 0;
}

static void sort(struct flyway *f, struct dbl_entry *entry)
{
	static const char callback[] =
		"this is a callback of Flyway's, which dblock has none of; do "
		"what it does beside `dblock migrate up`";
	static const char unknown[] = "this is no name that Flyway gives a migration; call it "
				      "V1.2__name.sql, or move it away";
	struct script script;

	if (read_name(entry, &script)) {
		f->scripts[f->n++] = script;
		f->plain &= script.kind == 'R' || is_number(script.version);
	} else if (dbl_entry_is(entry, ".sql")) {
		dbl_import_tell(f->im, DBL_IMPORT_LEFT_OUT, entry->path, 0, "%s",
				is_callback(entry) ? callback : unknown);
	} else {
		dbl_entry_tell_code(f->im, entry);
	}
}

static void read_scripts(struct flyway *f)
{
	const struct script *before = NULL; /* the last V, or B in its place */

	for (size_t i = 0; i < f->all.n; i++)
		if (!f->all.entries[i].is_folder)
			sort(f, &f->all.entries[i]);
	if (f->n)
		qsort(f->scripts, f->n, sizeof(*f->scripts), by_version);
	for (size_t i = 0; i < f->n; i++) {
		add(f, &f->scripts[i], before);
		if (f->scripts[i].record)
			before = &f->scripts[i];
	}
}

void dbl_flyway_read(struct dbl_import *im)
{
	struct flyway f = {.im = im, .plain = true};

	if (dbl_folder_list(im, &f.all, im->of->dir, true))
		dbl_import_tell(im, DBL_IMPORT_WRONG, im->of->dir, 0, "%s", im->err->message);
	f.scripts = calloc(f.all.n + 1, sizeof(*f.scripts));
	im->no_memory |= !f.scripts;
	if (f.scripts)
		read_scripts(&f);
	free(f.scripts);
	free(f.all.entries);
}

bool dbl_flyway_is(struct dbl_import *im)
{
	struct dbl_folder all;
	struct script script;
	bool found = false;

	if (dbl_folder_list(im, &all, im->of->dir, true))
		all.n = 0;
	for (size_t i = 0; i < all.n && !found; i++)
		found = !all.entries[i].is_folder && read_name(&all.entries[i], &script);
	free(all.entries);
	return found;
}
