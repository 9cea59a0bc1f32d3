/* SPDX-License-Identifier: MIT */
/* dblock top: holders, lines and rates, again and again. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/top/top.h"

struct options {
	bool batch, reverse;
	int64_t looks, delay_ms;
	const char *sort, *color;
};

#define AT(member) offsetof(struct options, member)

enum { DAY_MS = 24 * 3600 * 1000, DELAY_MS = 2000, PLAIN_COLUMNS = 512 };

static const struct dbl_arg args[] = {
	DBL_FLAG_ARG("batch", 'b', AT(batch), "print one screen after the other, for a file"),
	{"iterations", 'n', DBL_ARG_NUMBER, AT(looks), "N", 1, INT32_MAX, "end after N looks",
	 NULL},
	DBL_DURATION_ARG("delay", 'd', AT(delay_ms), DBL_TOP_LEAST_MS, DAY_MS,
			 "look so often; default 2s"),
	DBL_WORD_ARG("sort", 'o', AT(sort), "BY", "line wait age name",
		     "line, wait, age or name; default line"),
	DBL_FLAG_ARG("reverse", 'R', AT(reverse), "the other way round"),
	DBL_WORD_ARG("color", 0, AT(color), "WHEN", "auto always never",
		     "auto (on a terminal), always or never"),
	{0},
};

static const struct options defaults = {.delay_ms = DELAY_MS, .sort = "line"};

static const char about[] =
	"Shows the locks that are held on a whole terminal, again and again: those with the\n"
	"longest line first. LINE is how many wait, WAIT how long the first of them has, AGE how\n"
	"long the lock is held, LEFT when that ends unless it is renewed; HELD and BY are those "
	"of\n"
	"`dblock ls`. Wider terminals have MODE, APP, TOKEN and VALUE. A name that is waited for\n"
	"and that nobody holds is there as well: free. PATTERN as in `dblock ls`.\n"
	"\n"
	"Above are the numbers of the whole database. New grants seen are those that were not\n"
	"there in the look before, of what is shown: a lock that changed hands more often between\n"
	"two looks counts once.\n"
	"\n"
	"Keys are those of top(1): q quits, space looks now, d or s sets the delay, o or O a\n"
	"pattern and = all names, P M T N sort by line, wait, age, name, < > by another column, R\n"
	"the other way round; arrows, PgUp, PgDn, Home and End scroll; h or ? helps.\n"
	"\n"
	"With -b, or --json (an object for each look), it prints, and needs no terminal. The "
	"right\n"
	"to read the tables is enough, and nothing is written. A look reads all of the lock "
	"table,\n"
	"and 10000 grants at most.\n";

/* ---- the database's name --------------------------------------------------------------------- */

/* The URL without whatever is in it of users and passwords. To be freed; NULL: there is no memory. */
static char *public_url(const char *url)
{
	char *copy = strdup(url), *begin = copy ? strstr(copy, "://") : NULL;

	if (!copy)
		return NULL;
	copy[strcspn(copy, "?#")] = '\0';
	if (begin && begin < copy + strlen(copy) && strncmp(copy, "sqlite", 6) != 0) {
		char *host, *end = begin + 3 + strcspn(begin + 3, "/");

		begin += 3;
		for (host = end; host > begin && host[-1] != '@';)
			host--;
		memmove(begin, host, strlen(host) + 1);
	}
	return copy;
}

/* ---- for a file ------------------------------------------------------------------------------ */

/* How wide a line may be: $COLUMNS says it, or the terminal. */
static size_t plain_columns(void)
{
	const char *said = getenv("COLUMNS");
	size_t columns = said ? (size_t)strtoul(said, NULL, 10) : 0, rows;

	if (columns >= 20 && columns <= PLAIN_COLUMNS)
		return columns;
	return dbl_screen_size(&columns, &rows) && columns >= 20 ? columns : PLAIN_COLUMNS;
}

