/* SPDX-License-Identifier: MIT */
/* dblock ls: who holds what, since when, until when; and who waits. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/lock/kept.h"
#include "cli/lock/words.h"
#include "cli/ui/cli.h"
#include "cli/ui/print.h"
#include "cli/ui/signals.h"

struct ls_options {
	bool all;
	bool waiters;
	const char *sort, *host, *mode, *state, *color;
	int64_t older_ms, watch_ms;
};

#define AT(member) offsetof(struct ls_options, member)

enum { DAY_MS = 24 * 3600 * 1000, WATCH_LEAST_MS = 10, WATCH_MS = 2000 };

static const struct dbl_arg ls_args[] = {
	DBL_FLAG_ARG("all", 'a', AT(all), "also names that nobody holds"),
	DBL_FLAG_ARG("waiters", 0, AT(waiters), "list those who wait in line, not the holders"),
	DBL_WORD_ARG("sort", 0, AT(sort), "BY", "name age left waiting host",
		     "name, age, left, waiting or host; of waiters name, age or host"),
	DBL_TEXT_ARG("host", 0, AT(host), "PATTERN", "only those on such a host"),
	DBL_DURATION_ARG("older", 0, AT(older_ms), 1, DBL_DURATION_MAX_MS,
			 "only what is held, or waited for, so long"),
	DBL_WORD_ARG("mode", 0, AT(mode), "MODE", "exclusive shared update permits",
		     "only exclusive, shared, update or permits"),
	DBL_WORD_ARG("state", 0, AT(state), "STATE[,STATE]",
		     "session lease minimum dead missing leaving free alive late",
		     "only what HELD, or SESSION of waiters, says so"),
	{"watch", 0, DBL_ARG_MAYBE_DURATION, AT(watch_ms), "DUR", WATCH_LEAST_MS, DAY_MS,
	 "look again and again, every 2s", NULL},
	DBL_WORD_ARG("color", 0, AT(color), "WHEN", "auto always never",
		     "auto (on a terminal), always or never"),
	{0},
};

static const char ls_about[] =
	"Lists the locks that are held, in byte order of their names. In PATTERN `*` stands for\n"
	"any text, `?` for one character, and `\\` takes the next character as it is.\n"
	"\n"
	"HELD says why the name is taken: session (as long as its client's session lives),\n"
	"lease (until its own end), minimum (released, but kept by --at-least), dead (its\n"
	"session was buried: it is there for the taking), missing (somebody deleted the\n"
	"session's row: use `dblock break`), leaving (it is broken, or released by its token,\n"
	"and its holder has yet to let go), free.\n"
	"\n"
	"A lock that several hold has a line for each. A last column, MODE, is there if anything\n"
	"listed is not held alone: exclusive, shared, update, or `3 of 10` permits.\n"
	"\n"
	"With --waiters it lists those who wait, in each name in the order in which they came;\n"
	"who has PLACE 1 is next.\n"
	"SESSION is that of who waits: alive, late (its heartbeat is overdue: it is passed\n"
	"over), dead or missing (it counts no more, and has no place).\n"
	"\n"
	"--sort puts the oldest first, what ends soonest, the longest line. With --watch a\n"
	"terminal shows what fits; else a line with the time goes before each list. A signal ends\n"
	"it.\n";

/* One look at the locks. */
struct look {
	struct dbl_cli *cli;
	struct dbl_filter filter;
	enum dbl_sort sort;
	bool waiters;
	bool redraws;  /* --watch on a terminal */
	int64_t found; /* so many were printed, or added to the table */
	struct dbl_table table;
	struct dbl_kept kept; /* if they are to be sorted */
};

static int show_holder(struct look *look, const struct dblock_holder *holder)
{
	look->found++;
	return look->cli->json ? dbl_json_line(dbl_holder_json(holder))
			       : dbl_holder_row(&look->table, holder);
}

static int show_waiter(struct look *look, const struct dblock_waiter *waiter)
{
	look->found++;
	return look->cli->json ? dbl_json_line(dbl_waiter_json(waiter))
			       : dbl_waiter_row(&look->table, waiter);
}

