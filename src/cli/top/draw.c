/* SPDX-License-Identifier: MIT */
/* The head of the screen, its help, and the lines of both. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/top/top.h"
#include "cli/ui/duration.h"

#define RED "\033[31m"

/* The lines above the first lock: four of the head, a message, the columns' heads. */
enum { HEAD = 6 };

size_t dbl_top_page(size_t screen_rows)
{
	return screen_rows > HEAD ? screen_rows - HEAD : 1;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* No line feed: that of the last line would move the screen. */
void dbl_top_line_begin(struct dbl_top_frame *frame)
{
	if (!frame->is_plain)
		fprintf(frame->out, "\033[%zu;1H", frame->row + 1);
	frame->row++;
}

void dbl_top_line_end(struct dbl_top_frame *frame)
{
	fputs(frame->is_plain ? "\n" : "\033[K", frame->out);
}

void dbl_top_line(struct dbl_top_frame *frame, const char *begin, const char *text)
{
	char *safe = dbl_text_safe(text);

	if (safe && (frame->is_plain || frame->row < frame->rows)) {
		begin = frame->is_plain ? "" : begin;
		dbl_text_cut(safe, frame->columns);
		dbl_top_line_begin(frame);
		fprintf(frame->out, "%s%s%s", begin, safe, *begin ? DBL_COLOR_END : "");
		dbl_top_line_end(frame);
	}
	free(safe);
}

static __attribute__((format(printf, 2, 3))) void line(struct dbl_top_frame *frame, const char *fmt,
						       ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	dbl_top_line(frame, "", text);
}

/* ---- the head -------------------------------------------------------------------------------- */

enum { NUMBER = 32 };

static const char *number(const struct dbl_top_look *look, enum dbl_top_number which,
			  char text[NUMBER])
{
	strcpy(text, "?");
	if (look->told[which])
		snprintf(text, NUMBER, "%" PRId64, look->number[which]);
	return text;
}

static const char *age(const struct dbl_top_look *look, enum dbl_top_number which,
		       char text[DBL_DURATION_TEXT])
{
	int64_t us = look->number[which];

	strcpy(text, look->told[which] ? "-" : "?");
	if (us > 0)
		dbl_duration_text(us / 1000, text);
	return text;
}

static void first_line(struct dbl_top_frame *frame, const struct dbl_top_view *view,
		       const char *database)
{
	char clock[16] = "", every[DBL_DURATION_TEXT];
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%T", &tm);
	dbl_duration_text(view->delay_ms, every);
	line(frame, "dblock top - %s, every %s, %s", clock, every, database);
}

static void rate_text(const struct dbl_top_look *look, char text[NUMBER])
{
	strcpy(text, "-");
	if (look->new_per_s >= 0)
		snprintf(text, NUMBER, "%.1f/s", look->new_per_s);
}

static void numbers(struct dbl_top_frame *frame, const struct dbl_top_look *look)
{
	char alive[NUMBER], late[NUMBER], buried[NUMBER], held[NUMBER], dead[NUMBER];
	char missing[NUMBER], waiting[NUMBER], rate[NUMBER];
	char wait[DBL_DURATION_TEXT], hold[DBL_DURATION_TEXT];

	rate_text(look, rate);
	line(frame, "Sessions: %s alive, %s late, %s dead   Held: %s, %s dead, %s missing",
	     number(look, DBL_TOP_ALIVE, alive), number(look, DBL_TOP_LATE, late),
	     number(look, DBL_TOP_BURIED, buried), number(look, DBL_TOP_HELD, held),
	     number(look, DBL_TOP_DEAD, dead), number(look, DBL_TOP_MISSING, missing));
	line(frame, "Waiting: %s, oldest %s   Oldest hold: %s   New grants seen: %s",
	     number(look, DBL_TOP_WAITING, waiting), age(look, DBL_TOP_OLDEST_WAIT_US, wait),
	     age(look, DBL_TOP_OLDEST_HOLD_US, hold), rate);
}

static void shown_line(struct dbl_top_frame *frame, const struct dbl_top_view *view,
		       const struct dbl_top_look *look)
{
	size_t first = view->first, page = frame->is_plain ? SIZE_MAX : dbl_top_page(frame->rows);
	size_t last = look->n_rows - first > page ? first + page : look->n_rows;

	line(frame, "Shown: %zu to %zu of %zu%s, by %s%s%s%s", look->n_rows ? first + 1 : 0, last,
	     look->n_rows, look->cut ? ", the first by name" : "", dbl_top_order_name(view->order),
	     view->reverse ? ", reversed" : "", *view->pattern ? ", names: " : "", view->pattern);
}

/* Where there is no room for all of a message: what it says first, behind which stands what to do; and of
 * that the end, which is the reason, behind what it is of, say the path of a file. */
static const char *reason(const struct dbl_top_view *view, size_t room, char *why, size_t size)
{
	char *next;

	snprintf(why, size, "%s",
		 *view->failed ? view->failed : "the database has not answered yet");
	next = strstr(why, "; ");
	if (next && dbl_text_width(why) > room)
		*next = '\0';
	return dbl_text_width(why) > room ? dbl_text_tail(why, room > 3 ? room - 3 : 0) : why;
}

static void failure_line(struct dbl_top_frame *frame, const struct dbl_top_view *view)
{
	char since[DBL_DURATION_TEXT], why[sizeof(view->failed)], text[sizeof(why) + 64];
	const char *end;
	size_t begin;

	dbl_duration_text((dbl_now_us() - view->seen_us) / 1000, since);
	begin = (size_t)snprintf(text, sizeof(text), "No look for %s: ", since);
	end = reason(view, frame->columns > begin ? frame->columns - begin : 0, why, sizeof(why));
	snprintf(text + begin, sizeof(text) - begin, "%s%s", end == why ? "" : "...", end);
	dbl_top_line(frame, frame->colors ? RED : "", text);
}

/* One line for what has to be said: the failure comes first, but for what is being typed. */
static void message_line(struct dbl_top_frame *frame, const struct dbl_top_view *view)
{
	if (view->prompt == DBL_TOP_ASK_DELAY) {
		line(frame, "Time between two looks: %s_", view->typed);
	} else if (view->prompt == DBL_TOP_ASK_NAMES) {
		line(frame, "Names (a pattern; nothing for all): %s_", view->typed);
	} else if (*view->failed || view->overdue) {
		failure_line(frame, view);
	} else {
		dbl_top_line(frame, "", view->message);
	}
}

/* ---- the help -------------------------------------------------------------------------------- */

static void draw_help(struct dbl_top_frame *frame)
{
	static const char *const text[] = {
		"Keys of dblock top",
		"",
		"  q, ^C         quit",
		"  space, Enter  look now",
		"  d or s        set the time between two looks",
		"  o or O        show only names that fit a pattern;  =  all of them again",
		"",
		"  P  sort by the length of the line     M  by the oldest wait in it",
		"  T  by how long it is held             N  by name",
		"  < >  the column before, after         R  the other way round",
		"",
		"  arrows, PgUp, PgDn, Home, End  scroll",
		"  h or ?        this help",
		"",
		"HELD, AGE, LEFT and BY are of the grant; LINE is how many wait for it,",
		"WAIT for how long the first of them has. New grants seen: those that were not",
		"there in the look before; a lock that changed hands more often between two",
		"looks counts once.",
		"",
		"Any key goes back.",
		NULL};

	for (const char *const *t = text; *t; t++)
		dbl_top_line(frame, "", *t);
}

void dbl_top_draw(struct dbl_top_frame *frame, const struct dbl_top_view *view,
		  const struct dbl_top_look *look, const char *database)
{
	frame->row = 0;
	if (view->help) {
		draw_help(frame);
	} else {
		first_line(frame, view, database);
		numbers(frame, look);
		shown_line(frame, view, look);
		message_line(frame, view);
		dbl_top_table(frame, view, look);
	}
	if (!frame->is_plain && frame->row < frame->rows)
		fprintf(frame->out, "\033[%zu;1H\033[J", frame->row + 1);
	fflush(frame->out);
}
