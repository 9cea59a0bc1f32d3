/* SPDX-License-Identifier: MIT */
/* goose: NNNN_name.sql, with comments that are commands. Source: goose 3.27, internal/sqlparser. */
#include <string.h>
#include <strings.h>

#include "cli/migrate/import/formats.h"

enum way { NONE, UP, DOWN };

struct goose {
	struct dbl_import *im;
	const char *path;
	struct dbl_text texts[3]; /* by way; what stands before Up goes with it */
	enum way way;
	int statement; /* the line of the StatementBegin that has no end yet; 0: there is none */
	bool variables, no_transaction;
};

static void wrong(const struct goose *g, int line, const char *what)
{
	dbl_import_tell(g->im, DBL_IMPORT_WRONG, g->path, line, "%s", what);
}

static void begin_way(struct goose *g, enum way way, int line)
{
	if (g->statement)
		wrong(g, g->statement, "this StatementBegin has no '-- +goose StatementEnd'");
	else if (way == UP && g->way != NONE)
		wrong(g, line, "a second '-- +goose Up'; make it a file of its own");
	else if (way == DOWN && g->way == NONE)
		wrong(g, line, "'-- +goose Down' comes before '-- +goose Up'; put that first");
	else if (way == DOWN && g->way == DOWN)
		wrong(g, line, "a second '-- +goose Down'; make the two one");
	g->statement = 0;
	g->way = way;
}

static void begin_statement(struct goose *g, int line)
{
	if (g->way == NONE)
		wrong(g, line,
		      "'-- +goose Up' is missing before this StatementBegin; write it there");
	else if (g->statement)
		wrong(g, line, "a StatementBegin within another one; end that first");
	g->statement = line;
}

static void end_statement(struct goose *g, int line)
{
	if (!g->statement)
		wrong(g, line,
		      "this StatementEnd has no '-- +goose StatementBegin'; write it where "
		      "the statement begins, or remove this line");
	g->statement = 0;
}

static void command(struct goose *g, const char *word, size_t len, int line)
{
	static const char *const words[] = {
		"Up",        "Down",       "StatementBegin", "StatementEnd",
		"ENVSUB ON", "ENVSUB OFF", "NO TRANSACTION"};
	size_t i = 0, n = sizeof(words) / sizeof(words[0]);

	while (i < n && (strlen(words[i]) != len || strncasecmp(words[i], word, len) != 0))
		i++;
	if (i < 2)
		begin_way(g, i == 0 ? UP : DOWN, line);
	else if (i == 2)
		begin_statement(g, line);
	else if (i == 3)
		end_statement(g, line);
	else if (i < 6)
		g->variables = i == 4;
	else if (i == 6)
		g->no_transaction = true;
	else
		dbl_import_tell(g->im, DBL_IMPORT_WRONG, g->path, line,
				"'%.*s' is no command of goose; correct it, or remove the line",
				(int)(len < 60 ? len : 60), word);
}

/* Whether it is `-- +goose WORD`; then finds the word. */
static bool is_command(const struct dbl_line *line, const char **word, size_t *len)
{
	const char *text = dbl_line_trim(line, len), *end = text + *len, *mark;

	if (!dbl_line_is_comment(line))
		return false;
	mark = memmem(text, *len, "+goose", 6);
	if (!mark)
		return false;
	for (*word = mark + 6; *word < end && (**word == ' ' || **word == '\t');)
		++*word;
	*len = (size_t)(end - *word);
	return true;
}

static void take(struct goose *g, struct dbl_line line)
{
	bool says = !dbl_line_is_blank(&line) && !dbl_line_is_comment(&line);

	if (g->way == NONE && says) {
		wrong(g, line.number,
		      "a statement before '-- +goose Up', which says what it belongs to; write "
		      "that line above it");
		g->way = UP; /* once is enough */
	}
	if (g->way == NONE && dbl_line_is_blank(&line))
		return;
	if (g->variables)
		dbl_variables(g->im, g->path, &line, true);
	dbl_text_line(g->im, &g->texts[g->way == DOWN ? DOWN : UP], &line);
}

static void read_lines(struct goose *g, const struct dbl_entry *entry)
{
	struct dbl_line line = {0};
	const char *word;
	size_t len;

	while (dbl_line_next(entry, &line)) {
		if (is_command(&line, &word, &len))
			command(g, word, len, line.number);
		else
			take(g, line);
	}
	if (g->way == NONE)
		wrong(g, 1,
		      "there is no '-- +goose Up' in it; write that line above what applies it");
	if (g->statement)
		wrong(g, g->statement, "this StatementBegin has no '-- +goose StatementEnd'");
}

static void read_file(struct dbl_import *im, const struct dbl_entry *entry, struct dbl_record *to)
{
	struct goose g = {.im = im, .path = entry->path};

	read_lines(&g, entry);
	g.texts[UP].no_transaction = g.texts[DOWN].no_transaction = g.no_transaction;
	to->up = dbl_text_part(im, &g.texts[UP], entry->path);
	to->up.path = entry->path; /* even if there is nothing in it */
	to->down = dbl_text_part(im, &g.texts[DOWN], entry->path);
}

bool dbl_goose_is(struct dbl_import *im)
{
	return dbl_folder_has_mark(im, "+goose");
}

void dbl_goose_read(struct dbl_import *im)
{
	dbl_numbered_read(im, read_file);
}
