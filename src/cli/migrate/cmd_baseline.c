/* SPDX-License-Identifier: MIT */
/* dblock migrate baseline: tables that are there already are taken for those of a version. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/migrate/call.h"
#include "cli/migrate/commands.h"
#include "cli/ui/duration.h"
#include "cli/ui/exits.h"

static const char baseline_about[] =
	"For a database that has its tables already: records migration V and all below it as "
	"applied,\n"
	"without running them. Only if nothing of the scope is recorded. Asks first.\n";

static const struct dbl_arg baseline_args[] = {
	DBL_MIGRATE_YES,
	DBL_MIGRATE_WAIT,
	{0},
};

struct base {
	struct dbl_migrate_call *call;
	int64_t version;
	bool there; /* in the set */
	int64_t n;
};

static int find_base(void *arg, const struct dblock_migration *m)
{
	struct base *base = arg;

	base->there |= m->version == base->version && m->state != DBLOCK_MIGRATION_MISSING;
	return 0;
}

static int show_base(void *arg, const struct dblock_migration *m)
{
	struct base *base = arg;

	if (m->version > base->version || m->state != DBLOCK_MIGRATION_PENDING)
		return 0;
	dbl_migrate_say(base->call, "now: ", m->version, m->name, "pending");
	dbl_migrate_say(base->call, "then:", m->version, m->name, "applied (baseline, not run)");
	base->n++;
	return 0;
}

static int told_base(void *arg, const struct dblock_migration *m)
{
	struct base *base = arg;

	if (m->version > base->version || m->state != DBLOCK_MIGRATION_APPLIED)
		return 0;
	if (base->call->migrations)
		json_array_append_new(base->call->migrations, dbl_migrate_json(m));
	else
		printf("recorded %04" PRId64 "_%s\n", m->version, m->name);
	return 0;
}

static int run_baseline(struct base *base)
{
	struct dbl_migrate_call *call = base->call;
	int rc = dblock_migrate_baseline(call->url, &call->options, &call->which, base->version,
					 &call->err);

	if (rc == DBLOCK_OK)
		rc = dblock_migrate_status(call->url, &call->options, &call->which, told_base, base,
					   &call->err);
	return dbl_migrate_end(call, rc);
}

static int show(struct base *base)
{
	struct dbl_migrate_call *call = base->call;
	int rc = dblock_migrate_status(call->url, &call->options, &call->which, find_base, base,
				       &call->err);

	if (rc || !base->there)
		return rc;
	return dblock_migrate_status(call->url, &call->options, &call->which, show_base, base,
				     &call->err);
}

int dbl_migrate_cmd_baseline(struct dbl_cli *cli, const void *options,
			     const struct dbl_words *words)
{
	struct dbl_migrate_call call;
	struct base base = {.call = &call};
	int rc, code = dbl_migrate_version(cli, words->word[0], false, &base.version);

	if (code == DBL_EXIT_OK)
		code = dbl_migrate_begin(&call, cli, options);
	if (code != DBL_EXIT_OK)
		return code;
	rc = show(&base);
	if (rc)
		return dbl_migrate_end(&call, rc);
	/* If there is nothing to record, the call itself says why. */
	code = base.n ? dbl_migrate_ask(&call, "Record them as applied?") : DBL_EXIT_OK;
	return code == DBL_EXIT_OK ? run_baseline(&base) : code;
}

static const char *const operands[] = {"V", NULL};

const struct dbl_command dbl_migrate_command_baseline = {
	.name = "migrate baseline",
	.usage = "V [--dir DIR] [--yes]",
	.summary = "take existing tables for those of migration V",
	.about = baseline_about,
	.args = baseline_args,
	.operands = {operands, 1, 0},
	.run = dbl_migrate_cmd_baseline,
};
