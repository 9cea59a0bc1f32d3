/* SPDX-License-Identifier: MIT */
/* The table of top: columns for which there is room, of a width that does not depend on who is on the
 * screen but for names and hosts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lock/words.h"
#include "cli/top/top.h"
#include "cli/ui/duration.h"

enum { CELL = 400, LEAST_VALUE = 12 };
enum column { NAME, HELD, LINE, WAIT, AGE, LEFT, MODE, BY, APP, TOKEN, VALUE, COLUMNS };

static const struct {
	const char *head;
	size_t width; /* 0: as is needed */
	size_t from;  /* on screens so wide */
	bool right;
} columns[COLUMNS] = {
	[NAME] = {"NAME", 0, 0, false},     [HELD] = {"HELD", 7, 30, false},
	[LINE] = {"LINE", 5, 20, true},     [WAIT] = {"WAIT", 7, 44, true},
	[AGE] = {"AGE", 7, 52, true},       [LEFT] = {"LEFT", 7, 70, true},
	[MODE] = {"MODE", 11, 100, false},  [BY] = {"BY", 0, 60, false},
	[APP] = {"APP", 16, 120, false},    [TOKEN] = {"TOKEN", 16, 160, false},
	[VALUE] = {"VALUE", 0, 100, false},
};

/* ---- cells ----------------------------------------------------------------------------------- */

static void ms_text(int64_t ms, char text[CELL])
{
	char duration[DBL_DURATION_TEXT];

	strcpy(text, "-");
	if (ms == INT64_MIN)
		return;
	dbl_duration_text(ms < 0 ? -ms : ms, duration);
	snprintf(text, CELL, "%s%s", ms < 0 ? "-" : "", duration);
}

static const char *held_text(const struct dbl_top_row *row)
{
	return dbl_holder_state(row->holder);
}

static void cell_text(enum column column, const struct dbl_top_row *row, char text[CELL])
{
	const struct dblock_holder *h = row->holder;
	bool is_free = h->hold == DBLOCK_HOLD_FREE;

	strcpy(text, "-");
	if (column == NAME)
		snprintf(text, CELL, "%s", h->name);
	else if (column == HELD)
		snprintf(text, CELL, "%s", held_text(row));
	else if (column == LINE && row->waiting)
		snprintf(text, CELL, "%" PRId64, row->waiting);
	else if (column == WAIT)
		ms_text(row->wait_ms, text);
	else if (column == AGE)
		ms_text(is_free ? INT64_MIN : h->held_ms, text);
	else if (column == LEFT)
		ms_text(is_free ? INT64_MIN : h->left_ms, text);
	else if (column == MODE && !is_free)
		dbl_mode_text(h->mode, h->permits, h->capacity, text, CELL);
	else if (column == BY)
		dbl_holder_who(h, text);
	else if (column == APP && *h->app)
		snprintf(text, CELL, "%s", h->app);
	else if (column == TOKEN && h->token)
		snprintf(text, CELL, "%" PRId64, h->token);
	else if (column == VALUE && *h->value)
		snprintf(text, CELL, "%s", h->value);
}

/* The text is printed in so many columns, and a blank follows unless it is the last one. */
static void print_cell(FILE *out, const char *begin, const char *text, size_t width, bool right,
		       bool last)
{
	char *safe = dbl_text_safe(text);
	size_t blanks;

	if (!safe)
		return;
	dbl_text_cut(safe, width);
	blanks = width - dbl_text_width(safe);
	fprintf(out, "%*s%s%s%s%*s", right ? (int)blanks : 0, "", begin, safe,
		*begin ? DBL_COLOR_END : "", last ? 0 : (int)(right ? 0 : blanks) + 1, "");
	free(safe);
}

/* ---- widths ---------------------------------------------------------------------------------- */

struct layout {
	size_t width[COLUMNS]; /* 0: it is not shown */
	enum column last;
};

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The longest of a column, and of its head. */
static size_t longest(const struct dbl_top_look *look, enum column column)
{
	size_t most = strlen(columns[column].head);
	char text[CELL];

	for (size_t i = 0; i < look->n_rows; i++) {
		size_t width;

		cell_text(column, &look->rows[i], text);
		width = dbl_text_width(text);
		most = width > most ? width : most;
	}
	return most;
}

static bool has_values(const struct dbl_top_look *look)
{
	for (size_t i = 0; i < look->n_rows; i++)
		if (look->rows[i].holder->value[0])
			return true;
	return false;
}

/* So many columns are kept for values beside names, of those that both have: what they need, but not more
 * than half. */
static size_t for_values(const struct dbl_top_look *look, size_t screen, size_t both)
{
	size_t most;

	if (screen < columns[VALUE].from || !has_values(look))
		return 0;
	most = longest(look, VALUE);
	return smaller((most > LEAST_VALUE ? most : LEAST_VALUE) + 1, both / 2);
}

/* Names and hosts share what the others leave; if both are long, each has half of it, and so have names and
 * values of what hosts do not need. */
static struct layout lay_out(const struct dbl_top_look *look, size_t screen)
{
	struct layout layout = {.last = NAME};
	size_t rest = screen, name = longest(look, NAME), by = longest(look, BY);

	for (int i = 0; i < COLUMNS; i++)
		if (columns[i].width && screen >= columns[i].from) {
			layout.width[i] = columns[i].width;
			rest -= columns[i].width + 1;
		}
	if (screen < columns[BY].from)
		by = 0;
	else
		by = smaller(by, rest - 1 - smaller(name, rest / 2));
	layout.width[BY] = by;
	rest -= by ? by + 1 : 0;
	layout.width[NAME] = smaller(name, rest - for_values(look, screen, rest));
	rest -= layout.width[NAME];
	if (screen >= columns[VALUE].from && rest > LEAST_VALUE && has_values(look))
		layout.width[VALUE] = rest - 1;
	for (int i = 0; i < COLUMNS; i++)
		if (layout.width[i])
			layout.last = (enum column)i;
	return layout;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void print_heads(struct dbl_top_frame *frame, const struct layout *layout)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	for (int i = 0; i < COLUMNS; i++)
		if (layout->width[i])
			print_cell(out, "", columns[i].head, layout->width[i], columns[i].right,
				   i == (int)layout->last);
	if (!frame->is_plain)
		fprintf(out, "%*s", (int)frame->columns, "");
	if (fclose(out) == 0)
		dbl_top_line(frame, "\033[7m", text);
	free(text);
}

static void print_row(struct dbl_top_frame *frame, const struct layout *layout,
		      const struct dbl_top_row *row)
{
	char text[CELL];

	dbl_top_line_begin(frame);
	for (int i = 0; i < COLUMNS; i++) {
		bool painted = i == HELD && frame->colors;

		if (!layout->width[i])
			continue;
		cell_text((enum column)i, row, text);
		print_cell(frame->out, painted ? dbl_state_color(text) : "", text, layout->width[i],
			   columns[i].right, i == (int)layout->last);
	}
	dbl_top_line_end(frame);
}

void dbl_top_table(struct dbl_top_frame *frame, const struct dbl_top_view *view,
		   const struct dbl_top_look *look)
{
	struct layout layout = lay_out(look, frame->columns);

	print_heads(frame, &layout);
	for (size_t i = view->first; i < look->n_rows; i++) {
		if (!frame->is_plain && frame->row >= frame->rows)
			return;
		print_row(frame, &layout, &look->rows[i]);
	}
}
