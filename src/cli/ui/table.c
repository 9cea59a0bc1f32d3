/* SPDX-License-Identifier: MIT */
#include "cli/ui/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 16, GAP = 2 };

static size_t columns(const struct dbl_table *table)
{
	size_t n = 0;

	while (table->heads[n])
		n++;
	return n;
}

static int add(struct dbl_table *table, const char *cell)
{
	char **cells = table->cells;

	if (table->count == table->room) {
		size_t room = table->room ? 2 * table->room : 64;

		cells = realloc(cells, room * sizeof(*cells));
		if (!cells)
			return -1;
		table->cells = cells;
		table->room = room;
	}
	cells[table->count] = dbl_text_safe(cell);
	if (!cells[table->count])
		return -1;
	table->count++;
	return 0;
}

int dbl_table_add(struct dbl_table *table, ...)
{
	size_t n = columns(table);
	va_list cells;
	int rc = 0;

	va_start(cells, table);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add(table, va_arg(cells, const char *));
	va_end(cells);
	return rc;
}

static void widen(size_t *width, const char *cell)
{
	size_t w = dbl_text_width(cell);

	if (w > *width)
		*width = w;
}

/* The index of the spare column, if all its cells are usual; else n. */
static size_t left_out(const struct dbl_table *table, size_t n)
{
	size_t column = 0;

	while (column < n && (!table->spare || strcmp(table->heads[column], table->spare) != 0))
		column++;
	for (size_t i = column; i < table->count; i += n) {
		if (column < n && strcmp(table->cells[i], table->usual) != 0)
			return n;
	}
	return column;
}

/* Print a cell in its colour, cut at so many columns. Returns how many it takes. */
static size_t print_cell(const struct dbl_table *table, size_t column, const char *cell,
			 size_t room, bool is_head)
{
	bool painted = table->paint && !is_head && table->painted &&
		       strcmp(table->heads[column], table->painted) == 0;
	const char *begin = painted ? table->paint(cell) : "";
	size_t width = dbl_text_width(cell);
	char *cut = width > room ? strdup(cell) : NULL;

	if (cut) {
		dbl_text_cut(cut, room);
		width = dbl_text_width(cut);
	}
	printf("%s%s%s", begin, cut ? cut : cell, *begin ? DBL_COLOR_END : "");
	free(cut);
	return width;
}

/* No blanks are printed after the last cell. */
static void print_row(const struct dbl_table *table, const char *const *cells, size_t n,
		      const size_t *width, size_t without)
{
	size_t last = without + 1 == n ? n - 2 : n - 1;
	size_t left = table->width ? table->width : SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		size_t used, gap;

		if (i == without)
			continue;
		used = print_cell(table, i, cells[i], left, cells == table->heads);
		left -= used;
		gap = i < last ? width[i] - used + GAP : 0;
		if (gap >= left)
			break;
		printf("%*s", (int)gap, "");
		left -= gap;
	}
	puts(table->over ? "\033[K" : "");
}

/* So many rows are printed: all, or what leaves a line for the heads and one for the count of others. */
static size_t rows_printed(const struct dbl_table *table, size_t rows)
{
	size_t height = table->height;

	if (!height || rows + 1 <= height)
		return rows;
	return height > 2 ? height - 2 : 0;
}

void dbl_table_free(struct dbl_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->count = table->room = 0;
}

void dbl_table_print(struct dbl_table *table)
{
	const char *const *cells = (const char *const *)table->cells;
	size_t width[COLUMNS_MAX] = {0};
	size_t n = columns(table), without = left_out(table, n);
	size_t rows = table->count / n, printed = rows_printed(table, rows);

	for (size_t i = 0; i < n; i++)
		widen(&width[i], table->heads[i]);
	for (size_t i = 0; i < table->count; i++)
		widen(&width[i % n], cells[i]);
	if (rows)
		print_row(table, table->heads, n, width, without);
	for (size_t i = 0; i < printed; i++)
		print_row(table, cells + i * n, n, width, without);
	if (printed < rows)
		printf("... %zu more%s\n", rows - printed, table->over ? "\033[K" : "");
	dbl_table_free(table);
}
