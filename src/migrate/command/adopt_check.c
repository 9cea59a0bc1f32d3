/* SPDX-License-Identifier: MIT */
/* Does another tool's history fit the set? Each of its rows is one of the files. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "migrate/command/adopt_own.h"
#include "migrate/report/words.h"

/* ---- which file is meant -------------------------------------------------------------------- */

/* Whether they are the same name, as Flyway shows `create_person` as "create person". */
static bool is_name(const char *ours, const char *theirs)
{
	while (*ours && (*ours == *theirs || (*ours == '_' && *theirs == ' '))) {
		ours++;
		theirs++;
	}
	return *ours == *theirs;
}

/* The only file of a name that the row may mean; NULL: there is none, or there are several. */
static const struct dbl_file *named(const struct dbl_set *set, const struct dbl_foreign_row *row)
{
	const struct dbl_file *found = NULL;

	for (size_t i = 0; i < set->n; i++) {
		const struct dbl_file *file = &set->files[i];

		if (dbl_is_repeatable(file->version) ||
		    (!is_name(file->name, row->text) && !is_name(file->name, row->name)))
			continue;
		if (found)
			return NULL;
		found = file;
	}
	return found;
}

/* Whether `migrate import` numbered a file anew, as it does where Flyway's versions are 1.2 and the like: then
 * its version is in the name, V1.2__name. */
static bool has_own_version(const struct dbl_file *file)
{
	size_t n = strspn(file->name + (*file->name == 'V'), "0123456789.");

	return *file->name == 'V' && n > 0 && strncmp(file->name + 1 + n, "__", 2) == 0;
}

/* Whether the numbers of this set are not those of the tool. */
static bool is_renumbered(const struct adoption *a)
{
	const struct dbl_set *set = &a->run->set;

	if (a->tool->op != DBL_OP_history_flyway)
		return false;
	for (size_t i = 0; i < set->n; i++) {
		if (has_own_version(&set->files[i]))
			return true;
	}
	return false;
}

/* The file with the row's version in its name. */
static const struct dbl_file *of_own_version(const struct dbl_set *set,
					     const struct dbl_foreign_row *row)
{
	size_t n = strlen(row->text);

	for (size_t i = 0; i < set->n; i++) {
		const char *name = set->files[i].name;

		if (has_own_version(&set->files[i]) && strncmp(name + 1, row->text, n) == 0 &&
		    name[1 + n] == '_')
			return &set->files[i];
	}
	return NULL;
}

static const struct dbl_file *file_of(const struct adoption *a, const struct dbl_foreign_row *row)
{
	const struct dbl_set *set = &a->run->set;

	if (is_renumbered(a))
		return of_own_version(set, row);
	return row->version > 0 ? dbl_set_find(set, row->version) : named(set, row);
}

/* Whether the row says all that it means by its number: the file may have been left behind. */
static bool is_bound(const struct adoption *a, const struct dbl_foreign_row *row)
{
	const struct dbl_set *set = &a->run->set;

	return row->kind == DBL_FOREIGN_UP_TO && row->version > 0 && set->n > 0 &&
	       row->version <= dbl_set_last(set) && !is_renumbered(a);
}

/* The number up to which the row says that all are applied; 0: it does not. */
static int64_t bound_of(const struct adoption *a, const struct dbl_foreign_row *row,
			const struct dbl_file *file)
{
	if (row->kind != DBL_FOREIGN_UP_TO)
		return 0;
	return file ? file->version : is_bound(a, row) ? row->version : 0;
}

void dbl_adopt_mark(const struct adoption *a, bool *applied)
{
	const struct dbl_set *set = &a->run->set;

	for (size_t i = 0; i < a->rows.n; i++) {
		const struct dbl_foreign_row *row = &a->rows.rows[i];
		const struct dbl_file *file = file_of(a, row);
		int64_t bound = bound_of(a, row, file);

		if (file)
			applied[file - set->files] = true;
		for (size_t k = 0; k < set->n; k++)
			applied[k] |= set->files[k].version <= bound;
	}
}

/* ---- what does not fit ---------------------------------------------------------------------- */

static bool is_sum(const struct dbl_tool *tool, const char *text, size_t len, const char *sum)
{
	char hex[DBL_SHA384_HEX + 1];

	if (tool->sum == DBL_SUM_SHA256)
		dbl_sha256_hex(text, len, hex);
	else
		dbl_sha384_hex(text, len, hex);
	return strcmp(hex, sum) == 0;
}

/* Whether the sum is that of the file, whose lines may have ended in CRLF. (Without memory for that, it
 * is not.) */
