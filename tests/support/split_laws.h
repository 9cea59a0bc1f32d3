/* SPDX-License-Identifier: MIT */
/*
 * These laws hold for every text that is split, valid or not. The unit tests and the fuzzer share
 * them; the reading of gaps is written anew here, on purpose.
 */
#ifndef TESTS_SUPPORT_SPLIT_LAWS_H
#define TESTS_SUPPORT_SPLIT_LAWS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "migrate/parse/split.h"

struct sql_text {
	const char *dialect;
	const char *text;
	size_t len;
};

/* The law that is broken; NULL: none. */
typedef const char *law;

static inline int begin_split(struct dbl_split *s, const struct sql_text *t,
			      struct dblock_error *err)
{
	return dbl_split_begin(s, t->dialect, "f.sql",
			       &(struct dbl_text){(char *)(uintptr_t)t->text, t->len, 0}, err);
}

/* Returns how many statements there are before the end, or before an error. */
static inline size_t count_statements(const struct sql_text *t, int *rc, struct dblock_error *err)
{
	struct dbl_statement statement;
	struct dbl_split s;
	size_t n = 0;

	*rc = begin_split(&s, t, err);
	while (*rc == 0 && (*rc = dbl_split_next(&s, &statement, err)) == 0 && statement.text)
		n++;
	return n;
}

/* ---- what lies between statements ----------------------------------------------------------- */

struct gap {
	const struct sql_text *t;
	size_t at, end;
	char delimiter[32];
};

static inline bool gap_has(const struct gap *g, const char *word)
{
	size_t n = strlen(word);

	return g->end - g->at >= n && strncasecmp(g->t->text + g->at, word, n) == 0;
}

static inline void gap_line(struct gap *g)
{
	while (g->at < g->end && g->t->text[g->at] != '\n')
		g->at++;
}

static inline void gap_comment(struct gap *g)
{
	bool nested = strcmp(g->t->dialect, "postgresql") == 0;
	int depth = 1;

	for (g->at += 2; g->at < g->end && depth > 0;) {
		if (gap_has(g, "*/")) {
			depth--;
			g->at += 2;
		} else if (nested && gap_has(g, "/*")) {
			depth++;
			g->at += 2;
		} else {
			g->at++;
		}
	}
}

static inline void gap_delimiter(struct gap *g)
{
	size_t n = 0;

	for (g->at += 9; g->at < g->end && strchr(" \t\r", g->t->text[g->at]); g->at++)
		;
	while (g->at < g->end && n < 31 && !strchr(" \t\r\n#-", g->t->text[g->at]))
		g->delimiter[n++] = g->t->text[g->at++];
	g->delimiter[n] = '\0';
	gap_line(g);
}

/* Tells whether a comment is executed; the first line of MariaDB's dumps is for the client. */
static inline bool gap_is_code(const struct gap *g)
{
	return gap_has(g, "/*!") || (gap_has(g, "/*M!") && !gap_has(g, "/*M!999999\\-"));
}

/* A gap has only blanks, comments, delimiters, and MySQL's DELIMITER. */
static inline law read_gap(struct gap *g, size_t end)
{
	bool mysql = strcmp(g->t->dialect, "mysql") == 0;

	g->end = end;
	while (g->at < end) {
		if (strchr(" \t\r\n\f\v", g->t->text[g->at]))
			g->at++;
		else if (g->delimiter[0] && gap_has(g, g->delimiter))
			g->at += strlen(g->delimiter);
		else if (g->t->text[g->at] == ';') /* superfluous, under another delimiter */
			g->at++;
		else if (gap_has(g, "--") || (mysql && gap_has(g, "#")))
			gap_line(g);
		else if (gap_has(g, "/*") && !(mysql && gap_is_code(g)))
			gap_comment(g);
		else if (mysql && gap_has(g, "delimiter"))
			gap_delimiter(g);
		else
			return "code between two statements is in neither";
	}
	return NULL;
}

/* ---- one statement -------------------------------------------------------------------------- */

static inline bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline law check_place(const struct sql_text *t, const struct dbl_statement *st, size_t from)
{
	struct dbl_position at = dbl_position(t->text, t->len, st->offset);

	if (st->offset < from || st->len == 0 || st->len > t->len - st->offset)
		return "a statement is not behind the one before it, or not in the text";
	if (st->text != t->text + st->offset)
		return "text and offset do not agree";
	if (st->line != at.line || st->col != at.col)
		return "line and column are not those of the offset";
	if (is_blank(st->text[0]) || is_blank(st->text[st->len - 1]))
		return "a statement has blanks around it";
	return NULL;
}

