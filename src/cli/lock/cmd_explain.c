/* SPDX-License-Identifier: MIT */
/* dblock explain: who has a lock, why it has not moved, and what happened before, in sentences. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/lock/explain.h"
#include "cli/lock/words.h"
#include "cli/ui/cli.h"

/* So many of the newest events are looked at, and so many of them printed. */
enum { EVENTS_READ = 200, EVENTS_TOLD = 10 };

static const char about[] =
	"Says in sentences who has the lock, since and until when, whether its process lives, as\n"
	"far as this machine knows; why it has not moved; who waits; what happened before, by\n"
	"`dblock events`; and, where the events tell that a holder lost it while it may have been\n"
	"at work, and somebody else got it, that it may have run twice, and why. With --json: the\n"
	"same sentences, and what they are made of. Exit code 1: no such name is known, and it\n"
	"has no events.\n";

static int keep_holder(void *arg, const struct dblock_holder *holder)
{
	struct dbl_explained *e = arg;

	if (!e->object)
		e->object = dbl_holder_json(holder);
	if (holder->hold == DBLOCK_HOLD_FREE)
		return 0;
	return json_array_append_new(e->holders, dbl_holder_json(holder));
}

static int keep_waiter(void *arg, const struct dblock_waiter *waiter)
{
	return json_array_append_new(((struct dbl_explained *)arg)->queue, dbl_waiter_json(waiter));
}

static int keep_event(void *arg, const struct dblock_event *event)
{
	return json_array_append_new(((struct dbl_explained *)arg)->events, dbl_event_json(event));
}

/* A name that has been purged, or that nobody was ever granted, has no row; if it has events it is known
 * all the same. */
static json_t *without_row(const char *name)
{
	const struct dblock_holder none = {.name = name,
					   .host = "",
					   .app = "",
					   .session = "",
					   .value = "",
					   .left_ms = INT64_MIN,
					   .held_ms = INT64_MIN};

	return dbl_holder_json(&none);
}

static int read_more(struct dbl_cli *cli, struct dbl_explained *e)
{
	struct dblock_waiters_options waiters = DBLOCK_WAITERS_OPTIONS_INIT;
	struct dblock_events_options events = DBLOCK_EVENTS_OPTIONS_INIT;
	int rc;

	waiters.name = events.name = cli->words.word[0];
	events.limit = EVENTS_READ;
	rc = dblock_waiters(cli->client, &waiters, keep_waiter, e, &cli->err);
	if (rc == 0)
		rc = dblock_events(cli->client, &events, keep_event, e, &cli->err);
	return rc;
}

static int read_all(struct dbl_cli *cli, struct dbl_explained *e)
{
	int rc = dblock_show(cli->client, cli->words.word[0], keep_holder, e, &cli->err);
	struct dblock_error unknown = cli->err;

	if (rc == DBLOCK_OK)
		return read_more(cli, e);
	if (rc != DBLOCK_STALE)
		return rc;
	e->object = without_row(cli->words.word[0]);
	rc = read_more(cli, e);
	if (rc || json_array_size(e->events) > 0)
		return rc;
	cli->err = unknown;
	return DBLOCK_STALE;
}

/* One line of text on the screen. */
static void print(const char *before, const char *text, const char *after)
{
	char *safe = dbl_text_safe(text);

	if (safe)
		printf("%s%s%s\n", before, safe, after);
	free(safe);
}

static void print_event(const json_t *event)
{
	char at[DBL_TIME_TEXT], before[DBL_TIME_TEXT + 64];

	dbl_time_local(dbl_explain_number(event, "at_us"), at);
	snprintf(before, sizeof(before), "  %s token %" JSON_INTEGER_FORMAT ": ", at,
		 dbl_explain_number(event, "token"));
	print(before, dbl_explain_text(event, "text"), "");
}

static void print_events(const struct dbl_explained *e)
{
	size_t n = json_array_size(e->events);
	size_t first = n > EVENTS_TOLD ? n - EVENTS_TOLD : 0;

	if (n == 0)
		puts("Nothing is known to have happened to it.");
	else
		printf("What happened%s:\n",
		       first > 0 ? " (the newest; `dblock events` has more)" : "");
	for (size_t i = first; i < n; i++)
		print_event(json_array_get(e->events, i));
}

static void print_sentences(const struct dbl_explained *e, size_t first)
{
	for (size_t i = first; i < json_array_size(e->sentences); i++)
		print("", json_string_value(json_array_get(e->sentences, i)), "");
}

static int tell(const struct dbl_cli *cli, struct dbl_explained *e)
{
	size_t n;

	dbl_explain_now(e);
	n = json_array_size(e->sentences);
	if (!cli->json) {
		print_sentences(e, 0);
		print_events(e);
	}
	dbl_explain_twice(e);
	if (!cli->json) {
		print_sentences(e, n);
		return 0;
	}
	json_object_set(e->object, "holders", e->holders);
	json_object_set(e->object, "queue", e->queue);
	json_object_set(e->object, "events", e->events);
	json_object_set(e->object, "sentences", e->sentences);
	return dbl_json_line(json_incref(e->object));
}

static int explain(struct dbl_cli *cli)
{
	struct dbl_explained e = {.holders = json_array(),
				  .queue = json_array(),
				  .events = json_array(),
				  .sentences = json_array()};
	int rc = read_all(cli, &e);

	if (rc == 0)
		rc = tell(cli, &e);
	json_decref(e.object);
	json_decref(e.holders);
	json_decref(e.queue);
	json_decref(e.events);
	json_decref(e.sentences);
	return dbl_cli_ended(cli, rc, &cli->err);
}

const struct dbl_command dbl_command_explain = {
	.name = "explain",
	.usage = "NAME",
	.summary = "say who has a lock, why it has not moved, what happened before",
	.about = about,
	.operands = {.names = {"NAME"}, .least = 1},
	.client = DBL_CLIENT_LOOK,
	.run = explain,
	.one_only = "give -u of one member; of all at once `dblock show NAME` and `dblock quorum "
		    "status` tell",
};
