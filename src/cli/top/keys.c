/* SPDX-License-Identifier: MIT */
/* What keys do: as in top(1), as far as there is the like of it here. */
#include <string.h>

#include "cli/top/top.h"
#include "cli/ui/duration.h"

enum { BACKSPACE = 8, RETURN = 13, LINEFEED = 10, KILL_LINE = 21, DELETE = 127 };

/* The last one is `page` from the end, or the first. */
static void scroll_to(struct dbl_top_view *view, int64_t first, size_t rows, size_t page)
{
	int64_t last = rows > page ? (int64_t)(rows - page) : 0;

	view->first = (size_t)(first < 0 ? 0 : first > last ? last : first);
}

static bool scroll(struct dbl_top_view *view, int key, size_t rows, size_t page)
{
	int64_t by = key == DBL_KEY_UP          ? -1
		     : key == DBL_KEY_DOWN      ? 1
		     : key == DBL_KEY_PAGE_UP   ? -(int64_t)page
		     : key == DBL_KEY_PAGE_DOWN ? (int64_t)page
		     : key == DBL_KEY_HOME      ? INT32_MIN
		     : key == DBL_KEY_END       ? INT32_MAX
						: 0;

	if (by)
		scroll_to(view, (int64_t)view->first + by, rows, page);
	return by != 0;
}

/* ---- a line that is typed -------------------------------------------------------------------- */

static void ask(struct dbl_top_view *view, enum dbl_top_prompt prompt)
{
	view->prompt = prompt;
	view->typed[0] = '\0';
}

static enum dbl_top_deed set_delay(struct dbl_top_view *view)
{
	int64_t ms;

	if (dbl_duration_parse(view->typed, &ms) != DBL_DURATION_OK || ms < DBL_TOP_LEAST_MS) {
		snprintf(view->message, sizeof(view->message),
			 "'%s' is not a duration like 250ms, 3s or 1m", view->typed);
		return DBL_TOP_DRAW;
	}
	view->delay_ms = ms;
	return DBL_TOP_READ;
}

static enum dbl_top_deed take_typed(struct dbl_top_view *view)
{
	enum dbl_top_prompt prompt = view->prompt;

	view->prompt = DBL_TOP_NO_PROMPT;
	if (prompt == DBL_TOP_ASK_DELAY)
		return view->typed[0] ? set_delay(view) : DBL_TOP_DRAW;
	snprintf(view->pattern, sizeof(view->pattern), "%s", view->typed);
	view->first = 0;
	return DBL_TOP_READ;
}

/* A character of several bytes goes as a whole. */
static void rub_out(char *typed)
{
	size_t n = strlen(typed);

	while (n && ((unsigned char)typed[n - 1] & 0xC0) == 0x80)
		n--;
	typed[n ? n - 1 : 0] = '\0';
}

static enum dbl_top_deed type(struct dbl_top_view *view, int key)
{
	size_t n = strlen(view->typed);

	if (key == RETURN || key == LINEFEED)
		return take_typed(view);
	if (key == DBL_KEY_ESCAPE)
		view->prompt = DBL_TOP_NO_PROMPT;
	else if (key == BACKSPACE || key == DELETE)
		rub_out(view->typed);
	else if (key == KILL_LINE)
		view->typed[0] = '\0';
	else if (key >= ' ' && key < 256 && n + 1 < sizeof(view->typed))
		memcpy(view->typed + n, (char[]){(char)key, '\0'}, 2);
	return DBL_TOP_DRAW;
}

/* ---- a key ----------------------------------------------------------------------------------- */

static enum dbl_top_deed sort_by(struct dbl_top_view *view, int order)
{
	view->order = (enum dbl_top_order)((order + DBL_TOP_ORDERS) % DBL_TOP_ORDERS);
	view->first = 0;
	return DBL_TOP_SORT;
}

static enum dbl_top_deed show_all(struct dbl_top_view *view)
{
	view->pattern[0] = '\0';
	view->first = 0;
	return DBL_TOP_READ;
}

static enum dbl_top_deed command(struct dbl_top_view *view, int key)
{
	switch (key) {
	case 'q':
		return DBL_TOP_QUIT;
	case ' ':
	case RETURN:
	case LINEFEED:
		return DBL_TOP_READ;
	case 'h':
	case '?':
		view->help = true;
		return DBL_TOP_DRAW;
	case 'd':
	case 's':
		ask(view, DBL_TOP_ASK_DELAY);
		return DBL_TOP_DRAW;
	case 'o':
	case 'O':
		ask(view, DBL_TOP_ASK_NAMES);
		return DBL_TOP_DRAW;
	case '=':
		return show_all(view);
	case 'P':
		return sort_by(view, DBL_TOP_BY_LINE);
	case 'M':
		return sort_by(view, DBL_TOP_BY_WAIT);
	case 'T':
		return sort_by(view, DBL_TOP_BY_AGE);
	case 'N':
		return sort_by(view, DBL_TOP_BY_NAME);
	case '<':
		return sort_by(view, (int)view->order - 1);
	case '>':
		return sort_by(view, (int)view->order + 1);
	case 'R':
		view->reverse = !view->reverse;
		return sort_by(view, (int)view->order);
	default:
		if (key != DBL_KEY_ESCAPE)
			snprintf(view->message, sizeof(view->message), "h or ? says what keys do");
		return DBL_TOP_DRAW;
	}
}

enum dbl_top_deed dbl_top_key(struct dbl_top_view *view, int key, size_t rows, size_t page)
{
	view->message[0] = '\0';
	if (view->prompt)
		return type(view, key);
	if (view->help) {
		view->help = false; /* also q: as in top(1), only the help is left */
		return DBL_TOP_DRAW;
	}
	return scroll(view, key, rows, page) ? DBL_TOP_DRAW : command(view, key);
}
