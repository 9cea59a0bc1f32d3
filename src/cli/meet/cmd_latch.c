/* SPDX-License-Identifier: MIT */
/* dblock latch: a number that is counted down to 0, and who waits for that. */
#include <inttypes.h>
#include <stdio.h>

#include <dblock/latch.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"
#include "cli/ui/signals.h"

struct latch_options {
	int64_t n;
	int64_t request;
	int64_t wait_ms; /* -1: for ever */
};

static const struct latch_options defaults = {.wait_ms = -1};

#define COUNT_ARG(help)                                                                            \
	{                                                                                          \
		"count", 'n', DBL_ARG_NUMBER, offsetof(struct latch_options, n), "N", 1,           \
			DBLOCK_LATCH_MAX, help, NULL                                               \
	}

static int print_object(const struct dbl_cli *cli, const struct dblock_latch *latch)
{
	json_t *object = json_object();

	dbl_json_text(object, "name", cli->words.word[0]);
	dbl_json_number(object, "count", latch->count);
	dbl_json_number(object, "of", latch->of);
	dbl_json_number(object, "generation", latch->generation);
	dbl_json_time(object, "since", latch->since_us);
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
}

/* What create, reset and show print. */
static int told(struct dbl_cli *cli, int rc, const struct dblock_latch *latch)
{
	if (rc)
		return dbl_cli_ended(cli, rc, &cli->err);
	if (cli->json)
		return print_object(cli, latch);
	printf("%" PRId64 " of %" PRId64 "\n", latch->count, latch->of);
	return DBL_EXIT_OK;
}

/* ---- create ------------------------------------------------------------------------------------ */

static const struct dbl_arg create_args[] = {COUNT_ARG("what it begins with"), {0}};

static const char create_about[] =
	"Creates the latch NAME with a count of N, or finds it: any number of scripts may begin\n"
	"with this, and whoever is first creates it. Prints what is yet to be counted down. It\n"
	"stays as it is until `dblock latch reset`, or until nobody has used it for a week, and\n"
	"`dblock reap` runs.\n";

static int check_create(const struct dbl_cli *cli)
{
	const struct latch_options *o = cli->options;

	return o->n ? DBL_EXIT_OK
		    : dbl_cli_usage(cli, "--count is missing: so many are to count down");
}

static int create(struct dbl_cli *cli)
{
	const struct latch_options *o = cli->options;
	struct dblock_latch latch = DBLOCK_LATCH_INIT;

	return told(cli,
		    dblock_latch_create(cli->client, cli->words.word[0], o->n, &latch, &cli->err),
		    &latch);
}

static const struct dbl_command latch_create = {
	.name = "create",
	.usage = "NAME -n N",
	.summary = "create a latch, unless it is there",
	.about = create_about,
	.args = create_args,
	.operands = {.names = {"NAME"}, .least = 1},
	.client = DBL_CLIENT_OPEN,
	.check = check_create,
	.run = create,
};

/* ---- down -------------------------------------------------------------------------------------- */

static const struct dbl_arg down_args[] = {
	COUNT_ARG("by so many; default 1"),
	{"request", 0, DBL_ARG_TOKEN, offsetof(struct latch_options, request), "NUMBER", 0, 0,
	 "a number that counts once, however often it comes", NULL},
	{0},
};

static const char down_about[] =
	"Counts the latch NAME down, never below 0, and prints what is left. If the database does\n"
	"not answer in time (69), it may have been counted: with --request the same command can\n"
	"be repeated, and counts once.\n";

static int down(struct dbl_cli *cli)
{
	const struct latch_options *o = cli->options;
	struct dblock_count_down_options options = DBLOCK_COUNT_DOWN_OPTIONS_INIT;
	json_t *object;
	int64_t left;
	int rc;

	options.request = o->request;
	rc = dblock_latch_count_down(cli->client, cli->words.word[0], o->n ? o->n : 1, &options,
				     &left, &cli->err);
	if (rc)
		return dbl_cli_ended(cli, rc, &cli->err);
	if (!cli->json) {
		printf("%" PRId64 "\n", left);
		return DBL_EXIT_OK;
	}
	object = json_object();
	dbl_json_text(object, "name", cli->words.word[0]);
	dbl_json_number(object, "count", left);
	return dbl_json_line(object) ? DBL_EXIT_INTERNAL : DBL_EXIT_OK;
}

