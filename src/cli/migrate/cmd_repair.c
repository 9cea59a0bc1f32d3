/* SPDX-License-Identifier: MIT */
/* dblock migrate baseline, repair: a person's decision changes the history; nothing is run. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/migrate/call.h"

static const char baseline_about[] =
	"For a database that has its tables already: records migration V and all below it as\n"
	"applied, without running them. Only if nothing of the scope is recorded. Asks first.\n";

static const char repair_about[] =
	"Changes the row of migration V in the history, by your word; runs nothing. Prints the\n"
	"row as it is and as it would be, and asks. Find out first how things are.\n"
	"\n"
	"--done and --not-done are for a statement in doubt, which was sent and whose outcome\n"
	"nobody knows; `up` then goes on after it, or with it. --done is also for one that was\n"
	"refused, and that you have done by hand. --applied is also for one that is pending, and\n"
	"in place: it is recorded, and not run.\n";

const struct dbl_arg dbl_migrate_baseline_args[] = {
	DBL_MIGRATE_YES,
	DBL_MIGRATE_WAIT,
	{0},
};

const struct dbl_arg dbl_migrate_repair_args[] = {
	DBL_MIGRATE_FLAG("done", done, "the statement in doubt, or the next one, took effect"),
	DBL_MIGRATE_FLAG("not-done", not_done, "it did not"),
	DBL_MIGRATE_FLAG("applied", applied, "the whole migration is in place"),
	DBL_MIGRATE_FLAG("forget", forget, "it was undone by hand: it is pending again"),
	DBL_MIGRATE_FLAG("rechecksum", rechecksum, "it is applied, and its changed file is right"),
	DBL_MIGRATE_YES,
	DBL_MIGRATE_WAIT,
	{0},
};

struct change {
	struct dbl_migrate_call call;
	int64_t version;
	enum dblock_migrate_verdict verdict; /* for a repair */
	bool in_set;                         /* for a baseline: such a file exists */
	bool there;                          /* there is something to change */
};

/* Print what is asked about, as "now: 0007_add_owner: in doubt". */
static void say(const struct change *it, const char *what, const struct dblock_migration *m,
		const char *how)
{
	char label[DBL_MIGRATE_LABEL];

	if (!it->call.cli->quiet && !it->call.cli->json)
		fprintf(stderr, "%s %s: %s\n", what, dbl_migrate_label(label, m->version, m->name),
			how);
}

/* Ask, if there was something to show, and make the change; if not, the call itself tells why. */
static int ask_and_change(struct change *it, const char *question, int (*change)(struct change *),
			  dblock_migration_cb *told)
{
	int rc, code = it->there ? dbl_migrate_ask(&it->call, question) : DBL_EXIT_OK;

	if (code != DBL_EXIT_OK)
		return code;
	rc = change(it);
	if (rc == DBLOCK_OK)
		rc = dbl_migrate_look(&it->call, told, it);
	return dbl_migrate_end(&it->call, rc);
}

static void tell(const struct change *it, const char *did, const struct dblock_migration *m,
		 const char *between, const char *state)
{
	char label[DBL_MIGRATE_LABEL];

	if (it->call.migrations)
		json_array_append_new(it->call.migrations, dbl_migrate_json(m));
	else
		printf("%s %s%s%s\n", did, dbl_migrate_label(label, m->version, m->name), between,
		       state);
}

/* ---- baseline ------------------------------------------------------------------------------- */

static int find(void *arg, const struct dblock_migration *m)
{
	struct change *it = arg;

	it->in_set |= m->version == it->version && m->state != DBLOCK_MIGRATION_MISSING;
	return 0;
}

static int show_pending(void *arg, const struct dblock_migration *m)
{
	struct change *it = arg;

	if (m->version > it->version || m->state != DBLOCK_MIGRATION_PENDING)
		return 0;
	say(it, "now: ", m, "pending");
	say(it, "then:", m, "applied (baseline, not run)");
	it->there = true;
	return 0;
}

static int record(struct change *it)
{
	struct dbl_migrate_call *call = &it->call;

	return dblock_migrate_baseline(call->url, &call->options, &call->which, it->version,
				       &call->err);
}

static int tell_recorded(void *arg, const struct dblock_migration *m)
{
	const struct change *it = arg;

	if (m->version <= it->version && m->state == DBLOCK_MIGRATION_APPLIED)
		tell(it, "recorded", m, "", "");
	return 0;
}

static int run_baseline(struct dbl_cli *cli)
{
	struct change it = {.there = false};
	int rc, code = dbl_migrate_version(cli, false, &it.version);

	if (code == DBL_EXIT_OK)
		code = dbl_migrate_begin(&it.call, cli);
	if (code != DBL_EXIT_OK)
		return code;
	rc = dbl_migrate_look(&it.call, find, &it);
	if (rc == DBLOCK_OK && it.in_set)
		rc = dbl_migrate_look(&it.call, show_pending, &it);
	if (rc)
		return dbl_migrate_end(&it.call, rc);
	return ask_and_change(&it, "Record them as applied?", record, tell_recorded);
}

