/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/err.h"
#include "migrate/report/words.h"
#include "migrate/set/set.h"

int64_t dblock_migration_repeatable(const char *name)
{
	return dbl_repeatable(name, strlen(name));
}

static int tell(const struct dbl_set *set, dblock_migration_file_cb *found, void *arg)
{
	int rc = 0;

	for (size_t i = 0; i < set->n && rc == 0; i++) {
		const struct dbl_file *file = &set->files[i];
		const struct dblock_migration_file told = {
			.version = file->version,
			.name = file->name,
			.up = file->up.original.text,
			.up_len = file->up.original.len,
			.down = file->down.original.text,
			.down_len = file->down.original.len,
		};

		rc = found(arg, &told);
	}
	return rc;
}

/* A variable without a value is as good as any other name. */
static const char *name_for_value(void *arg, const char *name)
{
	(void)arg;
	return name;
}

int dblock_migrate_check(const char *dir, const char *dialect, dblock_migration_file_cb *found,
			 dblock_migrate_problem_cb *warned, void *arg, struct dblock_error *err)
{
	struct dblock_migrate_options which = DBLOCK_MIGRATE_OPTIONS_INIT;
	const struct dbl_dialect *of;
	struct dbl_set set = {0};
	int rc;

	if (!dir || !dialect)
		return dbl_fail(err, DBLOCK_E_INVALID, "the folder or the dialect is NULL");
	which.dir = dir;
	which.warned = warned;
	which.warned_arg = arg;
	which.variable = name_for_value;
	rc = dbl_dialect_find(dialect, &of, err);
	if (rc == 0)
		rc = dbl_set_read(&set, &which, of, err);
	if (rc == 0 && warned)
		dbl_set_warn(&set, warned, arg);
	if (rc == 0 && found)
		rc = tell(&set, found, arg);
	dbl_set_free(&set);
	if (rc < 0)
		dbl_words_next(err, rc, "verify --files-only");
	return rc;
}
