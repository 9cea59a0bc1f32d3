/* SPDX-License-Identifier: MIT */
/*
 * Is this database somebody else's? Whoever migrates it for the first time with dblock may have migrated
 * it with another tool before: then the first files would be run once more, over tables in use.
 */
#include <stdio.h>

#include "migrate/command/adopt.h"
#include "migrate/report/words.h"

/* The version that the tool's history is at; "": there is none, as nothing was applied. A history that
 * is not as we know it, or may not be read, is at one that we do not know. */
static int version_of(struct dbl_run *run, const struct dbl_tool *tool, char version[201],
		      struct dblock_error *err)
{
	struct dbl_foreign_rows rows = {NULL, 0};
	int rc =
		tool->reads ? dbl_foreign_read(dbl_run_on(run), tool, &rows, err) : DBLOCK_E_SCHEMA;

	*version = '\0';
	if (rc == 0 && rows.n > 0)
		snprintf(version, 201, "%s", rows.rows[rows.n - 1].text);
	dbl_foreign_free(&rows);
	if (!dbl_is_shape_error(rc) && rc != DBLOCK_E_DENIED)
		return rc;
	snprintf(version, 201, "a version that cannot be read");
	return 0;
}

static int refuse_tool(const struct dbl_run *run, const struct dbl_tool *tool, const char *version,
		       struct dblock_error *err)
{
	struct dblock_migrate_options with = run->which;
	char command[DBL_COMMAND_TEXT];

	with.allow_tables = true;
	dbl_fail(err, DBLOCK_E_DRIFT,
		 "%s has migrated this database: its table %s is at %.60s, and nothing of '%s' is "
		 "recorded here",
		 tool->name, tool->table, version, run->set.scope);
	dbl_err_line(err, DBL_LINE_STATE, "nothing was done");
	if (tool->adopts)
		dbl_err_line(err, DBL_LINE_NEXT, "take its history over: 'dblock migrate adopt'");
	else
		dbl_err_line(err, DBL_LINE_NEXT,
			     "say which of these files is the last it has applied: 'dblock migrate "
			     "baseline V'");
	dbl_err_line(err, DBL_LINE_MORE,
		     "or, if they have nothing to do with it, run 'dblock migrate %s'",
		     dbl_words_again(command, false, &with, run->done));
	return DBLOCK_E_DRIFT;
}

static int refuse_tables(const struct dbl_run *run, const struct dbl_foreign *found,
			 struct dblock_error *err)
{
	struct dblock_migrate_options with = run->which;
	char command[DBL_COMMAND_TEXT], others[40] = "";

	with.allow_tables = true;
	if (found->n_tables > 1)
		snprintf(others, sizeof(others), " and %u more", found->n_tables - 1);
	return dbl_words_refuse(
		err, DBLOCK_E_DRIFT,
		"there are tables already (%s%s), and nothing of '%s' is recorded "
		"here" DBL_NOTHING_DONE
		"say which of these files is the last that they have: 'dblock migrate "
		"baseline V'\n" DBL_LINE_MORE
		"or, if the files have nothing to do with them, run 'dblock migrate "
		"%s'",
		found->table, others, run->set.scope,
		dbl_words_again(command, false, &with, run->done));
}

/* What was found, before it is judged. */
struct sight {
	struct dbl_foreign found;
	const struct dbl_tool *tool; /* the first that has applied something; NULL: none has */
	char version[201];
};

static int look(struct dbl_run *run, void *ctx, struct dblock_error *err)
{
	struct sight *s = ctx;
	int rc = dbl_foreign_look(dbl_run_on(run), &s->found, err);

	for (unsigned i = 0; rc == 0 && i < s->found.n_tools && !s->tool; i++) {
		rc = version_of(run, s->found.tools[i], s->version, err);
		s->tool = *s->version ? s->found.tools[i] : NULL;
	}
	return rc;
}

/* Tables may be those of another application that we have migrated: of another scope, or prefix. */
static int has_tables(const struct dbl_run *run, const struct dbl_foreign *found, bool *has,
		      struct dblock_error *err)
{
	int64_t scopes = 0;
	int rc = 0;

	if (found->n_tables > 0 && run->history.there)
		rc = dbl_ask(dbl_run_on(run), DBL_OP_migration_scopes, DBL_NO_ARGS, &scopes, err);
	*has = rc == 0 && found->n_tables > 0 && !found->history && scopes == 0;
	return rc;
}

static int judge(struct dbl_run *run, const struct sight *s, struct dblock_error *err)
{
	bool tables;
	int rc;

	if (s->tool)
		return run->which.adopt && s->tool->adopts
			       ? 0
			       : refuse_tool(run, s->tool, s->version, err);
	rc = has_tables(run, &s->found, &tables, err);
	return rc || !tables ? rc : refuse_tables(run, &s->found, err);
}

int dbl_occupied_check(struct dbl_run *run, const struct dbl_tool **tool, struct dblock_error *err)
{
	struct sight s = {.tool = NULL};
	int rc;

	*tool = NULL;
	if (run->set.own || run->history.n > 0 || run->which.allow_tables)
		return 0;
	rc = dbl_run_as_file(run, look, &s, err);
	if (rc || (!s.tool && s.found.n_tables == 0))
		return rc;
	/* Somebody else may have begun since the last look: then the tables are ours. */
	rc = dbl_run_look(run, err);
	if (rc || run->history.n > 0)
		return rc;
	*tool = s.tool;
	return judge(run, &s, err);
}
