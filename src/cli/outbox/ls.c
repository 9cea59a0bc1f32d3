/* SPDX-License-Identifier: MIT */
/* dblock outbox ls: what waits to be delivered, and what could not be. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/outbox/outbox.h"

static const char about[] =
	"Lists the topics that have messages: how many wait, when the oldest was put, how many\n"
	"keys have one that failed and is tried again, and how many are parked: not tried before\n"
	"`dblock outbox retry`.\n"
	"\n"
	"With TOPIC it lists the topic's keys that have failed, with the number of the message,\n"
	"how often it was tried, since when, when it is tried again, and why it failed.\n";

static const char *const topic_heads[] = {"TOPIC",   "MESSAGES", "OLDEST", "AGE",
					  "FAILING", "PARKED",   NULL};
static const char *const failure_heads[] = {"KEY",   "NUMBER", "TRIES", "SINCE",
					    "AGAIN", "ERROR",  NULL};

enum { NUMBER_TEXT = 24 };

static void number_text(int64_t number, char text[NUMBER_TEXT])
{
	snprintf(text, NUMBER_TEXT, "%" PRId64, number);
}

static int topic_row(void *table, const struct dblock_outbox_topic *t)
{
	char messages[NUMBER_TEXT], failing[NUMBER_TEXT], parked[NUMBER_TEXT];
	char oldest[DBL_TIME_TEXT], age[DBL_DURATION_TEXT];

	number_text(t->messages, messages);
	number_text(t->failing, failing);
	number_text(t->parked, parked);
	dbl_time_local(t->oldest_us, oldest);
	dbl_duration_text(t->oldest_ms, age);
	return dbl_table_add(table, t->topic, messages, oldest, age, failing, parked);
}

static int topic_object(void *unused, const struct dblock_outbox_topic *t)
{
	(void)unused;
	return dbl_json_line(dbl_topic_json(t));
}

static int failure_row(void *table, const struct dblock_outbox_failure *f)
{
	char number[NUMBER_TEXT], tries[NUMBER_TEXT], since[DBL_TIME_TEXT], again[DBL_TIME_TEXT];

	number_text(f->number, number);
	number_text(f->tries, tries);
	dbl_time_local(f->since_us, since);
	if (f->parked || f->due_ms <= 0)
		snprintf(again, sizeof(again), "%s", f->parked ? "parked" : "now");
	else
		dbl_time_left(f->due_ms, again);
	return dbl_table_add(table, f->key, number, tries, since, again, f->error);
}

static int failure_object(void *unused, const struct dblock_outbox_failure *f)
{
	(void)unused;
	return dbl_json_line(dbl_failure_json(f));
}

static int ls(struct dbl_cli *cli)
{
	const char *topic = cli->words.word[0];
	struct dbl_table table = {.heads = topic ? failure_heads : topic_heads};
	int rc = topic ? dblock_outbox_failures(cli->client, topic,
						cli->json ? failure_object : failure_row, &table,
						&cli->err)
		       : dblock_outbox_topics(cli->client, cli->json ? topic_object : topic_row,
					      &table, &cli->err);

	if (rc == DBLOCK_OK && !cli->json && !table.count)
		dbl_cli_note(cli, topic ? "no key of this topic has failed"
					: "no message waits to be delivered");
	dbl_table_print(&table);
	return dbl_cli_ended(cli, rc, &cli->err);
}

const struct dbl_command dbl_command_outbox_ls = {
	.name = "ls",
	.usage = "[TOPIC]",
	.summary = "list topics, or the keys of one that have failed",
	.about = about,
	.operands = {.names = {"TOPIC"}},
	.client = DBL_CLIENT_LOOK,
	.run = ls,
};
