/* SPDX-License-Identifier: MIT */
/* Takes a set from an array: a program's, or the library's own. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "migrate/set/set_own.h"

static int take_text(struct dbl_set *set, const struct dbl_file *file, struct dbl_script *script,
		     const char *text, size_t len, struct dblock_error *err)
{
	struct dbl_str path = {0};
	struct dbl_taking taking;
	char label[DBL_LABEL];

	dbl_str_add(&path, dbl_label(label, file->version, file->name));
	if (!dbl_is_repeatable(file->version))
		dbl_str_add(&path, script == &file->up ? ".up" : ".down");
	dbl_str_add(&path, ".sql");
	script->path = dbl_set_keep(set, dbl_str_take(&path));
	if (!script->path)
		return dbl_set_no_memory(err);
	dbl_script_take(set, &taking);
	(void)dbl_script_part(&taking, text, len); /* a failure is told at the end */
	return dbl_script_taken(set, script, &taking, err);
}

static int take_texts(struct dbl_set *set, struct dbl_file *file,
		      const struct dblock_migration_file *from, struct dblock_error *err)
{
	int rc = take_text(set, file, &file->up, from->up, from->up_len, err);

	return rc || !from->down
		       ? rc
		       : take_text(set, file, &file->down, from->down, from->down_len, err);
}

static int check_repeatable(const struct dblock_migration_file *from, struct dblock_error *err)
{
	if (from->version != dbl_repeatable(from->name, strlen(from->name)))
		return dbl_fail(
			err, DBLOCK_E_INVALID,
			"repeatable migration '%s' of the array: its number is not that of its "
			"name; take dblock_migration_repeatable(), or 'dblock migrate embed'",
			from->name);
	return from->down ? dbl_fail(err, DBLOCK_E_INVALID,
				     "repeatable migration '%s' of the array: it cannot be undone; "
				     "let `down` be NULL",
				     from->name)
			  : 0;
}

/* Fails if an element is not valid. `number` is the element's, from 1. */
static int check_element(const struct dblock_migration_file *from, int64_t last, size_t number,
			 struct dblock_error *err)
{
	if (from->version <= last && !dbl_is_repeatable(from->version))
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
	return dbl_is_repeatable(from->version) ? check_repeatable(from, err) : 0;
}

static int take_element(struct dbl_set *set, const struct dblock_migration_file *from,
			struct dblock_error *err)
{
	struct dbl_file *file = &set->files[set->n++];

	file->version = from->version;
	file->name = dbl_set_keep(set, dbl_strdup(from->name));
	return file->name ? take_texts(set, file, from, err) : dbl_set_no_memory(err);
}

int dbl_set_read_array(struct dbl_set *set, const struct dblock_migration_file *files, size_t n,
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

int dbl_set_outline_own(struct dbl_set *set, const struct dbl_dialect *dialect,
			struct dblock_error *err)
{
	const struct dbl_migration_text *own = dialect->migrations;
	size_t n = 0;

	*set = (struct dbl_set){.scope = DBL_MIGRATE_SCOPE, .own = true};
	while (own[n].version)
		n++;
	set->files = dbl_alloc(n * sizeof(*set->files));
	if (!set->files)
		return dbl_set_no_memory(err);
	for (; set->n < n; set->n++, own++) {
		struct dbl_file *file = &set->files[set->n];

		file->version = own->version;
		file->name = own->name;
		snprintf(file->up.checksum, sizeof(file->up.checksum), "%s", own->checksum);
	}
	return 0;
}

int dbl_set_read_own(struct dbl_set *set, const struct dbl_dialect *dialect,
		     struct dblock_error *err)
{
	int rc = dbl_set_outline_own(set, dialect, err);

	for (size_t i = 0; rc == 0 && i < set->n; i++) {
		const struct dbl_migration_text *own = &dialect->migrations[i];
		const struct dblock_migration_file from = {.up = own->up,
							   .up_len = strlen(own->up),
							   .down = own->down,
							   .down_len = strlen(own->down)};

		rc = take_texts(set, &set->files[i], &from, err);
	}
	return rc;
}
