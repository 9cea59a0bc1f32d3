/* SPDX-License-Identifier: MIT */
/* Takes over what another tool has applied: each row of its history is a file of the set. */
#include "migrate/command/adopt_own.h"

#include "base/mem.h"
#include "migrate/command/migrate.h"
#include "migrate/command/record.h"
#include "migrate/report/words.h"

/* ---- taking over ---------------------------------------------------------------------------- */

static int mark(struct adoption *a, struct dblock_error *err)
{
	const struct dbl_set *set = &a->run->set;

	a->applied = dbl_alloc((set->n + 1) * sizeof(*a->applied));
	a->versions = dbl_alloc((set->n + 1) * sizeof(*a->versions));
	if (!a->applied || !a->versions)
		return dbl_fail(err, DBLOCK_E_NOMEM, "out of memory");
	dbl_adopt_mark(a, a->applied);
	for (size_t i = 0; i < set->n; i++) {
		if (a->applied[i])
			a->versions[a->n++] = set->files[i].version;
	}
	return 0;
}

static bool is_marked(const struct dbl_file *file, void *ctx)
{
	const struct adoption *a = ctx;

	return a->applied[file - a->run->set.files];
}

static int tell(const struct adoption *a, struct dbl_adopt *want)
{
	struct dblock_migrate_adopted what = {
		.size = sizeof(what),
		.tool = a->tool->name,
		.table = a->tool->table,
		.version = a->rows.rows[a->rows.n - 1].text,
		.versions = a->versions,
		.n = a->n,
	};

	int said = want->told ? want->told(want->arg, &what) : 0;

	want->told = NULL; /* an attempt that is made anew asks no more */
	return said;
}

static int read_rows(struct dbl_run *run, void *ctx, struct dblock_error *err)
{
	struct adoption *a = ctx;

	return dbl_foreign_read(dbl_run_on(run), a->tool, &a->rows, err);
}

static int read_history(struct dbl_run *run, struct adoption *a, struct dblock_error *err)
{
	int rc = dbl_run_as_file(run, read_rows, a, err);

	if (dbl_is_shape_error(rc))
		return dbl_words_refuse(
			err, DBLOCK_E_INVALID,
			"the table %s is not as %s makes it" DBL_NOTHING_DONE
			"say which file the tables are at: 'dblock migrate baseline V'",
			a->tool->table, a->tool->name);
	if (rc == 0 && a->rows.n == 0)
		return dbl_words_refuse(err, DBLOCK_E_INVALID,
					"%s has applied nothing here" DBL_NOTHING_DONE
					"run 'dblock migrate up'",
					a->tool->name);
	return rc;
}

int dbl_adopt(struct dbl_run *run, const struct dbl_tool *tool, struct dbl_adopt *want,
	      struct dblock_error *err)
{
	struct adoption a = {.run = run, .tool = tool};
	int rc = read_history(run, &a, err);

	if (rc == 0)
		rc = dbl_adopt_check(&a, err);
	if (rc == 0)
		rc = mark(&a, err);
	if (rc == 0)
		rc = tell(&a, want);
	if (rc == 0)
		rc = dbl_record(run, is_marked, &a, err);
	dbl_free(a.applied);
	dbl_free(a.versions);
	dbl_foreign_free(&a.rows);
	return rc;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int no_tool(const struct dbl_adopt *want, struct dblock_error *err)
{
	char names[300];

	dbl_tool_names(names, sizeof(names));
	return dbl_words_refuse(err, DBLOCK_E_INVALID,
				"there is no history of %s here%s%s" DBL_NOTHING_DONE
				"say which file the tables are at: 'dblock migrate baseline V'; if "
				"there are none yet, run 'dblock migrate up'",
				want->from ? want->from : "another tool", "; known are ", names);
}

/* The tool whose history it is to be; NULL: it is not there. *other: it could be that one's, too. */
static const struct dbl_tool *choose(const struct dbl_foreign *found, const char *from,
				     const struct dbl_tool **other)
{
	const struct dbl_tool *chosen = NULL, *wanted = from ? dbl_tool_find(from) : NULL;

	*other = NULL;
	for (unsigned i = 0; i < found->n_tools; i++) {
		const struct dbl_tool *tool = found->tools[i];

		if (!tool->adopts || (from && (!wanted || tool->op != wanted->op)))
			continue;
		if (chosen)
			*other = tool;
		else
			chosen = tool;
	}
	return chosen;
}

static int look(struct dbl_run *run, void *found, struct dblock_error *err)
{
	return dbl_foreign_look(dbl_run_on(run), found, err);
}

static int adopt(struct dbl_run *run, void *ctx, struct dblock_error *err)
{
	struct dbl_adopt *want = ctx;
	const struct dbl_tool *tool, *other;
	struct dbl_foreign found;
	int rc = dbl_gate_enter(run, NULL, NULL, err);

	if (rc || dbl_record_is_done(run))
		return rc;
	if (run->history.n > 0)
		return dbl_record_refuse(run, err);
	rc = dbl_run_as_file(run, look, &found, err);
	if (rc)
		return rc;
	tool = choose(&found, want->from, &other);
	if (other)
		return dbl_words_refuse(err, DBLOCK_E_INVALID,
					"there are the histories of %s and %s" DBL_NOTHING_DONE
					"say which: 'dblock migrate adopt --from %s'",
					tool->name, other->name, tool->name);
	return tool ? dbl_adopt(run, tool, want, err) : no_tool(want, err);
}

int dbl_migrate_adopt(const struct dbl_migrate *ask, const char *from,
		      dblock_migrate_adopt_cb *told, void *arg, struct dblock_error *err)
{
	struct dbl_adopt want = {.from = from, .told = told, .arg = arg};
	struct dbl_migrate lenient = *ask;

	lenient.lenient = true;
	return dbl_run_attempts(&lenient, adopt, &want, err);
}
