/* SPDX-License-Identifier: MIT */
#include "row/optimistic_text.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "sql/words.h"

static const char answer_mark[] = "\n-- answer\n", step_mark[] = "\n-- step\n";

static const char *mark_in(const char *text, const char *mark)
{
	const char *at = strstr(text, mark);

	return at ? at : text + strlen(text);
}

/* Part number n, from 0, of a text that has it. */
static const char *step_of(const char *text, unsigned n, size_t *len)
{
	for (; n > 0; n--)
		text = mark_in(text, step_mark) + sizeof(step_mark) - 1;
	*len = (size_t)(mark_in(text, step_mark) - text);
	return text;
}

/* What makes a version of a time (next: the next one), in parentheses. */
static void add_time(struct dbl_str *to, const struct dbl_dialect *dialect, const char *column,
		     unsigned form, bool next)
{
	const struct dbl_word words[] = {{":column", column}, {NULL, NULL}};
	size_t len;
	const char *step =
		step_of(dialect->sql[DBL_OP_optimistic_time], 2 * (form - 1) + next, &len);
	char *text = dbl_words_put(step, len, words);

	dbl_str_add(to, "(\n");
	if (text)
		dbl_str_add(to, text);
	else
		to->failed = true;
	/* The text may end with a comment. */
	dbl_str_add(to, "\n)");
	dbl_free(text);
}

/* The row's version, as an integer; next: what it is to be. */
static char *version_text(const struct dbl_dialect *dialect, const struct dbl_versioned *row,
			  unsigned form, bool next)
{
	struct dbl_str column = {0}, out = {0};

	dbl_ident_column_add(&column, dialect, &row->table, row->version);
	if (column.failed) {
		dbl_str_free(&column);
		return NULL;
	}
	if (row->is_time)
		add_time(&out, dialect, column.text, form, next);
	else
		dbl_str_addf(&out, next ? "%s + 1" : "%s", column.text);
	dbl_str_free(&column);
	return dbl_str_take(&out);
}

static char *key_text(const struct dbl_dialect *dialect, const struct dbl_versioned *row)
{
	struct dbl_str out = {0};

	for (unsigned i = 0; i < row->n_key; i++) {
		dbl_str_add(&out, i ? " AND " : "");
		dbl_ident_column_add(&out, dialect, &row->table, row->key[i]);
		dbl_str_addf(&out, " = $%u", i + 1);
	}
	return dbl_str_take(&out);
}

static char *table_text(const struct dbl_dialect *dialect, const struct dbl_versioned *row)
{
	struct dbl_str out = {0};

	dbl_ident_table_add(&out, dialect, &row->table);
	return dbl_str_take(&out);
}

/* Behind the version: what else to read. */
static char *columns_text(const struct dbl_dialect *dialect, const struct dbl_versioned *row,
			  const struct dbl_versioned_columns *columns)
{
	struct dbl_str out = {0};

	dbl_str_add(&out, "");
	for (unsigned i = 0; columns && i < columns->n; i++) {
		dbl_str_add(&out, ", ");
		dbl_ident_column_add(&out, dialect, &row->table, columns->names[i]);
	}
	return dbl_str_take(&out);
}

/* What to set, and the next version. MySQL sets one after the other, but no value here is that of
 * another column. */
static char *set_text(const struct dbl_dialect *dialect, const struct dbl_versioned *row,
		      unsigned form, const struct dbl_versioned_columns *columns)
{
	char *next = version_text(dialect, row, form, true);
	struct dbl_str out = {0};

	for (unsigned i = 0; columns && i < columns->n; i++) {
		dbl_ident_add(&out, dialect, columns->names[i]);
		dbl_str_addf(&out, " = $%u, ", dbl_optimistic_old(row) + 2 + i);
	}
	dbl_ident_add(&out, dialect, row->version);
	dbl_str_addf(&out, " = %s", next ? next : "");
	out.failed = out.failed || !next;
	dbl_free(next);
	return dbl_str_take(&out);
}

enum { TABLE, KEY, COLUMNS, SET, VERSION, N_PARTS };

static bool make_parts(char *parts[N_PARTS], const struct dbl_dialect *dialect,
		       const struct dbl_versioned *row, unsigned form,
		       const struct dbl_versioned_columns *columns)
{
	parts[TABLE] = table_text(dialect, row);
	parts[KEY] = key_text(dialect, row);
	parts[COLUMNS] = columns_text(dialect, row, columns);
	parts[SET] = set_text(dialect, row, form, columns);
	parts[VERSION] = version_text(dialect, row, form, false);
	for (int i = 0; i < N_PARTS; i++) {
		if (!parts[i])
			return false;
	}
	return true;
}

char *dbl_optimistic_text(const struct dbl_dialect *dialect, enum dbl_op op,
			  const struct dbl_versioned *row, unsigned form,
			  const struct dbl_versioned_columns *columns)
{
	const char *text = dialect->sql[op];
	size_t len = (size_t)(mark_in(text, answer_mark) - text);
	char *parts[N_PARTS] = {0}, old[16], wait[16], *made = NULL;

	snprintf(old, sizeof(old), "$%u", dbl_optimistic_old(row));
	snprintf(wait, sizeof(wait), "$%u", dbl_optimistic_old(row) + 1);
	if (make_parts(parts, dialect, row, form, columns)) {
		const struct dbl_word words[] = {{":table", parts[TABLE]},
						 {":key", parts[KEY]},
						 {":columns", parts[COLUMNS]},
						 {":set", parts[SET]},
						 {":version", parts[VERSION]},
						 {":old", old},
						 {":wait", wait},
						 {NULL, NULL}};

		made = dbl_words_put(text, len, words);
	}
	for (int i = 0; i < N_PARTS; i++)
		dbl_free(parts[i]);
	return made;
}

const char *dbl_optimistic_answer(const struct dbl_dialect *dialect, enum dbl_op op)
{
	const char *at = strstr(dialect->sql[op], answer_mark);

	return at ? at + sizeof(answer_mark) - 1 : NULL;
}

bool dbl_optimistic_says(const struct dbl_dialect *dialect, enum dbl_op op)
{
	const char *at = dialect->sql[op];

	while (strncmp(at, "--", 2) == 0) {
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return *at != '\0';
}
