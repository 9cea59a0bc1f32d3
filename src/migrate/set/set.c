/* SPDX-License-Identifier: MIT */
#include "migrate/set/set.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "migrate/set/set_own.h"

/* ---- an array ------------------------------------------------------------------------------- */

static int take_text(struct dbl_set *set, const struct dblock_migration_file *from, const char *way,
		     struct dbl_script *script, const char *text, size_t len,
		     struct dblock_error *err)
{
	struct dbl_str path = {0};
	char *copy;

	dbl_str_addf(&path, "%04lld_%s.%s.sql", (long long)from->version, from->name, way);
	script->path = dbl_set_keep(set, dbl_str_take(&path));
	if (!script->path)
		return dbl_set_no_memory(err);
	if (len > DBL_SCRIPT_MAX)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"%s: it has more than 64 MiB; cut it into several migrations",
				script->path);
	copy = dbl_set_keep(set, dbl_strndup(text, len));
	if (!copy)
		return dbl_set_no_memory(err);
	return dbl_script_take(script, copy, len, err);
}

/* `number` is that of the element, from 1. */
static int check_element(const struct dblock_migration_file *from, int64_t last, size_t number,
			 struct dblock_error *err)
{
	if (from->version <= last)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"migration number %zu of the array: version %lld follows %lld; "
				"they have to be above 0, and to rise",
				number, (long long)from->version, (long long)last);
	if (!from->name || !dbl_migration_name_fits(from->name, strlen(from->name)))
		return dbl_fail(err, DBLOCK_E_INVALID,
				"migration %lld of the array: '%.80s' is no name; give it one of "
				"at most %d of A-Z a-z 0-9 _ . -",
				(long long)from->version, from->name ? from->name : "NULL",
				DBL_MIGRATION_NAME_MAX);
	if (!from->up)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"migration %04lld_%s of the array: `up` is NULL; give it a text",
				(long long)from->version, from->name);
	return 0;
}

static int take_element(struct dbl_set *set, const struct dblock_migration_file *from,
			struct dblock_error *err)
{
	struct dbl_file *file = &set->files[set->n++];
	int rc;

	file->version = from->version;
	file->name = dbl_set_keep(set, dbl_strdup(from->name));
	if (!file->name)
		return dbl_set_no_memory(err);
	rc = take_text(set, from, "up", &file->up, from->up, from->up_len, err);
	if (rc == 0 && from->down)
		rc = take_text(set, from, "down", &file->down, from->down, from->down_len, err);
	return rc;
}

static int read_array(struct dbl_set *set, const struct dblock_migration_file *files, size_t n,
		      struct dblock_error *err)
{
	int rc = 0;

	if (n == 0)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the array of migrations is empty; give it one at least");
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = check_element(&files[i], i ? files[i - 1].version : 0, i + 1, err);
	if (rc)
		return rc;
	set->files = dbl_alloc(n * sizeof(*set->files));
	if (!set->files)
		return dbl_set_no_memory(err);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = take_element(set, &files[i], err);
	return rc;
}

/* ---- the library's own ---------------------------------------------------------------------- */

static size_t count_own(const struct dbl_migration_text *own)
{
	size_t n = 0;

	while (own[n].version)
		n++;
	return n;
}

int dbl_set_outline_own(struct dbl_set *set, const struct dbl_dialect *dialect,
			struct dblock_error *err)
{
	const struct dbl_migration_text *own = dialect->migrations;
	size_t n = count_own(own);

	*set = (struct dbl_set){.scope = "dblock", .own = true};
	set->files = dbl_alloc(n * sizeof(*set->files));
	if (!set->files)
		return dbl_set_no_memory(err);
	set->n = n;
	for (size_t i = 0; i < n; i++) {
		struct dbl_file *file = &set->files[i];

		file->version = own[i].version;
		file->name = own[i].name;
		snprintf(file->up.checksum, sizeof(file->up.checksum), "%s", own[i].checksum);
	}
	return 0;
}

static int read_own(struct dbl_set *set, const struct dbl_dialect *dialect,
		    struct dblock_error *err)
{
	const struct dbl_migration_text *own = dialect->migrations;
	struct dblock_migration_file *files;
	size_t n = count_own(own);
	int rc;

	files = dbl_alloc(n * sizeof(*files));
	if (!files)
		return dbl_set_no_memory(err);
	for (size_t i = 0; i < n; i++)
		files[i] = (struct dblock_migration_file){
			.version = own[i].version,
			.name = own[i].name,
			.up = own[i].up,
			.up_len = strlen(own[i].up),
			.down = own[i].down,
			.down_len = strlen(own[i].down),
		};
	rc = read_array(set, files, n, err);
	dbl_free(files);
	return rc;
}

/* ---- whichever ------------------------------------------------------------------------------ */

bool dbl_set_is_own(const struct dblock_migrate_options *which)
{
	return !which || (!which->dir && !which->files);
}

static int choose_scope(struct dbl_set *set, const struct dblock_migrate_options *which,
			struct dblock_error *err)
{
	static const char own[] = "dblock", allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
	const char *scope = which ? which->scope : NULL;

	set->own = dbl_set_is_own(which);
	set->scope = set->own ? own : "app";
	if (!scope)
		return 0;
	if (!scope[0] || strlen(scope) > 64 || scope[strspn(scope, allowed)])
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%.80s' is no scope; name 1 to 64 of a-z 0-9 _ . -", scope);
	if ((strcmp(scope, own) == 0) != set->own)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the scope '%s' is for the library's own migrations, and those are "
				"in no other; choose another one",
				own);
	set->scope = dbl_set_keep(set, dbl_strdup(scope));
	return set->scope ? 0 : dbl_set_no_memory(err);
}

static int read_any(struct dbl_set *set, const struct dblock_migrate_options *which,
		    const struct dbl_dialect *dialect, struct dblock_error *err)
{
	if (set->own)
		return read_own(set, dialect, err);
	if (!which->dir)
		return read_array(set, which->files, which->n_files, err);
	if (which->files)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"both a folder and an array of migrations are given; leave one of "
				"them NULL");
	set->folder = true;
	return dbl_set_read_dir(set, which->dir, dialect, err);
}

static int plan_all(struct dbl_set *set, const struct dbl_dialect *dialect,
		    struct dblock_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < set->n && rc == 0; i++) {
		rc = dbl_script_plan(set, &set->files[i].up, dialect, err);
		if (rc == 0 && set->files[i].down.text)
			rc = dbl_script_plan(set, &set->files[i].down, dialect, err);
	}
	return rc;
}

int dbl_set_read(struct dbl_set *set, const struct dblock_migrate_options *which,
		 const struct dbl_dialect *dialect, struct dblock_error *err)
{
	int rc;

	dbl_set_free(set);
	rc = choose_scope(set, which, err);
	if (rc == 0)
		rc = read_any(set, which, dialect, err);
	return rc ? rc : plan_all(set, dialect, err);
}

const struct dbl_file *dbl_set_find(const struct dbl_set *set, int64_t version)
{
	size_t low = 0, high = set->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->files[middle].version == version)
			return &set->files[middle];
		if (set->files[middle].version < version)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
