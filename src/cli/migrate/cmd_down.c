/* SPDX-License-Identifier: MIT */
/* dblock migrate down, to, goto: undo migrations, and go to a version in either direction. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/migrate/call.h"

static const char down_about[] =
	"Undoes migrations, the one applied last first: one, or so many, or all that were applied\n"
	"after V. All that are to be undone must have a .down.sql, which is checked before the\n"
	"first is run. --all undoes every one of them, and asks first.\n";

static const char to_about[] =
	"Applies what is missing up to migration V; 0 is the empty schema. If others above V are\n"
	"applied they are undone, with --allow-down only.\n";

const struct dbl_arg dbl_migrate_down_args[] = {
	DBL_MIGRATE_COUNT("so many; default 1"),
	DBL_MIGRATE_TO("all that were applied after this migration"),
	DBL_MIGRATE_FLAG("all", which.all, "all of them"),
	DBL_MIGRATE_YES,
	DBL_MIGRATE_RUNS,
	{0},
};

static const struct dbl_arg to_args[] = {
	DBL_MIGRATE_FLAG("allow-down", allow_down, "undo what lies above V"),
	DBL_MIGRATE_OUT_OF_ORDER("also apply those below one that is applied"),
	DBL_MIGRATE_TABLES,
	DBL_MIGRATE_YES,
	DBL_MIGRATE_RUNS,
	{0},
};

/* What is undone is lost: undoing all, or removing dblock's own tables, has to be confirmed. */
static int confirm(struct dbl_migrate_call *call)
{
	if (call->args->own)
		return dbl_migrate_ask(call, "Drop tables of dblock's own?");
	return call->which.all ? dbl_migrate_ask(call, "Undo all migrations?") : DBL_EXIT_OK;
}

static int go_down(struct dbl_migrate_call *call)
{
	call->did = "undone";
	dbl_migrate_warn(call);
	return dblock_migrate_down(call->url, &call->options, &call->which, dbl_migrate_told, call,
				   &call->err);
}

static int run(struct dbl_cli *cli)
{
	const struct dblock_migrate_options *which =
		&((const struct dbl_migrate_args *)cli->options)->which;
	struct dbl_migrate_call call;
	int code, rc;

	if (which->all && (which->to || which->count))
		return dbl_cli_usage(cli, "--all is more than --to or -n: give one of them");
	if (which->to && which->count)
		return dbl_cli_usage(cli, "give --to or -n, not both");
	code = dbl_migrate_begin(&call, cli);
	if (code != DBL_EXIT_OK)
		return code;
	code = confirm(&call);
	if (code != DBL_EXIT_OK)
		return code;
	dbl_migrate_run(&call);
	rc = go_down(&call);
	if (rc == DBLOCK_OK && !call.count)
		dbl_cli_note(cli, "nothing to do: none is applied that could be undone");
	return dbl_migrate_end(&call, rc);
}

/* ---- to ------------------------------------------------------------------------------------- */

struct view {
	int64_t to;
	int64_t above, n_above; /* the largest that is applied above `to`, and how many are */
	char name[201];
};

static int look(void *arg, const struct dblock_migration *m)
{
	struct view *view = arg;

	if (m->version <= view->to || m->state == DBLOCK_MIGRATION_PENDING)
		return 0;
	view->above = m->version;
	view->n_above++;
	snprintf(view->name, sizeof(view->name), "%s", m->name);
	return 0;
}

static int refuse_down(struct dbl_migrate_call *call, const struct view *view)
{
	snprintf(call->err.message, sizeof(call->err.message),
		 "%04" PRId64 "_%s is applied, and would have to be undone (%" PRId64
		 " above %04" PRId64 " in all)\n"
		 "state: nothing was done\n"
		 "next:  run 'dblock migrate to %" PRId64 " --allow-down' to undo what lies above",
		 view->above, view->name, view->n_above, view->to, view->to);
	return dbl_migrate_end(call, DBLOCK_E_INVALID);
}

/* Apply all up to `to`; there is none up to 0. */
static int go_up(struct dbl_migrate_call *call, int64_t to)
{
	if (to == 0)
		return DBLOCK_OK;
	call->did = "applied";
	dbl_migrate_warn(call);
	return dblock_migrate_up(call->url, &call->options, &call->which, dbl_migrate_told, call,
				 &call->err);
}

static int go(struct dbl_migrate_call *call, const struct view *view)
{
	int rc = DBLOCK_OK;

	dbl_migrate_run(call);
	if (view->n_above)
		rc = go_down(call);
	if (rc == DBLOCK_OK)
		rc = go_up(call, view->to);
	if (rc == DBLOCK_OK && !call->count)
		dbl_cli_note(call->cli, "nothing to do: it is there already");
	return dbl_migrate_end(call, rc);
}

static int to(struct dbl_cli *cli)
{
	const struct dbl_migrate_args *args = cli->options;
	struct dbl_migrate_call call;
	struct view view = {.to = 0};
	int rc, code = dbl_migrate_version(cli, true, &view.to);

	if (code == DBL_EXIT_OK)
		code = dbl_migrate_begin(&call, cli);
	if (code != DBL_EXIT_OK)
		return code;
	rc = dbl_migrate_look(&call, look, &view);
	if (rc)
		return dbl_migrate_end(&call, rc);
	if (view.n_above && !args->allow_down)
		return refuse_down(&call, &view);
	call.which.to = view.to;
	call.which.all = view.to == 0;
	code = view.n_above ? confirm(&call) : DBL_EXIT_OK;
	return code == DBL_EXIT_OK ? go(&call, &view) : code;
}

const struct dbl_command dbl_migrate_command_down = {
	.name = "down",
	.usage = "[--dir DIR] [-n N | --to V | --all]",
	.summary = "undo the one applied last, or more",
	.about = down_about,
	.args = dbl_migrate_down_args,
	.run = run,
};

const struct dbl_command dbl_migrate_command_to = {
	.name = "to",
	.usage = "V [--dir DIR] [--allow-down]",
	.summary = "go to a version, up or down",
	.about = to_about,
	.args = to_args,
	.operands = {.names = {"V"}, .least = 1},
	.run = to,
};

const struct dbl_command dbl_migrate_command_goto = {
	.name = "goto",
	.usage = "V [--dir DIR] [--allow-down]",
	.summary = "the same, as golang-migrate calls it",
	.about = to_about,
	.args = to_args,
	.operands = {.names = {"V"}, .least = 1},
	.run = to,
};