static int found_holder(void *arg, const struct dblock_holder *holder)
{
	struct look *look = arg;

	if (!dbl_filter_holder(&look->filter, holder))
		return 0;
	return look->sort ? dbl_kept_holder(&look->kept, holder) : show_holder(look, holder);
}

static int found_waiter(void *arg, const struct dblock_waiter *waiter)
{
	struct look *look = arg;

	if (!dbl_filter_waiter(&look->filter, waiter))
		return 0;
	return look->sort ? dbl_kept_waiter(&look->kept, waiter) : show_waiter(look, waiter);
}

static int read_holders(struct look *look)
{
	struct dblock_list_options list = DBLOCK_LIST_OPTIONS_INIT;

	list.pattern = look->cli->words.word[0];
	list.free_too = ((const struct ls_options *)look->cli->options)->all;
	return dblock_list(look->cli->client, &list, found_holder, look, &look->cli->err);
}

static int read_waiters(struct look *look)
{
	struct dblock_waiters_options list = DBLOCK_WAITERS_OPTIONS_INIT;

	list.pattern = look->cli->words.word[0];
	return dblock_waiters(look->cli->client, &list, found_waiter, look, &look->cli->err);
}

static int show_sorted(struct look *look)
{
	int rc = 0;

	dbl_kept_sort(&look->kept, look->sort);
	for (size_t i = 0; i < look->kept.n_holders && rc == 0; i++)
		rc = show_holder(look, &look->kept.holders[i]);
	for (size_t i = 0; i < look->kept.n_waiters && rc == 0; i++)
		rc = show_waiter(look, &look->kept.waiters[i]);
	return rc;
}

static void say_nothing_found(const struct look *look)
{
	const char *pattern = look->cli->words.word[0];
	const struct dbl_filter *f = &look->filter;

	if (f->host || f->mode || f->states || f->older_ms)
		dbl_cli_note(look->cli, "there is nothing like that");
	else
		dbl_cli_note(look->cli, "%s%s", look->waiters ? "nobody waits" : "nothing is held",
			     !pattern        ? ""
			     : look->waiters ? " for what fits the pattern"
					     : " that fits the pattern");
}

/* Returns an outcome. */
static int look_once(struct look *look)
{
	int rc;

	look->found = 0;
	look->table.heads = look->waiters ? dbl_waiter_heads : dbl_holder_heads;
	rc = look->waiters ? read_waiters(look) : read_holders(look);
	if (rc == DBLOCK_OK)
		rc = show_sorted(look);
	dbl_kept_clear(&look->kept);
	return rc;
}

/* ---- again and again ------------------------------------------------------------------------- */

static int64_t epoch_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

/* Print what goes before each list: when it was. */
static void print_time(const struct look *look)
{
	char text[DBL_TIME_TEXT];
	json_t *object;

	if (look->cli->json) {
		object = json_object();
		dbl_json_time(object, "time", epoch_us());
		dbl_json_line(object);
		return;
	}
	dbl_time_local(epoch_us(), text);
	/* The list before is written over, not cleared: that flickers. */
	printf("%s%s%s\n", look->redraws ? "\033[H" : "", text, look->redraws ? "\033[K" : "");
}

/* The table gets what the screen has below the time; its last line is the cursor's. */
static void fit_screen(struct look *look)
{
	size_t columns, rows;

	if (!look->redraws || !dbl_screen_size(&columns, &rows))
		return;
	/* In the last column some terminals would clear what was just written. */
	look->table.width = columns > 1 ? columns - 1 : 1;
	look->table.height = rows > 3 ? rows - 2 : 1;
}

