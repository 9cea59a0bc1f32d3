/* SPDX-License-Identifier: MIT */
/* dblock show: one lock, and the line of those who wait for it. */
#include <stdio.h>

#include "cli/lock/commands.h"
#include "cli/lock/holder.h"
#include "cli/lock/mode.h"
#include "cli/lock/waiter.h"
#include "cli/ui/exits.h"

static const char about[] =
	"Shows one lock with its value, also if nobody holds it; if several do, each of them, in\n"
	"order of tokens. Below is the line of those who wait for it: PLACE 1 is next. SESSION is "
	"that of who waits: alive, late (its\n"
	"heartbeat is overdue: it is passed over), dead or missing (it counts no more, and has\n"
	"no place). Exit code 1: no such name is known.\n";

enum { NO_MEMORY = -1 };

/* An empty line between two. */
static int print_lines(void *arg, const struct dblock_holder *holder)
{
	int *shown = arg;

	if ((*shown)++)
		putchar('\n');
	return dbl_holder_lines(holder) ? NO_MEMORY : 0;
}

static int add_row(void *table, const struct dblock_waiter *waiter)
{
	dbl_waiter_row(table, waiter);
	return ((struct dbl_table *)table)->failed ? NO_MEMORY : 0;
}

/* What `show --json` prints: the first holder's object, with all of them, and the line, in it. */
struct shown {
	json_t *object, *holders, *queue;
};

static int keep_object(void *arg, const struct dblock_holder *holder)
{
	struct shown *shown = arg;

	if (!shown->object)
		shown->object = dbl_holder_json(holder);
	if (!shown->object)
		return NO_MEMORY;
	if (holder->hold == DBLOCK_HOLD_FREE)
		return 0;
	return json_array_append_new(shown->holders, dbl_holder_json(holder)) ? NO_MEMORY : 0;
}

static int append_object(void *array, const struct dblock_waiter *waiter)
{
	return json_array_append_new(array, dbl_waiter_json(waiter)) ? NO_MEMORY : 0;
}

static int show_lines(struct dblock_client *client, const char *name, struct dblock_error *err)
{
	struct dblock_waiters_options line = DBLOCK_WAITERS_OPTIONS_INIT;
	struct dbl_table table = {
		.heads = dbl_waiter_heads_of_one, .spare = DBL_MODE_HEAD, .usual = dbl_mode_usual};
	int shown = 0;
	int rc = dblock_show(client, name, print_lines, &shown, err);

	if (rc)
		return rc;
	line.name = name;
	rc = dblock_waiters(client, &line, add_row, &table, err);
	if (table.count)
		putchar('\n');
	dbl_table_print(&table);
	return rc;
}

static int read_json(struct dblock_client *client, const char *name, struct shown *shown,
		     struct dblock_error *err)
{
	struct dblock_waiters_options line = DBLOCK_WAITERS_OPTIONS_INIT;
	int rc = dblock_show(client, name, keep_object, shown, err);

	line.name = name;
	if (rc == DBLOCK_OK)
		rc = dblock_waiters(client, &line, append_object, shown->queue, err);
	if (rc == DBLOCK_OK && (json_object_set(shown->object, "holders", shown->holders) ||
				json_object_set(shown->object, "queue", shown->queue)))
		rc = NO_MEMORY;
	return rc;
}

static int show_json(struct dblock_client *client, const char *name, struct dblock_error *err)
{
	struct shown shown = {.holders = json_array(), .queue = json_array()};
	int rc = read_json(client, name, &shown, err);

	json_decref(shown.holders);
	json_decref(shown.queue);
	if (rc != DBLOCK_OK)
		json_decref(shown.object);
	else if (dbl_json_line(shown.object))
		rc = NO_MEMORY;
	return rc;
}

static int show(struct dbl_cli *cli, const void *options, const struct dbl_words *words)
{
	struct dblock_client *client;
	struct dblock_error err = {0};
	int rc, code = dbl_cli_open_to_look(cli, &client);

	(void)options;
	if (code != DBL_EXIT_OK)
		return code;
	rc = (cli->json ? show_json : show_lines)(client, words->word[0], &err);
	if (rc != DBLOCK_OK)
		code = dbl_cli_failed(cli, rc, &err);
	dblock_close(client);
	return code;
}

static const char *const operands[] = {"NAME", NULL};

const struct dbl_command dbl_command_show = {
	.name = "show",
	.usage = "NAME",
	.summary = "show one lock with all that is known of it, and who waits for it",
	.about = about,
	.operands = {operands, 1, 0},
	.run = show,
};
