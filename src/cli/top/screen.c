/* SPDX-License-Identifier: MIT */
/* On a terminal. A thread reads the database, so that keys and signals are heard whatever it does; this
 * one alone has the screen. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/top/top.h"

enum { STDIN, SIGNALS, READER, FDS };

/* A look that takes longer is told of. */
enum { OVERDUE_US = 1000000 };

/* The thread: begun for each look, joined after it. */
struct reader {
	pthread_t thread;
	bool runs;
	int done; /* an eventfd */
	int64_t begun_us;
	struct dblock_client *client;
	char pattern[DBL_TOP_TYPED];
	const struct dbl_top_look *before; /* at the same names; or NULL */
	struct dbl_top_look look;
	struct dblock_error err;
	int rc;
};

struct screen {
	struct dbl_cli *cli;
	struct dbl_top_view *view;
	struct dbl_top_look look;
	struct reader reader;
	struct dbl_terminal terminal;
	struct dbl_signals signals;
	const char *database;
	bool colors;
	int fd;             /* of signals */
	int64_t next_us;    /* when the next look begins */
	int64_t looks_left; /* -1: no end */
	bool ended;
	char typed[64]; /* what is not read yet */
	size_t n_typed;
};

/* ---- reading --------------------------------------------------------------------------------- */

static void *read_thread(void *arg)
{
	struct reader *reader = arg;
	const uint64_t one = 1;

	reader->err = (struct dblock_error){0};
	reader->rc = dbl_top_read(reader->client, *reader->pattern ? reader->pattern : NULL,
				  reader->before, &reader->look, &reader->err);
	(void)!write(reader->done, &one, sizeof(one));
	return NULL;
}

static void begin_reading(struct screen *screen)
{
	struct reader *reader = &screen->reader;
	bool same = strcmp(reader->pattern, screen->view->pattern) == 0;

	if (reader->runs)
		return;
	reader->before = same && screen->look.at_us ? &screen->look : NULL;
	memcpy(reader->pattern, screen->view->pattern, sizeof(reader->pattern));
	reader->begun_us = dbl_now_us();
	screen->next_us = reader->begun_us + screen->view->delay_ms * 1000;
	reader->runs = pthread_create(&reader->thread, NULL, read_thread, reader) == 0;
	if (!reader->runs)
		snprintf(screen->view->failed, sizeof(screen->view->failed), "there is no thread");
}

static void keep_in_bounds(struct screen *screen)
{
	size_t *first = &screen->view->first, n = screen->look.n_rows;

	if (*first >= n)
		*first = n ? n - 1 : 0;
}

/* What was seen stays on the screen while the database cannot be read. */
static void tell_failure(struct screen *screen)
{
	struct dbl_top_view *view = screen->view;
	const struct reader *reader = &screen->reader;

	snprintf(view->failed, sizeof(view->failed), "%s",
		 reader->err.message[0] ? reader->err.message : dblock_outcome_text(reader->rc));
	dbl_top_look_clear(&screen->reader.look);
}

