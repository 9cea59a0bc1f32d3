/* SPDX-License-Identifier: MIT */
/* dblock events: what happened to locks. */
#include <stdio.h>

#include "cli/lock/words.h"
#include "cli/ui/cli.h"

struct events_options {
	int64_t since_ms;
	int64_t limit;
	int64_t after;
};

static const struct events_options defaults = {.limit = 100};

static const struct dbl_arg args[] = {
	DBL_DURATION_ARG("since", 0, offsetof(struct events_options, since_ms), 1,
			 DBL_DURATION_MAX_MS, "only what happened in so long until now"),
	{"limit", 'n', DBL_ARG_NUMBER, offsetof(struct events_options, limit), "N", 0, INT64_MAX,
	 "only the newest N; default 100; 0: all", NULL},
	{"after", 0, DBL_ARG_NUMBER, offsetof(struct events_options, after), "ID", 0, INT64_MAX,
	 "only those behind this id, which --json tells", NULL},
	{0},
};

static const char about[] =
	"Lists what happened to locks, or to the lock NAME, the newest last: lost (its holder was\n"
	"told so), dead, ended (its session was declared dead: no heartbeat came, or its process\n"
	"had ended), expired (its lease was over), broken, forced, released (by its token, from\n"
	"elsewhere), freed (what had been taken away), refused (a token that does not hold the\n"
	"lock), schema (the tables). WHOSE is to whom it happened. That a lock is acquired and\n"
	"released by its holder is not among them. `dblock explain NAME` says what it comes to.\n";

static int print(void *arg, const struct dblock_event *event)
{
	(void)arg;
	return dbl_json_line(dbl_event_json(event));
}

static int events(struct dbl_cli *cli)
{
	const struct events_options *o = cli->options;
	struct dblock_events_options which = DBLOCK_EVENTS_OPTIONS_INIT;
	struct dbl_table table = {.heads = dbl_event_heads};
	int rc;

	which.name = cli->words.word[0];
	which.after = o->after;
	which.since_ms = o->since_ms;
	which.limit = o->limit;
	rc = dblock_events(cli->client, &which, cli->json ? print : dbl_event_row, &table,
			   &cli->err);
	if (rc == DBLOCK_OK && !cli->json && !table.count)
		dbl_cli_note(cli, "nothing happened that is known");
	dbl_table_print(&table);
	return dbl_cli_ended(cli, rc, &cli->err);
}

const struct dbl_command dbl_command_events = {
	.name = "events",
	.usage = "[--since DUR] [-n N] [NAME]",
	.summary = "list what happened: losses, breaks, deaths, refusals",
	.about = about,
	.args = args,
	.operands = {.names = {"NAME"}},
	.defaults = &defaults,
	.size = sizeof(defaults),
	.client = DBL_CLIENT_LOOK,
	.run = events,
	.one_only = "give -u of one member; of all at once `dblock show NAME` and `dblock quorum "
		    "status` tell",
};
