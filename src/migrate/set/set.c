/* SPDX-License-Identifier: MIT */
#include "migrate/set/set.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "migrate/set/set_own.h"

bool dbl_set_is_own(const struct dblock_migrate_options *which)
{
	return !which || (!which->dir && !which->files);
}

static int choose_scope(struct dbl_set *set, const struct dblock_migrate_options *which,
			struct dblock_error *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
	const char *scope = which ? which->scope : NULL;

	set->own = dbl_set_is_own(which);
	set->scope = set->own ? DBL_MIGRATE_SCOPE : "app";
	if (!scope)
		return 0;
	if (!scope[0] || strlen(scope) > 64 || scope[strspn(scope, allowed)])
		return dbl_fail(err, DBLOCK_E_INVALID,
				"'%.80s' is no scope; name 1 to 64 of a-z 0-9 _ . -", scope);
	if ((strcmp(scope, DBL_MIGRATE_SCOPE) == 0) != set->own)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"the scope '" DBL_MIGRATE_SCOPE "' is for the library's own "
				"migrations, and those are in no other; choose another one");
	if (!set->own)
		set->scope = dbl_set_keep(set, dbl_strdup(scope));
	return set->scope ? 0 : dbl_set_no_memory(err);
}

static int read_any(struct dbl_set *set, const struct dblock_migrate_options *which,
		    const struct dbl_dialect *dialect, struct dblock_error *err)
{
	if (set->own)
		return dbl_set_read_own(set, dialect, err);
	if (!which->dir)
		return dbl_set_read_array(set, which->files, which->n_files, err);
	if (which->files)
		return dbl_fail(err, DBLOCK_E_INVALID,
				"both a folder and an array of migrations are given; leave one of "
				"them NULL");
	set->folder = true;
	return dbl_set_read_dir(set, which->dir, dialect, err);
}

/* Texts that cannot be run as they are: the first is the call's error, the others are told. */
struct unsound {
	const struct dblock_migrate_options *which;
	struct dblock_error first;
	size_t n;
};

static int plan(struct dbl_set *set, const struct dbl_file *file, struct dbl_script *script,
		const struct dbl_dialect *dialect, struct unsound *unsound)
{
	struct dblock_error err = {0};
	int rc = script->text.text ? dbl_script_fill(set, script, unsound->which, &err) : 0;

	if (rc == 0 && script->text.text)
		rc = dbl_script_plan(set, script, dialect, &err);

	if (rc && unsound->n++ == 0)
		unsound->first = err;
	else if (rc == DBLOCK_E_INVALID)
		dbl_set_tell_unsound(unsound->which, file, err.message);
	return rc == DBLOCK_E_INVALID ? 0 : rc;
}

static int plan_all(struct dbl_set *set, const struct dblock_migrate_options *which,
		    const struct dbl_dialect *dialect, struct dblock_error *err)
{
	struct unsound unsound = {.which = which, .n = 0};
	int rc = 0;

	for (size_t i = 0; i < set->n && rc == 0; i++) {
		struct dbl_file *file = &set->files[i];

		rc = plan(set, file, &file->up, dialect, &unsound);
		if (rc == 0)
			rc = plan(set, file, &file->down, dialect, &unsound);
	}
	set->unsound = rc == 0 && unsound.n > 0;
	if (err && unsound.n > 0)
		*err = unsound.first;
	if (set->unsound && unsound.n > 1)
		dbl_err_suffix(err, "; so %s %zu more", unsound.n == 2 ? "is" : "are",
			       unsound.n - 1);
	return set->unsound ? DBLOCK_E_INVALID : rc;
}

int dbl_set_read(struct dbl_set *set, const struct dblock_migrate_options *which,
		 const struct dbl_dialect *dialect, struct dblock_error *err)
{
	int rc;

	dbl_set_free(set);
	rc = choose_scope(set, which, err);
	if (rc == 0)
		rc = read_any(set, which, dialect, err);
	return rc ? rc : plan_all(set, which, dialect, err);
}

int64_t dbl_set_last(const struct dbl_set *set)
{
	for (size_t i = set->n; i > 0; i--) {
		if (!dbl_is_repeatable(set->files[i - 1].version))
			return set->files[i - 1].version;
	}
	return 0;
}

const struct dbl_file *dbl_set_find(const struct dbl_set *set, int64_t version)
{
	for (size_t i = 0; i < set->n; i++) {
		if (set->files[i].version == version)
			return &set->files[i];
	}
	return NULL;
}