/* ---- repair --------------------------------------------------------------------------------- */

static int choose(const struct dbl_cli *cli, enum dblock_migrate_verdict *verdict)
{
	const struct dbl_migrate_args *args = cli->options;
	const struct {
		bool said;
		enum dblock_migrate_verdict verdict;
	} all[] = {{args->done, DBLOCK_MIGRATE_DONE},
		   {args->not_done, DBLOCK_MIGRATE_NOT_DONE},
		   {args->applied, DBLOCK_MIGRATE_APPLIED},
		   {args->forget, DBLOCK_MIGRATE_FORGET},
		   {args->rechecksum, DBLOCK_MIGRATE_RECHECKSUM}};
	int n = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i].said)
			*verdict = all[i].verdict;
		n += all[i].said;
	}
	if (n == 1)
		return DBL_EXIT_OK;
	return dbl_cli_usage(cli, "say one of --done, --not-done, --applied, --forget, "
				  "--rechecksum");
}

/* May the row be repaired so? If not, nothing is asked, and the call itself tells why. */
static bool may_fit(const struct dblock_migration *m, enum dblock_migrate_verdict verdict)
{
	bool repeats = m->state == DBLOCK_MIGRATION_PENDING && m->applied_us;
	bool applied = m->state == DBLOCK_MIGRATION_APPLIED ||
		       m->state == DBLOCK_MIGRATION_MISSING || repeats;

	switch (verdict) {
	case DBLOCK_MIGRATE_FORGET:
		return true;
	case DBLOCK_MIGRATE_RECHECKSUM:
		return applied;
	case DBLOCK_MIGRATE_APPLIED:
		return !applied;
	case DBLOCK_MIGRATE_DONE:
		return !applied && m->step_done < m->steps;
	case DBLOCK_MIGRATE_NOT_DONE:
		return !applied && m->state != DBLOCK_MIGRATION_FAILED;
	}
	return true;
}

static int show(void *arg, const struct dblock_migration *m)
{
	static const char *const then[] = {
		[DBLOCK_MIGRATE_APPLIED] = "applied, as the file says now",
		[DBLOCK_MIGRATE_FORGET] = "pending: its row is deleted",
		[DBLOCK_MIGRATE_RECHECKSUM] = "applied, with the checksum of the file as it is now",
	};
	struct change *it = arg;
	char text[800];

	bool begun = m->state != DBLOCK_MIGRATION_PENDING || m->applied_us;

	if (m->version != it->version || !may_fit(m, it->verdict) ||
	    (!begun && it->verdict != DBLOCK_MIGRATE_APPLIED))
		return 0;
	it->there = true;
	snprintf(text, sizeof(text), "%s, %" PRId64 " of %" PRId64 " statements done%s%s",
		 dbl_migrate_state(m), m->step_done, m->steps, m->applied_by[0] ? ", by " : "",
		 m->applied_by);
	say(it, "now: ", m, begun ? text : "pending");
	snprintf(text, sizeof(text), "stopped, %" PRId64 " of %" PRId64 " statements done",
		 m->step_done + (it->verdict == DBLOCK_MIGRATE_DONE), m->steps);
	say(it, "then:", m, then[it->verdict] ? then[it->verdict] : text);
	return 0;
}

static int repair(struct change *it)
{
	struct dbl_migrate_call *call = &it->call;

	return dblock_migrate_repair(call->url, &call->options, &call->which, it->version,
				     it->verdict, &call->err);
}

static int tell_repaired(void *arg, const struct dblock_migration *m)
{
	const struct change *it = arg;

	if (m->version == it->version)
		tell(it, "repaired", m, ": ", dbl_migrate_state(m));
	return 0;
}

static int run_repair(struct dbl_cli *cli)
{
	struct change it = {.there = false};
	int rc, code = dbl_migrate_which(cli, &it.version);

	if (code == DBL_EXIT_OK)
		code = choose(cli, &it.verdict);
	if (code == DBL_EXIT_OK)
		code = dbl_migrate_begin(&it.call, cli);
	if (code != DBL_EXIT_OK)
		return code;
	rc = dbl_migrate_look(&it.call, show, &it);
	if (rc)
		return dbl_migrate_end(&it.call, rc);
	return ask_and_change(&it, "Change it?", repair, tell_repaired);
}

const struct dbl_command dbl_migrate_command_baseline = {
	.name = "baseline",
	.usage = "V [--dir DIR] [--yes]",
	.summary = "take existing tables for those of migration V",
	.about = baseline_about,
	.args = dbl_migrate_baseline_args,
	.operands = {.names = {"V"}, .least = 1},
	.run = run_baseline,
};

const struct dbl_command dbl_migrate_command_repair = {
	.name = "repair",
	.usage = "V --done | --not-done | --applied | --forget | --rechecksum [--yes]",
	.summary = "say how to go on with one that stopped halfway",
	.about = repair_about,
	.args = dbl_migrate_repair_args,
	.operands = {.names = {"V"}, .least = 1},
	.run = run_repair,
};