static const struct dbl_command latch_down = {
	.name = "down",
	.usage = "NAME [-n N]",
	.summary = "count a latch down",
	.about = down_about,
	.args = down_args,
	.operands = {.names = {"NAME"}, .least = 1},
	.client = DBL_CLIENT_OPEN,
	.run = down,
};

/* ---- wait -------------------------------------------------------------------------------------- */

static const struct dbl_arg wait_args[] = {
	DBL_DURATION_ARG("wait", 'w', offsetof(struct latch_options, wait_ms), 0,
			 DBL_DURATION_MAX_MS, "wait so long at most; default: for ever"),
	{0},
};

static const char wait_about[] =
	"Waits until the latch NAME has come to 0. Exit code 75: not in that time; 76: it was\n"
	"reset before that; 1: there is none, `dblock latch create` comes first.\n";

static int wait_for_0(struct dbl_cli *cli)
{
	const struct latch_options *o = cli->options;
	struct dblock_latch_wait_options options = DBLOCK_LATCH_WAIT_OPTIONS_INIT;
	struct dbl_signals signals;
	int rc, code;

	dbl_signals_block(&signals);
	options.wait_ms = o->wait_ms < 0 ? DBLOCK_FOREVER
			  : o->wait_ms   ? o->wait_ms
					 : DBLOCK_NO_WAIT;
	options.canceled = dbl_signals_pending;
	options.canceled_arg = &signals;
	rc = dblock_latch_wait(cli->client, cli->words.word[0], &options, &cli->err);
	code = signals.caught ? DBL_EXIT_SIGNAL + signals.caught
			      : dbl_cli_ended(cli, rc, &cli->err);
	dbl_cli_close(cli);
	return dbl_signals_end(&signals, code);
}

static const struct dbl_command latch_wait = {
	.name = "wait",
	.usage = "NAME [-w DUR]",
	.summary = "wait until a latch has come to 0",
	.about = wait_about,
	.args = wait_args,
	.operands = {.names = {"NAME"}, .least = 1},
	.client = DBL_CLIENT_OPEN,
	.run = wait_for_0,
};

/* ---- reset, show ------------------------------------------------------------------------------- */

static const struct dbl_arg reset_args[] = {COUNT_ARG("what it begins with; default: as before"),
					    {0}};

static const char reset_about[] =
	"Begins the next generation of the latch NAME, at its full count. Who still waits for the\n"
	"one before is told so (76). Exit code 1: there is none, or somebody else has reset it at\n"
	"this moment.\n";

static int reset(struct dbl_cli *cli)
{
	const struct latch_options *o = cli->options;
	struct dblock_latch latch = DBLOCK_LATCH_INIT;

	return told(cli,
		    dblock_latch_reset(cli->client, cli->words.word[0], o->n, &latch, &cli->err),
		    &latch);
}

static const struct dbl_command latch_reset = {
	.name = "reset",
	.usage = "NAME [-n N]",
	.summary = "begin a latch anew",
	.about = reset_about,
	.args = reset_args,
	.operands = {.names = {"NAME"}, .least = 1},
	.client = DBL_CLIENT_OPEN,
	.run = reset,
};

static int show(struct dbl_cli *cli)
{
	struct dblock_latch latch = DBLOCK_LATCH_INIT;

	return told(cli, dblock_latch_show(cli->client, cli->words.word[0], &latch, &cli->err),
		    &latch);
}

static const struct dbl_command latch_show = {
	.name = "show",
	.usage = "NAME",
	.summary = "print what a latch is at",
	.about = "Prints what is yet to be counted down, and of how many. Exit code 1: there is "
		 "none.\n",
	.operands = {.names = {"NAME"}, .least = 1},
	.client = DBL_CLIENT_OPEN,
	.run = show,
};

/* ---- the group --------------------------------------------------------------------------------- */

static const struct dbl_command *const commands[] = {&latch_create, &latch_down, &latch_wait,
						     &latch_reset,  &latch_show, NULL};

const struct dbl_command dbl_command_latch = {
	.name = "latch",
	.usage = "COMMAND",
	.summary = "count down to 0, and wait for that",
	.about = "A number that some count down, and others wait for: docs/user/latch-barrier.md.\n"
		 "\n"
		 "  dblock latch create shards -n 3          whoever comes first\n"
		 "  ./load.sh && dblock latch down shards    each of the three\n"
		 "  dblock latch wait shards && ./serve.sh\n",
	.operands = {.names = {"COMMAND"}, .verbatim_from = 1},
	.defaults = &defaults,
	.size = sizeof(struct latch_options),
	.commands = commands,
	.one_only = "a latch is in one",
};
