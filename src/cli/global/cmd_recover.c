/* SPDX-License-Identifier: MIT */
/* dblock recover: finish transactions over several databases that their programs have left. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/global/global.h"

static const char about[] =
	"Looks on each database for what dblock_global_commit() has prepared there and not\n"
	"finished, reads in the database that decides (its home) what was decided, and does it;\n"
	"if nothing was, it writes down that it never will be, and rolls back. Run it from a\n"
	"timer, with -u for each database that takes part, homes too:\n"
	"\n"
	"  dblock recover -u \"$ORDERS\" -u \"$STOCK\"\n"
	"\n"
	"What goes on, or whose database cannot be reached, is left for the next time. What\n"
	"nobody can know any more, as its home is missing or was restored, is shown: exit code 1.\n"
	"Then look with `dblock global show ID`, and decide with `dblock global finish ID`.\n";

static const struct dbl_arg args[] = {
	DBL_DURATION_ARG("grace", 0, offsetof(struct dbl_global_options, grace_ms), 1,
			 DBLOCK_TIMEOUT_MAX_MS,
			 "leave alone what has begun more recently; default 1m"),
	{0},
};

/* What the callback has seen. */
struct report {
	const struct dbl_cli *cli;
	int64_t in_doubt;
	int failed; /* an exit code */
};

static int tell(void *arg, const struct dblock_recovery *found)
{
	struct report *report = arg;

	report->in_doubt += found->outcome == DBLOCK_RECOVERED_IN_DOUBT;
	if (!report->cli->json) {
		printf("%s  %s  %" PRId64 " prepared  %s\n", found->id,
		       dbl_recovered_word(found->outcome, true), found->branches, found->text);
		return 0;
	}
	report->failed =
		dbl_json_line(dbl_recovery_json(found, true)) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
	return report->failed;
}

static int recover(struct dbl_cli *cli)
{
	const struct dbl_global_options *o = cli->options;
	struct dblock_recover_options how = DBLOCK_RECOVER_OPTIONS_INIT;
	struct report report = {.cli = cli};
	struct dbl_databases d;
	int rc = 0;

	how.grace_ms = o->grace_ms;
	if (dbl_databases_open(&d, cli, false))
		rc = dblock_recover(d.clients, d.n, &how, tell, &report, &cli->err);
	dbl_databases_close(&d);
	if (rc && !report.failed)
		return dbl_cli_ended(cli, rc, &cli->err);
	if (report.failed || d.code != DBL_EXIT_OK)
		return report.failed ? report.failed : d.code;
	return report.in_doubt ? DBL_EXIT_WARNINGS : DBL_EXIT_OK;
}

const struct dbl_command dbl_command_recover = {
	.name = "recover",
	.usage = "",
	.summary = "finish transactions over several databases that were left",
	.about = about,
	.args = args,
	.size = sizeof(struct dbl_global_options),
	.run = recover,
	.run_members = recover,
};
