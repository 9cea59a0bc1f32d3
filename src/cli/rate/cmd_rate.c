/* SPDX-License-Identifier: MIT */
/* dblock rate: what is used of rates, and to forget it. */
#include <inttypes.h>
#include <stdio.h>

#include <dblock/rate.h>

#include "cli/ui/cli.h"
#include "cli/ui/print.h"

/* ---- ls -------------------------------------------------------------------------------------- */

static const char ls_about[] =
	"Lists the rates that somebody has taken of, with the numbers of the last one who did:\n"
	"how many may be taken in a period, and at once; how many are left; how many are booked\n"
	"by those who wait; when all could be had at once again; and when the last was taken.\n";

static const char *const heads[] = {"NAME",   "RATE", "BURST", "LEFT",
				    "BOOKED", "FULL", "LAST",  NULL};

enum { NUMBER_TEXT = 24 };

static int row(void *table, const struct dblock_rate_bucket *b)
{
	char rate[NUMBER_TEXT + DBL_DURATION_TEXT], period[DBL_DURATION_TEXT], full[DBL_TIME_TEXT];
	char burst[NUMBER_TEXT], left[NUMBER_TEXT], booked[NUMBER_TEXT], last[DBL_TIME_TEXT];

	dbl_duration_text(b->period_ms, period);
	snprintf(rate, sizeof(rate), "%" PRId64 "/%s", b->rate, period);
	snprintf(burst, sizeof(burst), "%" PRId64, b->burst);
	snprintf(left, sizeof(left), "%" PRId64, b->left);
	snprintf(booked, sizeof(booked), "%" PRId64, b->booked);
	if (b->full_us > 0)
		dbl_time_left(b->full_us / 1000, full);
	else
		snprintf(full, sizeof(full), "now");
	dbl_time_local(b->taken_us, last);
	return dbl_table_add(table, b->name, rate, burst, left, booked, full, last);
}

static int object(void *unused, const struct dblock_rate_bucket *b)
{
	json_t *object = json_object();

	(void)unused;
	dbl_json_text(object, "name", b->name);
	dbl_json_number(object, "rate", b->rate);
	dbl_json_number(object, "period_ms", b->period_ms);
	dbl_json_number(object, "burst", b->burst);
	dbl_json_number(object, "left", b->left);
	dbl_json_number(object, "booked", b->booked);
	dbl_json_ms(object, "full_ms", (b->full_us + 999) / 1000);
	dbl_json_time(object, "taken", b->taken_us);
	return dbl_json_line(object);
}

static int ls(struct dbl_cli *cli)
{
	struct dbl_table table = {.heads = heads};
	int rc = dblock_rate_list(cli->client, cli->json ? object : row, &table, &cli->err);

	if (rc == DBLOCK_OK && !cli->json && !table.count)
		dbl_cli_note(cli, "nothing is taken of any rate");
	dbl_table_print(&table);
	return dbl_cli_ended(cli, rc, &cli->err);
}

static const struct dbl_command command_ls = {
	.name = "ls",
	.usage = "",
	.summary = "list rates, and what is left of each",
	.about = ls_about,
	.client = DBL_CLIENT_LOOK,
	.run = ls,
};

/* ---- reset ----------------------------------------------------------------------------------- */

static const char reset_about[] =
	"Forgets what was taken of the rate NAME: all of its burst can be had at once. Who waits\n"
	"for his turn keeps it. Exit code 1: nothing was taken of it.\n";

static int reset(struct dbl_cli *cli)
{
	int rc = dblock_rate_reset(cli->client, cli->words.word[0], &cli->err);

	return dbl_cli_ended(cli, rc, &cli->err);
}

static const struct dbl_command command_reset = {
	.name = "reset",
	.usage = "NAME",
	.summary = "forget what was taken of a rate",
	.about = reset_about,
	.operands = {.names = {"NAME"}, .least = 1},
	.client = DBL_CLIENT_OPEN,
	.run = reset,
};

/* ---- the group ------------------------------------------------------------------------------- */

static const struct dbl_command *const commands[] = {&command_ls, &command_reset, NULL};

const struct dbl_command dbl_command_rate = {
	.name = "rate",
	.usage = "COMMAND",
	.summary = "rate limits: what is used of them",
	.about = "Rate limits, as `dblock run --rate` and dblock_rate_take() keep to:\n"
		 "docs/user/rate-limit.md.\n",
	.operands = {.names = {"COMMAND"}, .verbatim_from = 1},
	.commands = commands,
	.one_only = "a rate is in one",
};
