/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli/top/top.h"

static const char *const names[] = {"line", "wait", "age", "name"};

const char *dbl_top_order_name(enum dbl_top_order order)
{
	return names[order];
}

enum dbl_top_order dbl_top_order_read(const char *name)
{
	int order = 0;

	while (order < DBL_TOP_ORDERS && strcmp(names[order], name) != 0)
		order++;
	return (enum dbl_top_order)order;
}

static int large_first(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

/* What nobody holds comes last. */
static int oldest_first(const struct dblock_holder *a, const struct dblock_holder *b)
{
	if (!a->acquired_us || !b->acquired_us)
		return !a->acquired_us - !b->acquired_us;
	return large_first(b->acquired_us, a->acquired_us);
}

static int by_name(const struct dbl_top_row *a, const struct dbl_top_row *b)
{
	int order = strcmp(a->holder->name, b->holder->name);

	return order ? order : large_first(b->holder->token, a->holder->token);
}

/* What is alike is told apart by the other columns, and by the name in the end: rows do not jump. */
static int compare(const void *x, const void *y, void *arg)
{
	const struct dbl_top_row *a = x, *b = y;
	int line = large_first(a->waiting, b->waiting), wait = large_first(a->wait_ms, b->wait_ms);
	int age = oldest_first(a->holder, b->holder), order = 0;

	switch (*(enum dbl_top_order *)arg) {
	case DBL_TOP_BY_LINE:
		order = line ? line : wait ? wait : age;
		break;
	case DBL_TOP_BY_WAIT:
		order = wait ? wait : line ? line : age;
		break;
	case DBL_TOP_BY_AGE:
		order = age;
		break;
	default:
		break;
	}
	return order ? order : by_name(a, b);
}

void dbl_top_sort(struct dbl_top_look *look, enum dbl_top_order order, bool reverse)
{
	struct dbl_top_row *rows = look->rows;

	if (!look->n_rows)
		return;
	qsort_r(rows, look->n_rows, sizeof(*rows), compare, &order);
	for (size_t i = 0, j = look->n_rows - 1; reverse && i < j; i++, j--) {
		struct dbl_top_row row = rows[i];

		rows[i] = rows[j];
		rows[j] = row;
	}
}
