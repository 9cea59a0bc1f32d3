/* SPDX-License-Identifier: MIT */
/* dblock migrate repair: a person's word changes the history; nothing is run. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/migrate/call.h"
#include "cli/migrate/commands.h"
#include "cli/ui/duration.h"
#include "cli/ui/exits.h"

static const char repair_about[] =
	"Changes the row of migration V in the history, by your word; runs nothing. Prints the row "
	"as\n"
	"it is and as it would be, and asks. Find out first how things are.\n"
	"\n"
	"--done and --not-done are for a statement in doubt, which was sent and whose outcome "
	"nobody\n"
	"knows; `up` then goes on after it, or with it.\n";

static const struct dbl_arg repair_args[] = {
	DBL_MIGRATE_VERDICTS,
	DBL_MIGRATE_YES,
	DBL_MIGRATE_WAIT,
	{0},
};

struct repair {
	struct dbl_migrate_call *call;
	int64_t version;
	enum dblock_migrate_verdict verdict;
	bool there;
};

static int choose(const struct dbl_cli *cli, const struct dbl_migrate_args *args,
		  enum dblock_migrate_verdict *verdict)
{
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

static void describe(const struct dblock_migration *m, char *text, size_t room)
{
	snprintf(text, room, "%s, %" PRId64 " of %" PRId64 " statements done%s%s",
		 dbl_migrate_state(m), m->step_done, m->steps, m->applied_by[0] ? ", by " : "",
		 m->applied_by);
}

static void foresee(const struct repair *repair, const struct dblock_migration *m, char *text,
		    size_t room)
{
	switch (repair->verdict) {
	case DBLOCK_MIGRATE_DONE:
	case DBLOCK_MIGRATE_NOT_DONE:
		snprintf(text, room, "stopped, %" PRId64 " of %" PRId64 " statements done",
			 m->step_done + (repair->verdict == DBLOCK_MIGRATE_DONE), m->steps);
		return;
	case DBLOCK_MIGRATE_APPLIED:
		snprintf(text, room, "applied, as the file says now");
		return;
	case DBLOCK_MIGRATE_FORGET:
		snprintf(text, room, "pending: its row is deleted");
		return;
	case DBLOCK_MIGRATE_RECHECKSUM:
		snprintf(text, room, "applied, with the checksum of the file as it is now");
		return;
	}
}

/* Else there is nothing to ask about: the call itself says why. */
static bool may_fit(const struct dblock_migration *m, enum dblock_migrate_verdict verdict)
{
	bool applied = m->state == DBLOCK_MIGRATION_APPLIED || m->state == DBLOCK_MIGRATION_MISSING;

	switch (verdict) {
	case DBLOCK_MIGRATE_FORGET:
		return true;
	case DBLOCK_MIGRATE_RECHECKSUM:
		return applied;
	case DBLOCK_MIGRATE_APPLIED:
		return !applied;
	case DBLOCK_MIGRATE_DONE:
	case DBLOCK_MIGRATE_NOT_DONE:
		return !applied && m->state != DBLOCK_MIGRATION_FAILED;
	}
	return true;
}

static int show(void *arg, const struct dblock_migration *m)
{
	struct repair *repair = arg;
	char text[800];

	if (m->version != repair->version || m->state == DBLOCK_MIGRATION_PENDING ||
	    !may_fit(m, repair->verdict))
		return 0;
	repair->there = true;
	describe(m, text, sizeof(text));
	dbl_migrate_say(repair->call, "now: ", m->version, m->name, text);
	foresee(repair, m, text, sizeof(text));
	dbl_migrate_say(repair->call, "then:", m->version, m->name, text);
	return 0;
}

static int told(void *arg, const struct dblock_migration *m)
{
	struct repair *repair = arg;

	if (m->version != repair->version)
		return 0;
	if (repair->call->migrations)
		json_array_append_new(repair->call->migrations, dbl_migrate_json(m));
	else
		printf("repaired %04" PRId64 "_%s: %s\n", m->version, m->name,
		       dbl_migrate_state(m));
	return 0;
}

static int run_repair(struct repair *repair)
{
	struct dbl_migrate_call *call = repair->call;
	int rc = dblock_migrate_repair(call->url, &call->options, &call->which, repair->version,
				       repair->verdict, &call->err);

	if (rc == DBLOCK_OK)
		rc = dblock_migrate_status(call->url, &call->options, &call->which, told, repair,
					   &call->err);
	return dbl_migrate_end(call, rc);
}

int dbl_migrate_cmd_repair(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	struct dbl_migrate_call call;
	struct repair it = {.call = &call};
	int rc, code = dbl_migrate_version(cli, words->word[0], false, &it.version);

	if (code == DBL_EXIT_OK)
		code = choose(cli, options, &it.verdict);
	if (code == DBL_EXIT_OK)
		code = dbl_migrate_begin(&call, cli, options);
	if (code != DBL_EXIT_OK)
		return code;
	rc = dblock_migrate_status(call.url, &call.options, &call.which, show, &it, &call.err);
	if (rc)
		return dbl_migrate_end(&call, rc);
	code = it.there ? dbl_migrate_ask(&call, "Change it?") : DBL_EXIT_OK;
	return code == DBL_EXIT_OK ? run_repair(&it) : code;
}

static const char *const operands[] = {"V", NULL};

const struct dbl_command dbl_migrate_command_repair = {
	.name = "migrate repair",
	.usage = "V --done | --not-done | --applied | --forget | --rechecksum [--yes]",
	.summary = "say how to go on with one that stopped halfway",
	.about = repair_about,
	.args = repair_args,
	.operands = {operands, 1, 0},
	.run = dbl_migrate_cmd_repair,
};