/* Alone, under the same delimiter, the text is one statement, and the same one. */
static inline law check_alone(const struct sql_text *t, const struct dbl_statement *st,
			      const char *delimiter)
{
	bool set = strcmp(delimiter, ";") != 0;
	size_t room = st->len + 100;
	char *alone = malloc(room);
	int head = set ? snprintf(alone, room, "DELIMITER %s\n", delimiter) : 0;
	struct sql_text again = {t->dialect, alone, (size_t)head + st->len};
	struct dbl_statement first = {0}, second = {0};
	struct dblock_error err;
	struct dbl_split s;
	law broken = NULL;

	memcpy(alone + head, st->text, st->len);
	if (begin_split(&s, &again, &err) || dbl_split_next(&s, &first, &err) ||
	    dbl_split_next(&s, &second, &err))
		broken = "a statement alone is refused";
	else if (!first.text || second.text)
		broken = "a statement alone is not one statement";
	else if (first.len != st->len || memcmp(first.text, st->text, st->len) != 0)
		broken = "a statement alone is another one";
	else if (first.kind != st->kind)
		broken = "a statement alone is of another kind";
	free(alone);
	return broken;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static inline law check_error(const struct dblock_error *err, int rc)
{
	if (rc != DBLOCK_E_INVALID || err->code != rc)
		return "not the outcome of a file that is refused";
	if (strncmp(err->message, "f.sql:", 6) != 0)
		return "a message does not begin with the file";
	return NULL;
}

static inline law check_walk(const struct sql_text *t)
{
	struct gap gap = {.t = t, .delimiter = ";"};
	struct dbl_statement st;
	struct dblock_error err;
	struct dbl_split s;
	law broken = NULL;
	int rc = begin_split(&s, t, &err);

	if (rc)
		return check_error(&err, rc);
	gap.at = t->len >= 3 && memcmp(t->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
	while (!broken && (rc = dbl_split_next(&s, &st, &err)) == 0 && st.text) {
		broken = check_place(t, &st, gap.at);
		if (!broken)
			broken = read_gap(&gap, st.offset);
		if (!broken)
			broken = check_alone(t, &st, s.delimiter);
		gap.at = st.offset + st.len;
	}
	if (broken)
		return broken;
	return rc ? check_error(&err, rc) : read_gap(&gap, t->len);
}

static inline bool same(const struct dbl_statement *a, const struct dbl_statement *b)
{
	return a->offset == b->offset && a->len == b->len && a->kind == b->kind;
}

/* The beginning of a text is split alike whatever follows: if a text is cut off anywhere, all its
 * statements but the last are those of the whole. */
static inline law check_cut(const struct sql_text *whole, size_t at)
{
	struct sql_text part = {whole->dialect, whole->text, at};
	struct dbl_statement a, b;
	struct dblock_error err;
	struct dbl_split s, p;
	int rc;
	size_t n = count_statements(&part, &rc, &err);

	if (begin_split(&s, whole, &err) || begin_split(&p, &part, &err))
		return NULL;
	for (size_t i = 0; i + 1 < n; i++) {
		if (dbl_split_next(&p, &b, &err) || dbl_split_next(&s, &a, &err))
			return "a text cut off has more statements than the whole";
		if (!same(&a, &b))
			return "a text cut off has other statements than the whole";
	}
	return NULL;
}

/* Returns the same text as written on Windows. The caller frees it. */
static inline char *with_crlf(const struct sql_text *t, size_t *len)
{
	char *out = malloc(t->len * 2 + 1);
	size_t n = 0;

	for (size_t i = 0; i < t->len; i++) {
		if (t->text[i] == '\n')
			out[n++] = '\r';
		out[n++] = t->text[i];
	}
	*len = n;
	return out;
}

static inline law compare_lines(struct dbl_split *s, struct dbl_split *w)
{
	struct dblock_error err;
	struct dbl_statement a, b;

	do {
		int rc = dbl_split_next(s, &a, &err), rc2 = dbl_split_next(w, &b, &err);

		if (rc != rc2 || !a.text != !b.text)
			return "with CRLF there are other statements";
		if (rc || !a.text)
			return NULL;
	} while (a.line == b.line && a.col == b.col && a.kind == b.kind);
	return "with CRLF a statement is elsewhere";
}

static inline law check_crlf(const struct sql_text *t)
{
	struct sql_text windows = *t;
	struct dblock_error err;
	struct dbl_split s, w;
	law broken = NULL;
	char *text;

	if (memchr(t->text, '\r', t->len) || begin_split(&s, t, &err))
		return NULL;
	windows.text = text = with_crlf(t, &windows.len);
	broken =
		begin_split(&w, &windows, &err) ? "with CRLF it is refused" : compare_lines(&s, &w);
	free(text);
	return broken;
}

static inline law check_laws(const struct sql_text *t)
{
	int rc1, rc2;
	struct dblock_error err1 = {0}, err2 = {0};
	law broken = check_walk(t);

	if (!broken)
		broken = check_crlf(t);
	if (broken)
		return broken;
	if (count_statements(t, &rc1, &err1) != count_statements(t, &rc2, &err2) || rc1 != rc2 ||
	    strcmp(err1.message, err2.message) != 0)
		return "the same text is split in two ways";
	return NULL;
}

#endif
