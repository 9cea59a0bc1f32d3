/* SPDX-License-Identifier: MIT */
/* dblock outbox show: the messages of a key. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/outbox/outbox.h"

static const char about[] =
	"Shows the messages of a key that wait: the first one line by line, and whether it has\n"
	"failed, and why; and those that wait behind it, with the beginning of what they say.\n"
	"With --json an object for each, with all of it. Exit code 1: none waits.\n";

enum { FOUND = 1, BODY_COLUMNS = 60 };

struct shown {
	struct dbl_cli *cli;
	struct dbl_table behind; /* the first one */
	bool any;
	json_t *failure; /* of the message that is being shown */
};

/* ---- its failure ----------------------------------------------------------------------------- */

static int failure_lines(const struct dblock_outbox_failure *f)
{
	char text[2 * DBL_TIME_TEXT + 80], since[DBL_TIME_TEXT], again[DBL_TIME_TEXT];

	dbl_time_local(f->since_us, since);
	dbl_time_left(f->due_ms > 0 ? f->due_ms : 0, again);
	snprintf(text, sizeof(text), "%" PRId64 " %s since %s; %s%s", f->tries,
		 f->tries == 1 ? "try" : "tries", since,
		 f->parked       ? "parked until `dblock outbox retry`"
		 : f->due_ms > 0 ? "again "
				 : "again now",
		 !f->parked && f->due_ms > 0 ? again : "");
	return dbl_field("failed:", text) || dbl_field("error:", f->error);
}

struct search {
	struct shown *shown;
	const struct dblock_message *message;
};

/* They come by key. */
static int match(void *arg, const struct dblock_outbox_failure *f)
{
	const struct search *search = arg;
	int order = strcmp(f->key, search->message->key);

	if (order < 0)
		return 0;
	if (order > 0 || f->number != search->message->number)
		return FOUND;
	if (search->shown->cli->json)
		search->shown->failure = dbl_failure_json(f);
	else if (failure_lines(f))
		return DBLOCK_E_NOMEM;
	return FOUND;
}

/* Print why it failed, or keep the object. */
static int tell_failure(struct shown *shown, const struct dblock_message *m)
{
	struct search search = {shown, m};
	int rc = m->tries ? dblock_outbox_failures(shown->cli->client, m->topic, match, &search,
						   &shown->cli->err)
			  : 0;

	return rc == FOUND ? 0 : rc;
}

/* ---- the messages ---------------------------------------------------------------------------- */

/* Print a text of several lines below one another. */
static int lines(const char *key, const char *text)
{
	char *copy = strdup(text), *rest = copy, *one;
	int rc = copy ? 0 : DBLOCK_E_NOMEM;

	while (rc == 0 && (one = strsep(&rest, "\n"))) {
		if (!*one && key == NULL)
			puts("");
		rc = dbl_field(key ? key : "", one);
		key = NULL;
	}
	free(copy);
	return rc;
}

static int message_lines(struct shown *shown, const struct dblock_message *m)
{
	char number[24], id[24];

	snprintf(number, sizeof(number), "%" PRId64, m->number);
	snprintf(id, sizeof(id), "%" PRId64, m->id);
	if (dbl_field("topic:", m->topic) || dbl_field("key:", m->key) ||
	    dbl_field("number:", number) || dbl_field("id:", id) ||
	    dbl_field_time("put at:", m->put_us, INT64_MIN))
		return DBLOCK_E_NOMEM;
	return tell_failure(shown, m) || lines("headers:", m->headers) || lines("body:", m->body);
}

static int message_row(struct dbl_table *table, const struct dblock_message *m)
{
	char number[24], bytes[24], at[DBL_TIME_TEXT], beginning[4 * BODY_COLUMNS + 1];

	snprintf(number, sizeof(number), "%" PRId64, m->number);
	snprintf(bytes, sizeof(bytes), "%zu", strlen(m->body));
	dbl_time_local(m->put_us, at);
	snprintf(beginning, sizeof(beginning), "%s", m->body);
	dbl_text_cut(beginning, BODY_COLUMNS);
	return dbl_table_add(table, number, at, bytes, beginning);
}

static int message_object(struct shown *shown, const struct dblock_message *m)
{
	int rc = tell_failure(shown, m);
	json_t *object = rc ? NULL : dbl_message_json(m);

	if (rc)
		return rc;
	json_object_set_new(object, "failure", shown->failure ? shown->failure : json_null());
	shown->failure = NULL;
	return dbl_json_line(object);
}

static int show_message(void *arg, const struct dblock_message *m)
{
	struct shown *shown = arg;
	bool first = !shown->any;

	shown->any = true;
	if (shown->cli->json)
		return message_object(shown, m);
	return first ? message_lines(shown, m) : message_row(&shown->behind, m);
}

static int show(struct dbl_cli *cli)
{
	static const char *const heads[] = {"NUMBER", "PUT AT", "BYTES", "BODY", NULL};
	char *const *word = cli->words.word;
	struct shown shown = {.cli = cli, .behind = {.heads = heads}};
	int rc = dblock_outbox_messages(cli->client, word[0], word[1], show_message, &shown,
					&cli->err);

	if (rc == DBLOCK_OK && !shown.any) {
		dbl_cli_note(cli, "topic '%s': no message of the key '%s' waits", word[0], word[1]);
		return DBL_EXIT_STALE;
	}
	if (shown.behind.count)
		puts("");
	dbl_table_print(&shown.behind);
	return dbl_cli_ended(cli, rc, &cli->err);
}

const struct dbl_command dbl_command_outbox_show = {
	.name = "show",
	.usage = "TOPIC KEY",
	.summary = "show the messages of a key",
	.about = about,
	.operands = {.names = {"TOPIC", "KEY"}, .least = 2},
	.client = DBL_CLIENT_LOOK,
	.run = show,
};