static bool is_sum_of(const struct dbl_tool *tool, const struct dbl_script *script, const char *sum)
{
	struct dbl_str crlf = {0};
	bool same = is_sum(tool, script->original.text, script->original.len, sum);

	for (size_t i = 0; !same && i < script->original.len; i++) {
		if (script->original.text[i] == '\n')
			dbl_str_addn(&crlf, "\r", 1);
		dbl_str_addn(&crlf, script->original.text + i, 1);
	}
	same = same || (!crlf.failed && crlf.text && is_sum(tool, crlf.text, crlf.len, sum));
	dbl_str_free(&crlf);
	return same;
}

static bool is_changed(const struct adoption *a, const struct dbl_foreign_row *row)
{
	const struct dbl_file *file = file_of(a, row);

	return a->tool->sum != DBL_SUM_NONE && *row->checksum && file &&
	       !is_sum_of(a->tool, &file->up, row->checksum);
}

static bool is_missing(const struct adoption *a, const struct dbl_foreign_row *row)
{
	return row->kind != DBL_FOREIGN_OWN && !file_of(a, row) && !is_bound(a, row) &&
	       !a->run->which.allow_missing;
}

static bool has_failed(const struct adoption *a, const struct dbl_foreign_row *row)
{
	(void)a;
	return row->kind == DBL_FOREIGN_FAILED;
}

/* Lists the rows of which that is true, the first five by name. Returns the first, or NULL. */
static const struct dbl_foreign_row *list(const struct adoption *a,
					  bool (*is)(const struct adoption *,
						     const struct dbl_foreign_row *),
					  char text[400])
{
	const struct dbl_foreign_row *first = NULL;
	size_t at = 0;
	int n = 0;

	for (size_t i = 0; i < a->rows.n; i++) {
		const struct dbl_foreign_row *row = &a->rows.rows[i];

		if (!is(a, row) || n++ >= 5)
			continue;
		first = first ? first : row;
		at += (size_t)snprintf(text + at, 400 - at, "%s%.60s", at ? ", " : "", row->text);
	}
	if (n > 5)
		snprintf(text + at, 400 - at, ", and %d more", n - 5);
	return first;
}

/* The largest version below that one; 0: none. */
static int64_t before(const struct dbl_set *set, int64_t version)
{
	int64_t found = 0;

	for (size_t i = 0; i < set->n && set->files[i].version < version; i++)
		found = set->files[i].version;
	return found;
}

static int refuse_failed(const struct adoption *a, const struct dbl_foreign_row *row,
			 struct dblock_error *err)
{
	const struct dbl_file *file = file_of(a, row);
	int64_t undone = file ? before(&a->run->set, file->version) : 0;

	dbl_fail(err, DBLOCK_E_REPAIR,
		 "%s has %.60s as %s: it stopped in that file, or is at it, and how far it came is "
		 "not recorded",
		 a->tool->name, row->text,
		 a->tool->op == DBL_OP_history_golang ? "dirty" : "not finished");
	dbl_err_line(err, DBL_LINE_STATE, "nothing was done");
	if (!file) {
		dbl_err_line(err, DBL_LINE_NEXT,
			     "let %s finish it, then run 'dblock migrate adopt'", a->tool->name);
		return DBLOCK_E_REPAIR;
	}
	dbl_err_line(err, DBL_LINE_NEXT,
		     "see what of %04lld_%.80s is there, do the rest by hand, then run 'dblock "
		     "migrate baseline %lld'",
		     (long long)file->version, file->name, (long long)file->version);
	if (undone)
		dbl_err_line(err, DBL_LINE_MORE,
			     "or undo what is there, then run 'dblock migrate baseline %lld'",
			     (long long)undone);
	return DBLOCK_E_REPAIR;
}

int dbl_adopt_check(const struct adoption *a, struct dblock_error *err)
{
	const char *tool = a->tool->name;
	const struct dbl_foreign_row *row;
	char text[400];

	row = list(a, has_failed, text);
	if (row)
		return refuse_failed(a, row, err);
	if (list(a, is_missing, text))
		return dbl_words_refuse(
			err, DBLOCK_E_DRIFT,
			"%s has applied what is not in this set: %s" DBL_NOTHING_DONE
			"bring the files here, or go on without them: 'dblock migrate "
			"adopt --allow-missing'\n" DBL_LINE_MORE
			"or say which file the tables are at: 'dblock migrate "
			"baseline V'",
			tool, text);
	if (list(a, is_changed, text))
		return dbl_words_refuse(
			err, DBLOCK_E_DRIFT,
			"changed after %s applied them: %s" DBL_NOTHING_DONE
			"restore the files, and write a new migration for the change"
			"\n" DBL_LINE_MORE "or, if it does not matter: 'dblock migrate baseline V'",
			tool, text);
	return 0;
}