static int print_look(struct dbl_cli *cli, const struct dbl_top_view *view,
		      const struct dbl_top_look *look, const char *database)
{
	const struct options *o = cli->options;
	struct dbl_top_frame frame = {.out = stdout,
				      .columns = plain_columns(),
				      .is_plain = true,
				      .colors = dbl_color_read(o->color) == DBL_COLOR_ON};

	if (cli->json) {
		if (dbl_json_line(dbl_top_json(look)))
			return DBL_EXIT_INTERNAL;
	} else {
		dbl_top_draw(&frame, view, look, database);
	}
	return dbl_out_flush() ? DBL_EXIT_IO : DBL_EXIT_OK;
}

static int print_looks(struct dbl_cli *cli, const struct dbl_top_view *view, const char *database)
{
	const struct options *o = cli->options;
	struct dbl_top_look look = {.at_us = 0}, before = {.at_us = 0};
	struct dbl_signals signals;
	int64_t left = o->looks;
	int code = DBL_EXIT_OK;

	dbl_signals_block(&signals);
	do {
		int rc = dbl_top_read(cli->client, cli->words.word[0],
				      before.at_us ? &before : NULL, &look, &cli->err);

		code = dbl_cli_ended(cli, rc, &cli->err);
		dbl_top_look_clear(&before);
		dbl_top_sort(&look, view->order, view->reverse);
		if (code == DBL_EXIT_OK)
			code = print_look(cli, view, &look, database);
		before = look;
		if (code == DBL_EXIT_OK && --left != 0) {
			if (!cli->json)
				putchar('\n');
			if (dbl_signals_wait(&signals, view->delay_ms))
				code = DBL_EXIT_SIGNAL + signals.caught;
		}
	} while (code == DBL_EXIT_OK && left != 0);
	dbl_top_look_clear(&before);
	return dbl_signals_end(&signals, code);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int check(const struct dbl_cli *cli)
{
	const struct options *o = cli->options;

	if (dbl_top_order_read(o->sort) == DBL_TOP_ORDERS)
		return dbl_cli_usage(cli, "--sort: '%s' is none of line, wait, age, name", o->sort);
	if (dbl_color_read(o->color) == DBL_COLOR_UNKNOWN)
		return dbl_cli_usage(cli, "--color: '%s' is none of auto, always, never", o->color);
	if (cli->words.count && strlen(cli->words.word[0]) >= DBL_TOP_TYPED)
		return dbl_cli_usage(cli, "PATTERN is too long: at most %d bytes",
				     DBL_TOP_TYPED - 1);
	if (o->batch || cli->json)
		return DBL_EXIT_OK;
	if (!isatty(STDIN_FILENO) || !dbl_screen_can_move())
		return dbl_cli_usage(cli, "this is no terminal, or a dumb one: use -b");
	return DBL_EXIT_OK;
}

static int run(struct dbl_cli *cli)
{
	const struct options *o = cli->options;
	struct dbl_top_view view = {.order = dbl_top_order_read(o->sort),
				    .reverse = o->reverse,
				    .delay_ms = o->delay_ms};
	char *database = public_url(dbl_cli_url(cli));
	int code;

	snprintf(view.pattern, sizeof(view.pattern), "%s",
		 cli->words.count ? cli->words.word[0] : "");
	if (o->batch || cli->json)
		code = print_looks(cli, &view, database ? database : "");
	else
		code = dbl_top_screen(cli, &view, o->looks,
				      dbl_color_read(o->color) == DBL_COLOR_ON,
				      database ? database : "");
	free(database);
	return code;
}

const struct dbl_command dbl_command_top = {
	.name = "top",
	.usage = "[-b] [-n N] [-d DUR] [PATTERN]",
	.summary = "holders, lines and rates on a terminal, again and again",
	.about = about,
	.args = args,
	.operands = {.names = {"PATTERN"}},
	.defaults = &defaults,
	.size = sizeof(defaults),
	.client = DBL_CLIENT_LOOK,
	.check = check,
	.run = run,
	.one_only = "give -u of one member; of all at once `dblock show NAME` and `dblock quorum "
		    "status` tell",
};