static int watch(struct look *look, int64_t every_ms)
{
	struct dbl_signals signals;
	int rc;

	dbl_signals_block(&signals);
	look->table.over = look->redraws;
	do {
		if (look->cli->json)
			print_time(look); /* objects are printed as they come */
		rc = look_once(look);
		if (rc) {
			dbl_table_free(&look->table);
			return dbl_cli_ended(look->cli, rc, &look->cli->err);
		}
		if (!look->cli->json)
			print_time(look);
		fit_screen(look);
		dbl_table_print(&look->table);
		if (look->redraws)
			fputs("\033[J", stdout);
		if (dbl_out_flush())
			return DBL_EXIT_IO;
		if (look->redraws && !look->found)
			say_nothing_found(look);
	} while (!dbl_signals_wait(&signals, every_ms));
	return dbl_signals_end(&signals, DBL_EXIT_SIGNAL + signals.caught);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int check_state(const struct dbl_cli *cli, const struct ls_options *o)
{
	static const char *const held[] = {"session", "lease",   "minimum", "dead",
					   "missing", "leaving", "free",    NULL};
	static const char *const sessions[] = {"alive", "late", "dead", "missing", NULL};
	char *unknown =
		o->state ? dbl_filter_unknown(o->state, o->waiters ? sessions : held) : NULL;

	if (!unknown)
		return DBL_EXIT_OK;
	dbl_cli_usage(cli, "--state: '%s' is none of %s", unknown,
		      o->waiters ? "alive, late, dead, missing"
				 : "session, lease, minimum, dead, missing, leaving, free");
	free(unknown);
	return DBL_EXIT_USAGE;
}

static int check_mode(const struct dbl_cli *cli, const struct ls_options *o)
{
	static const char *const modes[] = {"exclusive", "shared", "update", "permits", NULL};
	char *unknown = o->mode ? dbl_filter_unknown(o->mode, modes) : NULL;

	free(unknown);
	return unknown ? dbl_cli_usage(cli,
				       "--mode: '%s' is none of exclusive, shared, update, permits",
				       o->mode)
		       : DBL_EXIT_OK;
}

static int check_sort(const struct dbl_cli *cli, const struct ls_options *o)
{
	enum dbl_sort sort = dbl_sort_read(o->sort);

	if (sort == DBL_SORT_UNKNOWN)
		return dbl_cli_usage(cli, "--sort: '%s' is none of name, age, left, waiting, host",
				     o->sort);
	if (o->waiters && (sort == DBL_SORT_LEFT || sort == DBL_SORT_WAITING))
		return dbl_cli_usage(cli, "--sort %s is for holders: it does not go with --waiters",
				     o->sort);
	return DBL_EXIT_OK;
}

static int check(const struct dbl_cli *cli)
{
	const struct ls_options *o = cli->options;
	int code;

	if (o->all && o->waiters)
		return dbl_cli_usage(cli, "--all is for holders: it does not go with --waiters");
	if (dbl_color_read(o->color) == DBL_COLOR_UNKNOWN)
		return dbl_cli_usage(cli, "--color: '%s' is none of auto, always, never", o->color);
	code = check_sort(cli, o);
	if (code == DBL_EXIT_OK)
		code = check_mode(cli, o);
	return code == DBL_EXIT_OK ? check_state(cli, o) : code;
}

static int ls(struct dbl_cli *cli)
{
	const struct ls_options *o = cli->options;
	struct look look = {
		.cli = cli,
		.filter = {o->host, o->mode, o->state, o->older_ms},
		.sort = dbl_sort_read(o->sort),
		.waiters = o->waiters,
		.redraws = !cli->json && dbl_screen_can_move(),
		.table = {.spare = DBL_MODE_HEAD,
			  .usual = dbl_mode_usual,
			  .painted = o->waiters ? DBL_SESSION_HEAD : DBL_HELD_HEAD},
	};
	int rc;

	if (dbl_color_read(o->color) == DBL_COLOR_ON)
		look.table.paint = dbl_state_color;
	if (o->watch_ms)
		return watch(&look, o->watch_ms == DBL_NO_VALUE ? WATCH_MS : o->watch_ms);
	rc = look_once(&look);
	if (rc == DBLOCK_OK && !cli->json && !look.found)
		say_nothing_found(&look);
	dbl_table_print(&look.table);
	return dbl_cli_ended(cli, rc, &cli->err);
}

const struct dbl_command dbl_command_ls = {
	.name = "ls",
	.usage = "[-a | --waiters] [--sort BY] [--watch[=DUR]] [PATTERN]",
	.summary = "list who holds what, since when, until when; or who waits",
	.about = ls_about,
	.args = ls_args,
	.operands = {.names = {"PATTERN"}},
	.client = DBL_CLIENT_LOOK,
	.check = check,
	.run = ls,
	.one_only = "give -u of one member; of all at once `dblock show NAME` and `dblock quorum "
		    "status` tell",
};
