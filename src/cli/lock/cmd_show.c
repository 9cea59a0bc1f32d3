/* SPDX-License-Identifier: MIT */
/* dblock show: one lock, and the queue of those who wait for it. */
#include <stdio.h>

#include "cli/lock/words.h"
#include "cli/ui/cli.h"

static const char about[] =
	"Shows one lock with its value, also if nobody holds it; if several do, each of them, in\n"
	"order of tokens. Below is the line of those who wait for it: PLACE 1 is next. SESSION is\n"
	"that of who waits: alive, late (its heartbeat is overdue: it is passed over), dead or\n"
	"missing (it counts no more, and has no place). Exit code 1: no such name is known.\n"
	"\n"
	"With -u for each member of a cluster: whether a majority has granted the lock, to whom, "
	"at\n"
	"which token; and a line for each member, with whom it votes for, at which token, and how\n"
	"many wait in its line. 69: no majority tells.\n";

/* Print a holder, after an empty line unless it is the first. */
static int print_lines(void *arg, const struct dblock_holder *holder)
{
	int *shown = arg;

	if ((*shown)++)
		putchar('\n');
	return dbl_holder_lines(holder);
}

/* The object of `show --json`: the first holder, with all of them, and the queue. */
struct shown {
	json_t *object, *holders, *queue;
};

static int keep_object(void *arg, const struct dblock_holder *holder)
{
	struct shown *shown = arg;

	if (!shown->object)
		shown->object = dbl_holder_json(holder);
	if (!shown->object || holder->hold == DBLOCK_HOLD_FREE)
		return shown->object ? 0 : -1;
	return json_array_append_new(shown->holders, dbl_holder_json(holder));
}

static int append_object(void *array, const struct dblock_waiter *waiter)
{
	return json_array_append_new(array, dbl_waiter_json(waiter));
}

static int read_line(struct dbl_cli *cli, dblock_waiter_cb *found, void *arg)
{
	struct dblock_waiters_options line = DBLOCK_WAITERS_OPTIONS_INIT;

	line.name = cli->words.word[0];
	return dblock_waiters(cli->client, &line, found, arg, &cli->err);
}

static int show_lines(struct dbl_cli *cli)
{
	struct dbl_table table = {
		.heads = dbl_waiter_heads_of_one, .spare = DBL_MODE_HEAD, .usual = dbl_mode_usual};
	int shown = 0;
	int rc = dblock_show(cli->client, cli->words.word[0], print_lines, &shown, &cli->err);

	if (rc)
		return rc;
	rc = read_line(cli, dbl_waiter_row, &table);
	if (table.count)
		putchar('\n');
	dbl_table_print(&table);
	return rc;
}

static int show_json(struct dbl_cli *cli)
{
	struct shown shown = {.holders = json_array(), .queue = json_array()};
	int rc = dblock_show(cli->client, cli->words.word[0], keep_object, &shown, &cli->err);

	if (rc == DBLOCK_OK)
		rc = read_line(cli, append_object, shown.queue);
	json_object_set_new(shown.object, "holders", shown.holders);
	json_object_set_new(shown.object, "queue", shown.queue);
	if (rc == DBLOCK_OK)
		return dbl_json_line(shown.object);
	json_decref(shown.object);
	return rc;
}

static int show(struct dbl_cli *cli)
{
	return dbl_cli_ended(cli, (cli->json ? show_json : show_lines)(cli), &cli->err);
}

const struct dbl_command dbl_command_show = {
	.name = "show",
	.usage = "NAME",
	.summary = "show one lock with all that is known of it, and who waits for it",
	.about = about,
	.operands = {.names = {"NAME"}, .least = 1},
	.client = DBL_CLIENT_LOOK,
	.run = show,
	.run_members = dbl_show_members,
};
