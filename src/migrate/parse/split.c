/* SPDX-License-Identifier: MIT */
#include "migrate/parse/split.h"

#include <string.h>

#include "base/err.h"
#include "base/utf8.h"
#include "migrate/parse/split_own.h"

/* ---- beginning ------------------------------------------------------------------------------ */

static bool is_utf16(const char *text, size_t len)
{
	if (len < 2)
		return false;
	return memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0 ||
	       (text[0] == '\0') != (text[1] == '\0');
}

/* Returns where, from `at` on, the first byte is that is not plain ASCII, or that many bytes end. */
static size_t past_ascii(const struct dbl_split *s, size_t at)
{
	size_t end = s->len - at < DBL_TEXT_STRIDE ? s->len : at + DBL_TEXT_STRIDE;
	uint64_t eight; /* bytes, of which none is zero, nor has its upper bit */

	for (; at + sizeof(eight) <= end; at += sizeof(eight)) {
		memcpy(&eight, s->text + at, sizeof(eight));
		if ((((eight - 0x0101010101010101) & ~eight) | eight) & 0x8080808080808080)
			break;
	}
	while (at < end && (unsigned char)(s->text[at] - 1) < 0x7F)
		at++;
	return at;
}

static int check_text(struct dbl_split *s, struct dblock_error *err)
{
	uint32_t c;
	size_t n;

	if (is_utf16(s->text, s->len))
		return dbl_fail(err, DBLOCK_E_INVALID, "%s: this is UTF-16; save the file as UTF-8",
				s->file);
	for (size_t i = past_ascii(s, 0); i < s->len; i = past_ascii(s, i + n)) {
		dbl_split_passed(s, i);
		n = dbl_utf8_next(s->text + i, s->len - i, &c);
		if (n == 0)
			return dbl_split_fail(s, i, err, "this is not UTF-8; save the file so");
		if (c == 0)
			return dbl_split_fail(s, i, err, "a NUL byte");
	}
	return 0;
}

void dbl_split_again(struct dbl_split *s, const char *dialect, const char *file,
		     const struct dbl_text *text)
{
	static const struct dbl_rules *const all[] = {&dbl_rules_sqlite, &dbl_rules_postgresql,
						      &dbl_rules_mysql};

	*s = (struct dbl_split){.file = file,
				.text = text->text,
				.len = text->len,
				.mapped = text->mapped,
				.delimiter = ";",
				.here = {1, 1}};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(all[i]->name, dialect) == 0)
			s->rules = all[i];
	}
	s->at = s->here_at = dbl_skip_bom(text->text, text->len);
}

int dbl_split_begin(struct dbl_split *s, const char *dialect, const char *file,
		    const struct dbl_text *text, struct dblock_error *err)
{
	dbl_split_again(s, dialect, file, text);
	if (!s->rules)
		return dbl_fail(err, DBLOCK_E_INVALID, "there is no dialect '%s'", dialect);
	return check_text(s, err);
}

/* ---- a statement ---------------------------------------------------------------------------- */

static void count_parens(struct dbl_track *track, char c, size_t offset)
{
	if (c == '(' && track->parens++ == 0)
		track->paren = offset;
	else if (c == ')' && track->parens > 0)
		track->parens--;
}

static void remember(struct dbl_split *s, const struct dbl_token *t)
{
	struct dbl_track *track = &s->track;
	bool is_word = t->type == DBL_TOKEN_WORD;

	if (!track->begun) {
		track->begun = true;
		track->start = s->hint ? s->hint - 1 : t->offset;
	}
	track->end = t->offset + t->len;
	if (t->type == DBL_TOKEN_MARK)
		return;
	track->word = is_word ? (struct dbl_word){t->offset, t->len} : (struct dbl_word){0, 0};
	track->before = t->type == DBL_TOKEN_OTHER ? s->text[t->offset] : '\0';
	if (is_word && track->n_words < DBL_SPLIT_WORDS)
		track->words[track->n_words++] = track->word;
	count_parens(track, track->before, t->offset);
}

static int one_token(struct dbl_split *s, const struct dbl_token *t, struct dblock_error *err)
{
	int rc;

	if (!s->track.begun && dbl_is(s, t, "delimiter"))
		return dbl_delimiter_line(s, t, err);
	rc = s->rules->token(s, t, err);
	/* Under another delimiter, a `;` at the end of a statement is left out of it. */
	if (rc == 0 && !(t->type == DBL_TOKEN_OTHER && s->text[t->offset] == ';'))
		remember(s, t);
	return rc;
}

static enum dbl_statement_kind kind_of(const struct dbl_split *s)
{
	if (!dbl_nth(s, 0, "rollback "))
		return s->rules->kind(s);
	return dbl_word_after(s, 1, "to ") < s->track.n_words ? DBL_STATEMENT_ORDINARY
							      : DBL_STATEMENT_TRANSACTION;
}

static void deliver(struct dbl_split *s, struct dbl_statement *out)
{
	const struct dbl_track *track = &s->track;

	s->here = dbl_advance(s->here, s->text + s->here_at, track->start - s->here_at);
	s->here_at = track->start;
	*out = (struct dbl_statement){
		.text = s->text + track->start,
		.len = track->end - track->start,
		.offset = track->start,
		.line = s->here.line,
		.col = s->here.col,
		.kind = kind_of(s),
		.session = s->rules->session ? s->rules->session(s) : DBL_SESSION_NOTHING,
		.head = track->head ? track->head - track->start : 0,
		.data = track->data ? track->data - track->start : 0,
		.data_len = track->data_len,
	};
	s->unsettled = s->unsettled || (s->rules->unsettles && s->rules->unsettles(s));
}

/* Handles a delimiter, or the file's end. *ends: it ends a statement. */
static int border(struct dbl_split *s, const struct dbl_token *t, bool *ends,
		  struct dblock_error *err)
{
	*ends = s->track.begun;
	if (!*ends) {
		s->hint = 0;
		return 0;
	}
	if (t->type == DBL_TOKEN_END)
		return s->rules->end(s, err);
	return s->rules->delimiter(s, t, ends, err);
}

int dbl_split_next(struct dbl_split *s, struct dbl_statement *out, struct dblock_error *err)
{
	struct dbl_token t;
	bool ends = false;
	int rc;

	*out = (struct dbl_statement){0};
	dbl_split_passed(s, s->at);
	s->track = (struct dbl_track){0};
	s->hint = 0;
	do {
		rc = dbl_lex(s, &t, err);
		if (rc)
			return rc;
		if (t.type == DBL_TOKEN_END || t.type == DBL_TOKEN_DELIMITER)
			rc = border(s, &t, &ends, err);
		else
			rc = one_token(s, &t, err);
		if (rc == 0 && s->tokens)
			dbl_tokens_take(s, &t, ends);
	} while (rc == 0 && !ends && t.type != DBL_TOKEN_END);
	if (rc == 0 && ends)
		deliver(s, out);
	return rc;
}
