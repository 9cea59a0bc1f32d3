/* SPDX-License-Identifier: MIT */
/* What an import does, step by step. */
#include "cli/migrate/import/import.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/migrate/import/import_own.h"
#include "cli/migrate/import/write.h"

/* ---- whose files they are ------------------------------------------------------------------- */

static const struct dbl_format *named(struct dbl_import *im)
{
	const struct dbl_format *f = dbl_formats;

	while (f->tool && strcasecmp(f->tool, im->of->from) != 0)
		f++;
	if (f->tool)
		return f;
	dbl_migrate_refuse(im->err,
			   "--from: there is no import from '%.40s'\n"
			   "next:  name one of " DBL_IMPORT_TOOLS,
			   im->of->from);
	return NULL;
}

static const struct dbl_format *told_by_files(struct dbl_import *im)
{
	const struct dbl_format *found = NULL;

	for (const struct dbl_format *f = dbl_formats; f->tool; f++) {
		if ((found && f->weak) || !f->is(im))
			continue;
		if (found) {
			dbl_migrate_refuse(im->err,
					   "%s: these could be files of %s, and of %s\n"
					   "next:  say which with --from %s, or --from %s",
					   im->of->dir, found->tool, f->tool, found->tool, f->tool);
			return NULL;
		}
		found = f;
	}
	if (!found)
		dbl_migrate_refuse(im->err,
				   "%s: there are no migrations here that dblock can read\n"
				   "next:  name the very folder that they are in; it reads those "
				   "of " DBL_IMPORT_TOOLS,
				   im->of->dir);
	return found;
}

/* ---- their numbers -------------------------------------------------------------------------- */

static int by_version(const void *left, const void *right)
{
	const struct dbl_record *a = left, *b = right;

	if (a->version != b->version)
		return a->version < b->version ? -1 : 1;
	return strcmp(a->up.path ? a->up.path : "", b->up.path ? b->up.path : "");
}

/* 0 is no number of ours: it becomes 1, if that is free. */
static void number_zero(struct dbl_import *im)
{
	struct dbl_record *zero = im->records;

	if (im->n == 0 || zero->version != 0)
		return;
	if (im->n > 1 && zero[1].version <= 1) {
		dbl_import_tell(
			im, DBL_IMPORT_WRONG, zero->up.path, 0,
			"0 is no number for a migration here, and 1 is taken; put what it does at "
			"the beginning of that one, and remove it");
		return;
	}
	zero->version = 1;
	dbl_import_tell(im, DBL_IMPORT_NOTE, zero->up.path, 0,
			"0 is no number for a migration here: it becomes 1");
}

static void check_numbers(struct dbl_import *im)
{
	if (im->n)
		qsort(im->records, im->n, sizeof(*im->records), by_version);
	number_zero(im);
	for (size_t i = 1; i < im->n; i++)
		if (im->records[i].version == im->records[i - 1].version && im->records[i].up.path)
			dbl_import_tell(im, DBL_IMPORT_WRONG, im->records[i].up.path, 0,
					"%s has the same number, or name; give one of them another",
					im->records[i - 1].up.path ? im->records[i - 1].up.path
								   : "another one");
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int check_all(struct dbl_import *im)
{
	bool refused = im->wrong || (im->left_out && !im->of->allow_missing);

	if (im->no_memory)
		return dbl_migrate_no_memory(im->err);
	if (refused)
		return dbl_migrate_refuse(
			im->err,
			"%s: %u %s cannot be taken over\n"
			"state: nothing was written\n"
			"next:  correct what is named above, then run the command again%s",
			im->of->dir, im->wrong + im->left_out,
			im->wrong + im->left_out == 1 ? "thing" : "things",
			im->wrong ? ""
				  : "\n       or go on without these files: add --allow-missing");
	if (im->n == 0)
		return dbl_migrate_refuse(im->err,
					  "%s: there is no migration of %s here\n"
					  "next:  name the very folder that they are in",
					  im->of->dir, im->of->tool);
	if (!im->dialect && !im->of->dialect && !*im->of->url_dialect)
		return dbl_migrate_refuse(im->err,
					  "which database they are for is not said\n"
					  "next:  add --dialect sqlite, postgresql or mysql");
	return 0;
}

static int import(struct dbl_import *im)
{
	const struct dbl_format *format;
	int rc = im->of->dialect ? dbl_migrate_check_dialect(im->of->dialect, im->err) : 0;

	if (rc == 0)
		rc = dbl_folder_list(im, &im->folder, im->of->dir, false);
	if (rc)
		return rc;
	format = im->of->from ? named(im) : told_by_files(im);
	if (!format)
		return im->err->code;
	im->of->tool = format->tool;
	format->read(im);
	check_numbers(im);
	rc = check_all(im);
	return rc ? rc : dbl_import_write(im);
}

static void free_all(struct dbl_import *im)
{
	for (size_t i = 0; i < im->n_kept; i++)
		free(im->kept[i]);
	free(im->kept);
	free(im->records);
	free(im->folder.entries);
}

int dbl_migrate_import(struct dbl_importing *of, struct dblock_error *err)
{
	struct dbl_import im = {.of = of, .err = err};
	int rc;

	of->tool = NULL;
	rc = import(&im);
	free_all(&im);
	return rc;
}
