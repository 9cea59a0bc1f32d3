/* SPDX-License-Identifier: MIT */
/* dblock top: the locks of a database on a screen, again and again. */
#ifndef DBL_CLI_TOP_TOP_H
#define DBL_CLI_TOP_TOP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <termios.h>

#include "cli/lock/kept.h"
#include "cli/ui/cli.h"
#include "cli/ui/print.h"
#include "cli/ui/signals.h"

/* ---- what there is: look.c ------------------------------------------------------------------- */

/* So many grants are read at most; of names so many whose wait is told. */
enum { DBL_TOP_GRANTS_MAX = 10000, DBL_TOP_NAMES_MAX = 1000 };

/* The shortest time between two looks. */
enum { DBL_TOP_LEAST_MS = 50 };

/* A grant; or a name that is waited for, and nobody holds. */
struct dbl_top_row {
	const struct dblock_holder *holder;
	int64_t waiting;
	int64_t wait_ms; /* the oldest wait; INT64_MIN: none, or not told */
};

enum dbl_top_number {
	DBL_TOP_HELD, /* those by the dead, or the missing, as well */
	DBL_TOP_DEAD,
	DBL_TOP_MISSING,
	DBL_TOP_WAITING,
	DBL_TOP_OLDEST_WAIT_US,
	DBL_TOP_OLDEST_HOLD_US,
	DBL_TOP_ALIVE, /* sessions */
	DBL_TOP_LATE,
	DBL_TOP_BURIED,
	DBL_TOP_NUMBERS
};

struct dbl_top_look {
	struct dbl_kept kept; /* grants by name and token, then names that nobody holds */
	size_t n_grants;
	struct dbl_top_row *rows;
	size_t n_rows;
	bool cut;                   /* there are more than were read */
	bool told[DBL_TOP_NUMBERS]; /* false: may not be read */
	int64_t number[DBL_TOP_NUMBERS];
	int64_t at_us;    /* when it began, on CLOCK_BOOTTIME; 0: there was no look yet */
	double new_per_s; /* grants that were not there in the look before; < 0: not known */
};

/* Read all of it. pattern: NULL for all names. before: the look before at the same names, or NULL.
 * Returns an outcome of the library. */
int dbl_top_read(struct dblock_client *, const char *pattern, const struct dbl_top_look *before,
		 struct dbl_top_look *, struct dblock_error *);

void dbl_top_look_clear(struct dbl_top_look *);

/* ---- in which order: order.c ----------------------------------------------------------------- */

enum dbl_top_order {
	DBL_TOP_BY_LINE, /* the longest line first */
	DBL_TOP_BY_WAIT, /* the oldest wait */
	DBL_TOP_BY_AGE,  /* the oldest grant */
	DBL_TOP_BY_NAME,
	DBL_TOP_ORDERS
};

const char *dbl_top_order_name(enum dbl_top_order);

/* DBL_TOP_ORDERS: there is none of that name. */
enum dbl_top_order dbl_top_order_read(const char *name);

void dbl_top_sort(struct dbl_top_look *, enum dbl_top_order, bool reverse);

/* ---- what is on the screen: draw.c, columns.c ------------------------------------------------ */

enum dbl_top_prompt { DBL_TOP_NO_PROMPT, DBL_TOP_ASK_DELAY, DBL_TOP_ASK_NAMES };

enum { DBL_TOP_TYPED = 256 };

/* What the user wants to see, and has typed. */
struct dbl_top_view {
	enum dbl_top_order order;
	bool reverse;
	int64_t delay_ms;
	char pattern[DBL_TOP_TYPED]; /* "": all names */
	size_t first;                /* so many rows are above the screen */
	bool help;
	enum dbl_top_prompt prompt;
	char typed[DBL_TOP_TYPED];
	char message[DBL_TOP_TYPED + 128];                        /* until the next key */
	char failed[sizeof(((struct dblock_error *)0)->message)]; /* why the last look did; or "" */
	bool overdue;    /* a look has not been answered yet that should have been */
	int64_t seen_us; /* when what is shown was read; or since when there is nothing */
};

/* A screen, which is written at once. */
struct dbl_top_frame {
	FILE *out;
	size_t columns, rows;
	size_t row;    /* the next one */
	bool is_plain; /* for a file: no colours, nothing for a terminal, all rows */
	bool colors;
};

/* Write the whole screen. `database` goes into its head. */
void dbl_top_draw(struct dbl_top_frame *, const struct dbl_top_view *, const struct dbl_top_look *,
		  const char *database);

/* So many rows of locks fit on a screen of so many lines. */
size_t dbl_top_page(size_t screen_rows);

/* A line, cut at the screen's width; begin: of its colour, or "". */
void dbl_top_line(struct dbl_top_frame *, const char *begin, const char *text);

/* What goes before and behind the text of a line that the caller writes, and that fits. */
void dbl_top_line_begin(struct dbl_top_frame *);
void dbl_top_line_end(struct dbl_top_frame *);

/* The heads of the columns, and the rows from view->first on, as many as fit. */
void dbl_top_table(struct dbl_top_frame *, const struct dbl_top_view *,
		   const struct dbl_top_look *);

/* An object for the look. NULL: there is no memory. */
json_t *dbl_top_json(const struct dbl_top_look *);

/* ---- the terminal: terminal.c ---------------------------------------------------------------- */

struct dbl_terminal {
	struct termios before;
	bool entered;
};

/* Take the whole screen, and keys as they are typed. false: there is no terminal. */
bool dbl_terminal_enter(struct dbl_terminal *);

/* All as it was before. */
void dbl_terminal_leave(struct dbl_terminal *);

/* Keys that are no character. */
enum dbl_key {
	DBL_KEY_NONE = 0,
	DBL_KEY_UP = 256,
	DBL_KEY_DOWN,
	DBL_KEY_PAGE_UP,
	DBL_KEY_PAGE_DOWN,
	DBL_KEY_HOME,
	DBL_KEY_END,
	DBL_KEY_ESCAPE,
	DBL_KEY_OTHER
};

/* Take the first key out of what was typed: a byte, or one of those above. *length: of that. 0: it is
 * the beginning of one, unless no more comes (then `whole`). */
int dbl_key_read(const char *typed, size_t n, bool whole, size_t *length);

/* ---- keys: keys.c ---------------------------------------------------------------------------- */

enum dbl_top_deed {
	DBL_TOP_DRAW, /* the screen is to be drawn again */
	DBL_TOP_SORT, /* and the rows are to be sorted before */
	DBL_TOP_READ, /* read now */
	DBL_TOP_QUIT
};

/* What a key does. rows: there are so many; page: so many fit. */
enum dbl_top_deed dbl_top_key(struct dbl_top_view *, int key, size_t rows, size_t page);

/* ---- on a terminal: screen.c ----------------------------------------------------------------- */

/* Until the user quits, or `looks` were shown (0: for ever). Returns an exit code, if a signal does not
 * end the process. */
int dbl_top_screen(struct dbl_cli *, struct dbl_top_view *, int64_t looks, bool colors,
		   const char *database);

#endif
