/* SPDX-License-Identifier: MIT */
/* dblock recover: finish transactions over several databases that their programs have left. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"

struct recover_options {
	int64_t grace_ms;
};

static const char about[] =
	"Looks on each database for what dblock_global_commit() has prepared there and not\n"
	"finished, reads in the database that decides (its home) what was decided, and does it; "
	"if\n"
	"nothing was, it writes down that it never will be, and rolls back. Run it from a timer,\n"
	"with -u for each database that takes part, homes too:\n"
	"\n"
	"  dblock recover -u \"$ORDERS\" -u \"$STOCK\"\n"
	"\n"
	"What goes on, or whose database cannot be reached, is left for the next time. What "
	"nobody\n"
	"can know any more, as its home is missing or was restored, is shown: exit code 1.\n";

static const struct dbl_arg args[] = {
	DBL_DURATION_ARG("grace", 0, offsetof(struct recover_options, grace_ms), 1,
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

static const char *word_of(enum dblock_recovered outcome)
{
	switch (outcome) {
	case DBLOCK_RECOVERED_COMMITTED:
		return "committed";
	case DBLOCK_RECOVERED_ROLLED_BACK:
		return "rolled back";
	case DBLOCK_RECOVERED_NOT_YET:
		return "not yet";
	default:
		return "in doubt";
	}
}

static int tell(void *arg, const struct dblock_recovery *found)
{
	struct report *report = arg;
	json_t *object;

	report->in_doubt += found->outcome == DBLOCK_RECOVERED_IN_DOUBT;
	if (!report->cli->json) {
		printf("%s  %s  %" PRId64 " prepared  %s\n", found->id, word_of(found->outcome),
		       found->branches, found->text);
		return 0;
	}
	object = json_object();
	dbl_json_text(object, "id", found->id);
	dbl_json_text(object, "outcome", word_of(found->outcome));
	json_object_set_new(object, "branches", json_integer(found->branches));
	json_object_set_new(object, "since_us", json_integer(found->since_us));
	dbl_json_text(object, "text", found->text);
	report->failed = dbl_json_line(object) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
	return report->failed;
}

/* Those that could be opened; the first failure is told, and the others are finished all the same. */
static size_t open_all(struct dbl_cli *cli, struct dblock_client *clients[], int *rc)
{
	struct dblock_client_options options = dbl_cli_options(cli);
	char *urls[DBLOCK_QUORUM_MAX + 1];
	size_t n = dbl_cli_members(cli, urls), opened = 0;

	for (size_t i = 0; i < n; i++) {
		struct dblock_error err = {0};
		int one = dblock_open(urls[i], &options, &clients[opened], &err);

		if (one == 0)
			opened++;
		else if (*rc == DBL_EXIT_OK)
			*rc = dbl_cli_not_opened(cli, one, &err);
		free(urls[i]);
	}
	return opened;
}

static int recover(struct dbl_cli *cli)
{
	const struct recover_options *o = cli->options;
	struct dblock_recover_options how = DBLOCK_RECOVER_OPTIONS_INIT;
	struct dblock_client *clients[DBLOCK_QUORUM_MAX + 1];
	struct report report = {.cli = cli};
	int rc = dbl_cli_need_url(cli), done = 0;
	size_t n;

	if (rc != DBL_EXIT_OK)
		return rc;
	how.grace_ms = o->grace_ms;
	n = open_all(cli, clients, &rc);
	if (n > 0)
		done = dblock_recover(clients, n, &how, tell, &report, &cli->err);
	for (size_t i = 0; i < n; i++)
		(void)dblock_close(clients[i], NULL);
	if (done && !report.failed)
		return dbl_cli_ended(cli, done, &cli->err);
	if (report.failed || rc != DBL_EXIT_OK)
		return report.failed ? report.failed : rc;
	return report.in_doubt ? DBL_EXIT_WARNINGS : DBL_EXIT_OK;
}

const struct dbl_command dbl_command_recover = {
	.name = "recover",
	.usage = "",
	.summary = "finish transactions over several databases that were left",
	.about = about,
	.args = args,
	.size = sizeof(struct recover_options),
	.run = recover,
	.run_members = recover,
};
