/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

enum { COLUMNS_MAX = 16, GAP = 2 };

static size_t columns(const struct dbl_table *table)
{
	size_t n = 0;

	while (table->heads[n])
		n++;
	return n;
}

void dbl_table_add(struct dbl_table *table, const char *cell)
{
	char **cells = table->cells;

	if (table->count == table->room) {
		size_t room = table->room ? 2 * table->room : 64;

		cells = realloc(cells, room * sizeof(*cells));
		if (!cells) {
			table->failed = true;
			return;
		}
		table->cells = cells;
		table->room = room;
	}
	cells[table->count] = dbl_text_safe(cell);
	if (!cells[table->count])
		table->failed = true;
	else
		table->count++;
}

static void widen(size_t *width, const char *cell)
{
	size_t w = dbl_text_width(cell);

	if (w > *width)
		*width = w;
}

/* The last cell of a row has no blanks behind it. */
static void print_row(const char *const *cells, size_t n, const size_t *width)
{
	for (size_t i = 0; i < n; i++) {
		fputs(cells[i], stdout);
		if (i + 1 < n)
			printf("%*s", (int)(width[i] - dbl_text_width(cells[i]) + GAP), "");
	}
	putchar('\n');
}

void dbl_table_print(struct dbl_table *table)
{
	const char *const *cells = (const char *const *)table->cells;
	size_t width[COLUMNS_MAX] = {0};
	size_t n = columns(table);

	for (size_t i = 0; i < n; i++)
		widen(&width[i], table->heads[i]);
	for (size_t i = 0; i < table->count; i++)
		widen(&width[i % n], cells[i]);
	if (table->count)
		print_row(table->heads, n, width);
	for (size_t i = 0; i + n <= table->count; i += n)
		print_row(cells + i, n, width);
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	*table = (struct dbl_table){.heads = table->heads, .failed = table->failed};
}
