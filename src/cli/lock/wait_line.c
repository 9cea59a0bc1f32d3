/* SPDX-License-Identifier: MIT */
#include "cli/lock/wait_line.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/ui/print.h"

/* The width if the terminal does not tell. */
#define COLUMNS_DEFAULT 80
/* The width of the lock's name, as the line has more to tell. */
#define NAME_COLUMNS         32
#define OTHERS_TEXT          40

#define ERASE_TO_END_OF_LINE "\033[K"

bool dbl_wait_line_wanted(const struct dbl_cli *cli)
{
	const char *term = getenv("TERM");

	return !cli->quiet && term && *term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO);
}

/* Whole seconds, as the line is updated twice in each. */
static void seconds(int64_t ms, char text[DBL_DURATION_TEXT])
{
	if (ms < 1000)
		strcpy(text, "0s");
	else
		dbl_duration_text(ms / 1000 * 1000, text);
}

static void holder(const struct dblock_waiting *w, char *text, size_t size)
{
	char since[DBL_DURATION_TEXT], others[OTHERS_TEXT] = "";

	seconds(w->held_ms, since);
	if (w->holders > 1)
		snprintf(others, sizeof(others), " and %" PRId64 " other%s", w->holders - 1,
			 w->holders > 2 ? "s" : "");
	if (!w->held)
		snprintf(text, size, "is not held just now");
	else
		snprintf(text, size, "is held for %s by %s:%" PRId64 "%s%s%s%s", since,
			 w->host[0] ? w->host : "?", w->pid, w->app[0] ? " (" : "", w->app,
			 w->app[0] ? ")" : "", others);
}

/* A copy of the name that is safe, and not too long; NULL: there is no memory. */
static char *short_name(const char *name)
{
	static const char dots[] = "...";
	char *safe = dbl_text_safe(name), *longer;

	if (!safe || dbl_text_width(safe) <= NAME_COLUMNS)
		return safe;
	dbl_text_cut(safe, NAME_COLUMNS - strlen(dots));
	if (asprintf(&longer, "%s%s", safe, dots) < 0)
		longer = NULL;
	free(safe);
	return longer;
}

char *dbl_wait_line_text(const struct dbl_cli *cli, const struct dblock_waiting *w, size_t columns)
{
	char since[DBL_DURATION_TEXT], by[600];
	char *name = short_name(w->name), *line = NULL, *safe = NULL;

	seconds(w->waited_ms, since);
	holder(w, by, sizeof(by));
	if (name &&
	    asprintf(&line, "dblock: %s: %" PRId64 " of %" PRId64 " in line for %s; '%s' %s",
		     cli->command->name, w->place, w->waiters, since, name, by) >= 0)
		safe = dbl_text_safe(line);
	free(name);
	free(line);
	if (safe)
		dbl_text_cut(safe, columns);
	return safe;
}

/* One less than the terminal has: after the last one it may go to the next line. */
static size_t columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_col == 0)
		return COLUMNS_DEFAULT - 1;
	return size.ws_col - 1U;
}

/* Is our job in the foreground? Also if this terminal does not control our job. */
static bool in_foreground(void)
{
	pid_t group = tcgetpgrp(STDERR_FILENO);

	return group < 0 || group == getpgrp();
}

/* Should the job go to the background just now, a terminal that stops background writers would stop
 * it for this line: so SIGTTOU is blocked. */
static void put(const char *text)
{
	sigset_t stop, before;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &stop, &before);
	dprintf(STDERR_FILENO, "\r%s" ERASE_TO_END_OF_LINE, text);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void dbl_wait_line_show(void *arg, const struct dblock_waiting *waiting)
{
	struct dbl_wait_line *line = arg;
	char *text;

	if (!in_foreground())
		return;
	text = dbl_wait_line_text(line->cli, waiting, columns());
	if (!text)
		return;
	put(text);
	line->shown = true;
	free(text);
}

void dbl_wait_line_clear(struct dbl_wait_line *line)
{
	if (line->shown && in_foreground())
		put("");
	line->shown = false;
}
