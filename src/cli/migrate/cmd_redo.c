/* SPDX-License-Identifier: MIT */
/* dblock migrate redo: undo the last ones, and apply them again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/migrate/call.h"

static const char about[] =
	"Undoes the one applied last, or so many, and applies the same again: for one that is\n"
	"still being written. All must have a .down.sql, and nothing else may be pending among\n"
	"them, which is checked before the first is undone. What was in their tables is lost.\n";

static const struct dbl_arg args[] = {
	DBL_MIGRATE_COUNT("so many; default 1"),
	DBL_MIGRATE_RUNS,
	{0},
};

struct applied {
	int64_t version, us; /* when it was applied */
	bool amiss;          /* its file is not what was applied, or missing */
};

struct again {
	struct dbl_migrate_call call;
	int64_t newest; /* the largest number that was undone */
	bool others;    /* there are others that are pending, and stay so */
	int64_t gap;    /* the first that is pending below one that is applied; 0: there is none */
	struct applied *list;
	size_t n;
};

static int look(void *arg, const struct dblock_migration *m)
{
	struct again *again = arg;
	struct applied *list;

	if (m->version >= DBLOCK_MIGRATION_REPEATABLE)
		return 0;
	if (m->state == DBLOCK_MIGRATION_PENDING && m->out_of_order && !again->gap)
		again->gap = m->version;
	again->others |= m->state == DBLOCK_MIGRATION_PENDING;
	if (!m->applied_us)
		return 0;
	list = realloc(again->list, (again->n + 1) * sizeof(*list));
	if (!list)
		return DBLOCK_E_NOMEM;
	again->list = list;
	list[again->n++] =
		(struct applied){m->version, m->applied_us,
				 m->changed || (m->state == DBLOCK_MIGRATION_MISSING && !m->newer)};
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct applied *x = a, *y = b;
	int time = (x->us < y->us) - (x->us > y->us);

	return time ? time : (x->version < y->version) - (x->version > y->version);
}

static int refuse(struct again *again, int64_t version, const char *why, const char *next)
{
	struct dblock_error *err = &again->call.err;

	snprintf(err->message, sizeof(err->message),
		 "%04" PRId64 " %s\nstate: nothing was done\nnext:  %s", version, why, next);
	return DBLOCK_E_DRIFT;
}

/* What would keep `up` from applying them again. */
static int check(struct again *again)
{
	int64_t count = again->call.which.count ? again->call.which.count : 1;

	if (again->gap)
		return refuse(again, again->gap, "is pending, below one that is applied",
			      "run 'dblock migrate up --allow-out-of-order', then this again");
	if (again->n)
		qsort(again->list, again->n, sizeof(*again->list), by_time);
	for (size_t i = 0; i < again->n; i++) {
		if ((int64_t)i >= count && again->list[i].amiss)
			return refuse(again, again->list[i].version,
				      "stays applied, and its file is not what was applied",
				      "run 'dblock migrate verify', which says more");
	}
	return DBLOCK_OK;
}

static int undone(void *arg, const struct dblock_migration *m)
{
	struct again *again = arg;

	if (m->version > again->newest)
		again->newest = m->version;
	return dbl_migrate_told(&again->call, m);
}

static int go_down(struct again *again)
{
	struct dbl_migrate_call *call = &again->call;

	call->did = "undone";
	return dblock_migrate_down(call->url, &call->options, &call->which, undone, again,
				   &call->err);
}

static int go_up(struct again *again)
{
	struct dbl_migrate_call *call = &again->call;

	call->did = "applied";
	call->which.count = 0;
	/* Without a limit what is repeatable is applied as well: going down has forgotten it. */
	call->which.to = again->others ? again->newest : 0;
	call->which.allow_out_of_order = true; /* one that is newer may have been applied earlier */
	return dblock_migrate_up(call->url, &call->options, &call->which, dbl_migrate_told, call,
				 &call->err);
}

static int run(struct dbl_cli *cli)
{
	struct again again = {.newest = 0};
	struct dbl_migrate_call *call = &again.call;
	int rc, code = dbl_migrate_begin(call, cli);

	if (code != DBL_EXIT_OK)
		return code;
	rc = dbl_migrate_look(call, look, &again);
	if (rc == DBLOCK_OK)
		rc = check(&again);
	free(again.list);
	if (rc)
		return dbl_migrate_end(call, rc);
	dbl_migrate_warn(call);
	dbl_migrate_run(call);
	rc = go_down(&again);
	if (rc == DBLOCK_OK && again.newest)
		rc = go_up(&again);
	else if (rc == DBLOCK_OK)
		dbl_cli_note(cli, "nothing to do: none is applied that could be undone");
	return dbl_migrate_end(call, rc);
}

const struct dbl_command dbl_migrate_command_redo = {
	.name = "redo",
	.usage = "[--dir DIR] [-n N]",
	.summary = "undo the one applied last, or more, and apply it again",
	.about = about,
	.args = args,
	.run = run,
};
