/* SPDX-License-Identifier: MIT */
#include "row/optimistic_own.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "sql/quote.h"
#include "sql/words.h"

static const char answer_mark[] = "\n-- answer\n", step_mark[] = "\n-- step\n";

static const char *mark_in(const char *text, const char *mark)
{
	const char *at = strstr(text, mark);

	return at ? at : text + strlen(text);
}

/* Returns part n, from 0, of a text, which must have it. */
static const char *step_of(const char *text, unsigned n, size_t *len)
{
	for (; n > 0; n--)
		text = mark_in(text, step_mark) + sizeof(step_mark) - 1;
	*len = (size_t)(mark_in(text, step_mark) - text);
	return text;
}

/* A statement that is being made. Once rc is not 0, nothing more is added. */
struct making {
	const struct dbl_optimistic *call;
	struct dblock_error *err;
	int rc;
};

static const struct dbl_dialect *dialect_of(const struct dbl_optimistic *call)
{
	return call->tx->target->dialect;
}

static void add_name(struct making *m, struct dbl_str *to, const char *what, const char *name)
{
	if (m->rc == 0)
		m->rc = dbl_quote_name(to, dialect_of(m->call), what, name, m->err);
}

static void add_table(struct making *m, struct dbl_str *to)
{
	if (m->call->row->schema) {
		add_name(m, to, "schema", m->call->row->schema);
		dbl_str_add(to, ".");
	}
	add_name(m, to, "table", m->call->row->table);
}

/* The column is qualified by its table: SQLite would take "name" alone as a text if there is no
 * such column. */
static void add_column(struct making *m, struct dbl_str *to, const char *column)
{
	add_name(m, to, "table", m->call->row->table);
	dbl_str_add(to, ".");
	add_name(m, to, "column", column);
}

/* Appends `made` to `to`, and frees it. */
static void add_made(struct dbl_str *to, char *made)
{
	if (made)
		dbl_str_add(to, made);
	else
		to->failed = true;
	dbl_free(made);
}

/* Adds the row's version, as an integer, or the next version. */
static void add_version(struct making *m, struct dbl_str *to, bool next)
{
	struct dbl_str column = {0};

	add_column(m, &column, m->call->row->version);
	if (column.failed || m->rc) {
		to->failed = true;
	} else if (!m->call->row->is_time) {
		dbl_str_addf(to, next ? "%s + 1" : "%s", column.text);
	} else {
		const struct dbl_word words[] = {{":column", column.text}, {NULL, NULL}};
		size_t len;
		const char *step = step_of(dialect_of(m->call)->sql[DBL_OP_optimistic_time],
					   2 * (m->call->form - 1) + next, &len);

		/* The text may end with a comment, which the line break ends. */
		dbl_str_add(to, "(\n");
		add_made(to, dbl_words_put(step, len, words));
		dbl_str_add(to, "\n)");
	}
	dbl_str_free(&column);
}

static void add_key(struct making *m, struct dbl_str *to)
{
	for (unsigned i = 0; i < m->call->row->n_key; i++) {
		dbl_str_add(to, i ? " AND " : "");
		add_column(m, to, m->call->row->key[i]);
		dbl_str_addf(to, " = $%u", i + 1);
	}
}

/* Adds the columns to read behind the version. */
static void add_columns(struct making *m, struct dbl_str *to)
{
	dbl_str_add(to, "");
	for (unsigned i = 0; m->call->columns && i < m->call->columns->n; i++) {
		dbl_str_add(to, ", ");
		add_column(m, to, m->call->columns->names[i]);
	}
}

/* Adds the columns to set, and the next version. MySQL sets one after the other, which does no
 * harm, as no value here is that of another column. */
static void add_set(struct making *m, struct dbl_str *to)
{
	for (unsigned i = 0; m->call->columns && i < m->call->columns->n; i++) {
		add_name(m, to, "column", m->call->columns->names[i]);
		dbl_str_addf(to, " = $%u, ", dbl_optimistic_old(m->call->row) + 2 + i);
	}
	add_name(m, to, "column", m->call->row->version);
	dbl_str_add(to, " = ");
	add_version(m, to, true);
}

enum { TABLE, KEY, COLUMNS, SET, VERSION, N_PARTS };

static void make_parts(struct making *m, struct dbl_str parts[N_PARTS])
{
	add_table(m, &parts[TABLE]);
	add_key(m, &parts[KEY]);
	add_columns(m, &parts[COLUMNS]);
	add_set(m, &parts[SET]);
	add_version(m, &parts[VERSION], false);
	for (int i = 0; i < N_PARTS && m->rc == 0; i++) {
		if (parts[i].failed)
			m->rc = dbl_fail(m->err, DBLOCK_E_NOMEM, "out of memory");
	}
}

static void put_parts(struct making *m, const char *text, const struct dbl_str parts[N_PARTS],
		      char **made)
{
	char old[16], wait[16];
	const struct dbl_word words[] = {{":table", parts[TABLE].text},
					 {":key", parts[KEY].text},
					 {":columns", parts[COLUMNS].text},
					 {":set", parts[SET].text},
					 {":version", parts[VERSION].text},
					 {":old", old},
					 {":wait", wait},
					 {NULL, NULL}};

	snprintf(old, sizeof(old), "$%u", dbl_optimistic_old(m->call->row));
	snprintf(wait, sizeof(wait), "$%u", dbl_optimistic_old(m->call->row) + 1);
	*made = dbl_words_put(text, (size_t)(mark_in(text, answer_mark) - text), words);
	if (!*made)
		m->rc = dbl_fail(m->err, DBLOCK_E_NOMEM, "out of memory");
}

int dbl_optimistic_text(const struct dbl_optimistic *call, enum dbl_op op, char **made,
			struct dblock_error *err)
{
	struct making m = {call, err, 0};
	struct dbl_str parts[N_PARTS] = {0};

	*made = NULL;
	make_parts(&m, parts);
	if (m.rc == 0)
		put_parts(&m, dialect_of(call)->sql[op], parts, made);
	for (int i = 0; i < N_PARTS; i++)
		dbl_str_free(&parts[i]);
	return m.rc;
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