static void end_reading(struct screen *screen)
{
	struct reader *reader = &screen->reader;
	bool asked_since = strcmp(reader->pattern, screen->view->pattern) != 0;
	uint64_t n;

	(void)!read(reader->done, &n, sizeof(n));
	pthread_join(reader->thread, NULL);
	reader->runs = false;
	if (asked_since)
		screen->next_us = 0; /* these are not the names that are wanted now */
	if (reader->rc) {
		tell_failure(screen);
		return;
	}
	screen->view->failed[0] = '\0';
	dbl_top_look_clear(&screen->look);
	screen->look = reader->look;
	screen->view->seen_us = screen->look.at_us;
	dbl_top_sort(&screen->look, screen->view->order, screen->view->reverse);
	keep_in_bounds(screen);
	if (screen->looks_left > 0)
		screen->ended = --screen->looks_left == 0;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void measure(const struct screen *screen, struct dbl_top_frame *frame)
{
	*frame = (struct dbl_top_frame){
		.out = stdout, .columns = 80, .rows = 24, .colors = screen->colors};
	dbl_screen_size(&frame->columns, &frame->rows);
}

static void draw(struct screen *screen)
{
	const struct reader *reader = &screen->reader;
	struct dbl_top_frame frame;

	measure(screen, &frame);
	screen->view->overdue = reader->runs && dbl_now_us() - reader->begun_us > OVERDUE_US;
	dbl_top_draw(&frame, screen->view, &screen->look, screen->database);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void take_key(struct screen *screen, int key)
{
	struct dbl_top_frame frame;

	measure(screen, &frame);
	switch (dbl_top_key(screen->view, key, screen->look.n_rows, dbl_top_page(frame.rows))) {
	case DBL_TOP_QUIT:
		screen->ended = true;
		break;
	case DBL_TOP_READ:
		screen->next_us = 0;
		break;
	case DBL_TOP_SORT:
		dbl_top_sort(&screen->look, screen->view->order, screen->view->reverse);
		break;
	default:
		break;
	}
}

/* Take all whole keys; whole: what is there will not get longer. */
static void take_keys(struct screen *screen, bool whole)
{
	while (screen->n_typed && !screen->ended) {
		size_t length;
		int key = dbl_key_read(screen->typed, screen->n_typed, whole, &length);

		if (!length)
			return;
		screen->n_typed -= length;
		memmove(screen->typed, screen->typed + length, screen->n_typed);
		take_key(screen, key);
	}
}

static void read_keys(struct screen *screen)
{
	ssize_t n = read(STDIN_FILENO, screen->typed + screen->n_typed,
			 sizeof(screen->typed) - screen->n_typed);

	/* The terminal is gone. */
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		screen->ended = true;
	if (n > 0)
		screen->n_typed += (size_t)n;
	take_keys(screen, screen->n_typed == sizeof(screen->typed));
}

/* ---- signals --------------------------------------------------------------------------------- */

/* Stop, as ^Z says, with the terminal as it was; and go on from here. */
static void stop(struct screen *screen)
{
	sigset_t set;

	dbl_terminal_leave(&screen->terminal);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	dbl_terminal_enter(&screen->terminal);
}

/* After a stop that could not be foreseen the shell has set the terminal as it likes it. */
static void go_on(struct screen *screen)
{
	struct termios before = screen->terminal.before;
	bool entered = screen->terminal.entered;

	screen->terminal.entered = false;
	dbl_terminal_enter(&screen->terminal);
	if (entered)
		screen->terminal.before = before;
}

static void take_signal(struct screen *screen)
{
	struct signalfd_siginfo info;

	if (read(screen->fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return;
	switch (info.ssi_signo) {
	case SIGWINCH:
		break; /* it is drawn anew */
	case SIGTSTP:
		stop(screen);
		break;
	case SIGCONT:
		go_on(screen);
		break;
	default:
		screen->signals.caught = (int)info.ssi_signo;
		screen->ended = true;
	}
}

/* Those that end us, and what a terminal sends besides. */
static int open_signals(struct screen *screen)
{
	sigset_t set;

	dbl_signals_block(&screen->signals);
	set = screen->signals.ours;
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* ---- the loop -------------------------------------------------------------------------------- */

enum { REST_OF_KEY_MS = 50 };

/* How long may nothing happen? A key that has begun is soon whole; a failure's time goes on. */
static int patience_ms(const struct screen *screen)
{
	int64_t left = (screen->next_us - dbl_now_us() + 999) / 1000;

	if (screen->n_typed)
		return REST_OF_KEY_MS;
	if (screen->reader.runs || left > 1000)
		return 1000;
	return left > 0 ? (int)left : 0;
}

static void wait_for_something(struct screen *screen)
{
	struct pollfd fds[FDS] = {[STDIN] = {.fd = STDIN_FILENO, .events = POLLIN},
				  [SIGNALS] = {.fd = screen->fd, .events = POLLIN},
				  [READER] = {.fd = screen->reader.done, .events = POLLIN}};

	if (poll(fds, FDS, patience_ms(screen)) < 0)
		return;
	if (fds[SIGNALS].revents)
		take_signal(screen);
	if (fds[STDIN].revents && !screen->ended)
		read_keys(screen);
	else
		take_keys(screen, true);
	if (fds[READER].revents && !screen->ended)
		end_reading(screen);
}

static void run(struct screen *screen)
{
	while (!screen->ended) {
		if (dbl_now_us() >= screen->next_us)
			begin_reading(screen);
		wait_for_something(screen);
		if (!screen->ended)
			draw(screen);
	}
}

/* A thread that is still reading is left behind with the process: there is nothing of ours in the
 * database. */
static int end(struct screen *screen)
{
	int code = screen->signals.caught ? DBL_EXIT_SIGNAL + screen->signals.caught : DBL_EXIT_OK;

	dbl_terminal_leave(&screen->terminal);
	code = dbl_signals_end(&screen->signals, code);
	if (screen->reader.runs) {
		pthread_detach(screen->reader.thread);
		fflush(stdout);
		_exit(code);
	}
	dbl_top_look_clear(&screen->look);
	return code;
}

int dbl_top_screen(struct dbl_cli *cli, struct dbl_top_view *view, int64_t looks, bool colors,
		   const char *database)
{
	struct screen screen = {.cli = cli,
				.view = view,
				.reader = {.client = cli->client, .done = eventfd(0, EFD_CLOEXEC)},
				.database = database,
				.colors = colors,
				.looks_left = looks ? looks : -1};

	screen.fd = open_signals(&screen);
	if (screen.fd < 0 || screen.reader.done < 0 || !dbl_terminal_enter(&screen.terminal)) {
		dbl_cli_error(cli, "the terminal cannot be used: %s", strerror(errno));
		return DBL_EXIT_IO;
	}
	view->seen_us = dbl_now_us();
	run(&screen);
	return end(&screen);
}
