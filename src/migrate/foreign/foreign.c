/* SPDX-License-Identifier: MIT */
#include "migrate/foreign/foreign.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "driver/value.h"

/* ---- tables --------------------------------------------------------------------------------- */

struct look {
	struct dbl_foreign *found;
	const char *prefix;
	bool rails; /* a table that tells Rails from others is there */
	struct dblock_error *err;
};

/* Those of another prefix than ours are dblock's, too, as it is by default. */
static bool is_ours(const struct look *look, const char *table)
{
	return (*look->prefix && strncasecmp(table, look->prefix, strlen(look->prefix)) == 0) ||
	       strncasecmp(table, "dblock_", 7) == 0;
}

/* Tables come in order of their names, and this one before what it stands beside. */
static bool seen(void *arg, const char *table)
{
	const struct look *look = arg;

	return look->rails && strcmp(table, "ar_internal_metadata") == 0;
}

static void note(struct look *look, const char *table, const char *columns)
{
	struct dbl_foreign *found = look->found;
	const struct dbl_tool *tool;

	if (is_ours(look, table))
		return;
	found->history |= dbl_tool_is_dblock(table, columns);
	look->rails |= strcmp(table, "ar_internal_metadata") == 0;
	tool = dbl_tool_of(table, columns, seen, look);
	if (tool && found->n_tools < DBL_FOREIGN_TOOLS)
		found->tools[found->n_tools++] = tool;
	else if (found->n_tables++ == 0)
		snprintf(found->table, sizeof(found->table), "%.64s", table);
}

static int take_table(void *ctx, const struct dbl_value *row)
{
	struct look *look = ctx;
	char *texts = dbl_alloc(row[0].len + row[1].len + 2);

	if (!texts)
		return dbl_fail(look->err, DBLOCK_E_NOMEM, "out of memory");
	memcpy(texts, row[0].text, row[0].len);
	memcpy(texts + row[0].len + 1, row[1].text, row[1].len);
	note(look, texts, texts + row[0].len + 1);
	dbl_free(texts);
	return 0;
}

int dbl_foreign_look(struct dbl_runner on, struct dbl_foreign *found, struct dblock_error *err)
{
	struct look look = {.found = found, .prefix = on.target->names.prefix, .err = err};
	struct dbl_request request = {
		.op = DBL_OP_tables,
		.args = DBL_ARGS_OF(dbl_text(on.target->names.schema)),
		.row = take_table,
		.ctx = &look,
		.deadline = on.deadline,
	};

	*found = (struct dbl_foreign){.n_tools = 0};
	return on.run(on.on, &request, err);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* The number that a text begins with, if nothing but a name follows: 7, 0007_seven, 20240131.js, not 1.2
 * and not 7f3a. 0: there is none, or none that fits. */
static int64_t number_in(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	bool named = text[digits] == '\0' || strchr("_-", text[digits]) ||
		     (text[digits] == '.' && !strspn(text + digits + 1, "0123456789"));
	int64_t number;

	if (!digits || !named)
		return 0;
	errno = 0;
	number = strtoll(text, NULL, 10);
	return errno ? 0 : number;
}

static void copy(char *to, size_t room, const struct dbl_value *from)
{
	snprintf(to, room, "%.*s", from->type == DBL_TEXT ? (int)from->len : 0,
		 from->type == DBL_TEXT ? from->text : "");
}

static void read_row(struct dbl_foreign_row *to, const struct dbl_value *row)
{
	*to = (struct dbl_foreign_row){.kind = (enum dbl_foreign_kind)row[3].i};
	copy(to->text, sizeof(to->text), &row[1]);
	copy(to->name, sizeof(to->name), &row[2]);
	copy(to->checksum, sizeof(to->checksum), &row[4]);
	if (row[0].type == DBL_INT) {
		to->version = row[0].i;
		snprintf(to->text, sizeof(to->text), "%lld", (long long)row[0].i);
	} else {
		to->version = number_in(to->text);
	}
}

static int take_row(void *ctx, const struct dbl_value *row)
{
	struct dbl_foreign_rows *all = ctx;
	struct dbl_foreign_row *rows = all->rows;

	if ((all->n & (all->n - 1)) == 0) /* twice the room, at each power of two */
		rows = dbl_realloc(rows, (all->n ? 2 * all->n : 1) * sizeof(*rows));
	if (!rows)
		return DBLOCK_E_NOMEM;
	all->rows = rows;
	read_row(&rows[all->n++], row);
	return 0;
}

int dbl_foreign_read(struct dbl_runner on, const struct dbl_tool *tool,
		     struct dbl_foreign_rows *rows, struct dblock_error *err)
{
	struct dbl_request request = {
		.op = tool->op, .row = take_row, .ctx = rows, .deadline = on.deadline};
	int rc;

	dbl_foreign_free(rows);
	rc = on.run(on.on, &request, err);
	return rc == DBLOCK_E_NOMEM ? dbl_fail(err, DBLOCK_E_NOMEM, "out of memory") : rc;
}

void dbl_foreign_free(struct dbl_foreign_rows *rows)
{
	dbl_free(rows->rows);
	*rows = (struct dbl_foreign_rows){0};
}
