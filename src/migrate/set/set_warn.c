/* SPDX-License-Identifier: MIT */
/* Warns of what is allowed in a set, but may be a mistake. */
#include <stdio.h>
#include <string.h>

#include "migrate/set/set_own.h"

static const char *file_of(const struct dbl_script *script)
{
	const char *slash = strrchr(script->path, '/');

	return slash ? slash + 1 : script->path;
}

static DBL_PRINTF(5, 6) void tell(const struct dbl_file *file,
				  enum dblock_migrate_problem_kind kind,
				  dblock_migrate_problem_cb *warned, void *arg, const char *detail,
				  ...)
{
	char text[800];
	const struct dblock_migrate_problem problem = {
		.size = sizeof(problem),
		.kind = kind,
		.harmless = true,
		.version = file->version,
		.name = file->name,
		.detail = text,
	};
	va_list args;

	va_start(args, detail);
	vsnprintf(text, sizeof(text), detail, args);
	va_end(args);
	(void)warned(arg, &problem);
}

static void warn_empty(const struct dbl_file *file, const struct dbl_script *script,
		       dblock_migrate_problem_cb *warned, void *arg)
{
	if (script->text.text && script->text.len == 0)
		tell(file, DBLOCK_PROBLEM_EMPTY, warned, arg,
		     "%.300s has no byte in it, and does nothing; was it saved?", file_of(script));
}

/* What undoes it is often left as it is; `down` refuses that. */
static void warn_draft(const struct dbl_file *file, dblock_migrate_problem_cb *warned, void *arg)
{
	if (dbl_script_is_draft(&file->up))
		tell(file, DBLOCK_PROBLEM_EMPTY, warned, arg,
		     "%.300s is as 'migrate new' made it, and does nothing", file_of(&file->up));
}

/* Warns if the files' names, which other tools sort as texts, are not in the order of numbers. */
static bool warn_order(const struct dbl_file *before, const struct dbl_file *file,
		       dblock_migrate_problem_cb *warned, void *arg)
{
	if (strcmp(file_of(&before->up), file_of(&file->up)) < 0)
		return false;
	tell(file, DBLOCK_PROBLEM_NAME_ORDER, warned, arg,
	     "%.280s comes after %.280s here, but before it with tools that sort names as texts "
	     "(Atlas, dbmate); give all numbers the same width, with zeros on the left",
	     file_of(&file->up), file_of(&before->up));
	return true;
}

void dbl_set_warn(const struct dbl_set *set, dblock_migrate_problem_cb *warned, void *arg)
{
	bool ordered = !set->folder;

	for (size_t i = 0; !set->own && i < set->n; i++) {
		const struct dbl_file *file = &set->files[i];

		warn_empty(file, &file->up, warned, arg);
		warn_empty(file, &file->down, warned, arg);
		warn_draft(file, warned, arg);
		/* One such warning is enough. */
		if (!ordered && i > 0)
			ordered = warn_order(&set->files[i - 1], file, warned, arg);
	}
}

void dbl_set_tell_unsound(const struct dblock_migrate_options *which, const struct dbl_file *file,
			  const char *why)
{
	const struct dblock_migrate_problem problem = {
		.size = sizeof(problem),
		.kind = DBLOCK_PROBLEM_FILES,
		.version = file ? file->version : 0,
		.name = file ? file->name : "",
		.detail = why,
	};

	if (which && which->warned)
		(void)which->warned(which->warned_arg, &problem);
}
