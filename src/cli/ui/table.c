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

/* No blanks are printed after the last cell. */
static void print_row(const char *const *cells, size_t n, const size_t *width, size_t without)
{
	size_t last = without + 1 == n ? n - 2 : n - 1;

	for (size_t i = 0; i < n; i++) {
		if (i == without)
			continue;
		fputs(cells[i], stdout);
		if (i < last)
			printf("%*s", (int)(width[i] - dbl_text_width(cells[i]) + GAP), "");
	}
	putchar('\n');
}

void dbl_table_print(struct dbl_table *table)
{
	const char *const *cells = (const char *const *)table->cells;
	size_t width[COLUMNS_MAX] = {0};
	size_t n = columns(table), without = left_out(table, n);

	for (size_t i = 0; i < n; i++)
		widen(&width[i], table->heads[i]);
	for (size_t i = 0; i < table->count; i++)
		widen(&width[i % n], cells[i]);
	if (table->count)
		print_row(table->heads, n, width, without);
	for (size_t i = 0; i + n <= table->count; i += n)
		print_row(cells + i, n, width, without);
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
}
