/* SPDX-License-Identifier: MIT */
#include "sql/batch_text.h"

#include "driver/value.h"

static void add_cell(struct dbl_str *to, const struct dbl_value *value, bool json)
{
	if (value->type == DBL_NULL)
		dbl_str_add(to, json ? "null" : "NULL");
	else if (value->type == DBL_INT)
		dbl_str_addi(to, value->i);
	else
		dbl_str_add_quoted(to, value->text, value->len, json);
}

static bool is_null(const struct dbl_batch_table *table, unsigned column)
{
	for (unsigned i = 0; i < table->n; i++) {
		if (table->cells[i][column].type != DBL_NULL)
			return false;
	}
	return true;
}

/* Write a list for each column; an empty one if all is NULL, as unnest() fills up the shorter ones.
 * `lists` is set at the end, as the text may move until then. */
static void write_arrays(struct dbl_str *to, const struct dbl_batch_table *table,
			 struct dbl_value lists[DBL_BATCH_COLUMNS])
{
	for (unsigned c = 0; c < DBL_BATCH_COLUMNS; c++) {
		size_t from = to->len;
		unsigned n = is_null(table, c) ? 0 : table->n;

		dbl_str_addn(to, "{", 1);
		for (unsigned i = 0; i < n; i++) {
			if (i)
				dbl_str_addn(to, ",", 1);
			add_cell(to, &table->cells[i][c], false);
		}
		dbl_str_addn(to, "}", 1);
		lists[c] = (struct dbl_value){.type = DBL_TEXT, .len = to->len - from};
	}
}

/* Write [[cell, ...], ...]. */
static void write_rows(struct dbl_str *to, const struct dbl_batch_table *table,
		       struct dbl_value lists[DBL_BATCH_COLUMNS])
{
	for (unsigned i = 0; i < table->n; i++) {
		dbl_str_addn(to, i ? ",[" : "[[", 2);
		for (unsigned c = 0; c < DBL_BATCH_COLUMNS; c++) {
			if (c)
				dbl_str_addn(to, ",", 1);
			add_cell(to, &table->cells[i][c], true);
		}
		dbl_str_addn(to, "]", 1);
	}
	dbl_str_addn(to, "]", 1);
	lists[0] = (struct dbl_value){.type = DBL_TEXT, .len = to->len};
}

bool dbl_batch_write(struct dbl_str *text, enum dbl_batch_form form,
		     const struct dbl_batch_table *table, struct dbl_value lists[DBL_BATCH_COLUMNS])
{
	size_t at = 0;

	text->len = 0;
	text->failed = false;
	for (unsigned c = 0; c < DBL_BATCH_COLUMNS; c++)
		lists[c] = dbl_null();
	(form == DBL_BATCH_ROWS ? write_rows : write_arrays)(text, table, lists);
	for (unsigned c = 0; c < DBL_BATCH_COLUMNS; c++) {
		if (lists[c].type == DBL_TEXT)
			lists[c].text = text->text + at;
		at += lists[c].len;
	}
	return !text->failed;
}
