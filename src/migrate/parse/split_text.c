/* SPDX-License-Identifier: MIT */
/* Finds where something is in a file, for messages, and what a statement's words are, for the rules
 * of a dialect. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "migrate/parse/split_own.h"

/* ---- places --------------------------------------------------------------------------------- */

struct dbl_position dbl_advance(struct dbl_position from, const char *text, size_t len)
{
	const char *end = text + len, *lf;

	for (; (lf = memchr(text, '\n', (size_t)(end - text))) != NULL; text = lf + 1)
		from = (struct dbl_position){from.line + 1, 1};
	for (; text < end; text++)
		from.col += ((unsigned char)*text & 0xC0) != 0x80;
	return from;
}

size_t dbl_skip_bom(const char *text, size_t len)
{
	return len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

struct dbl_position dbl_position(const char *text, size_t len, size_t offset)
{
	size_t from = dbl_skip_bom(text, len);

	if (offset > len)
		offset = len;
	if (offset < from)
		offset = from;
	return dbl_advance((struct dbl_position){1, 1}, text + from, offset - from);
}

struct dbl_position dbl_statement_position(const struct dbl_statement *statement, size_t n)
{
	size_t at = 0;

	while (n > 1 && at < statement->len) {
		do {
			at++;
		} while (at < statement->len && (statement->text[at] & 0xC0) == 0x80);
		n--;
	}
	return dbl_advance((struct dbl_position){statement->line, statement->col}, statement->text,
			   at);
}

unsigned long dbl_split_line(const struct dbl_split *s, size_t offset)
{
	return (unsigned long)dbl_position(s->text, s->len, offset).line;
}

int dbl_split_fail(const struct dbl_split *s, size_t offset, struct dblock_error *err,
		   const char *fmt, ...)
{
	struct dbl_position at = dbl_position(s->text, s->len, offset);
	char what[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return dbl_fail(err, DBLOCK_E_INVALID, "%s:%lu:%lu: %s", s->file, (unsigned long)at.line,
			(unsigned long)at.col, what);
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool equal(const struct dbl_split *s, struct dbl_word word, const char *with, size_t len)
{
	return word.len == len && strncasecmp(s->text + word.offset, with, len) == 0;
}

static bool is_one(const struct dbl_split *s, struct dbl_word word, const char *words)
{
	for (const char *end; (end = strchr(words, ' ')) != NULL; words = end + 1) {
		if (equal(s, word, words, (size_t)(end - words)))
			return true;
	}
	return false;
}

bool dbl_is(const struct dbl_split *s, const struct dbl_token *t, const char *word)
{
	return t->type == DBL_TOKEN_WORD &&
	       equal(s, (struct dbl_word){t->offset, t->len}, word, strlen(word));
}

bool dbl_is_one_of(const struct dbl_split *s, const struct dbl_token *t, const char *words)
{
	return t->type == DBL_TOKEN_WORD && is_one(s, (struct dbl_word){t->offset, t->len}, words);
}

bool dbl_follows(const struct dbl_split *s, const char *words)
{
	return is_one(s, s->track.word, words);
}

bool dbl_nth(const struct dbl_split *s, size_t n, const char *words)
{
	return n < s->track.n_words && is_one(s, s->track.words[n], words);
}

size_t dbl_word_after(const struct dbl_split *s, size_t n, const char *words)
{
	while (n < s->track.n_words && !dbl_nth(s, n, words))
		n++;
	return n < s->track.n_words ? n : s->track.n_words;
}

bool dbl_statement_has(const struct dbl_split *s, const char *part)
{
	size_t n = strlen(part), end = s->track.head ? s->track.head : s->track.end;

	for (size_t i = s->track.start; i + n <= end; i++) {
		/* The call takes longer than all else that is done for a byte. */
		if ((s->text[i] | 0x20) == (part[0] | 0x20) &&
		    strncasecmp(s->text + i, part, n) == 0)
			return true;
	}
	return false;
}

int dbl_split_parens(const struct dbl_split *s, struct dblock_error *err)
{
	if (s->track.parens == 0)
		return 0;
	return dbl_split_fail(s, s->track.paren, err,
			      "this ( is not closed before the statement ends");
}

int dbl_ended_token(struct dbl_split *s, const struct dbl_token *t, bool opens, const char *what,
		    struct dblock_error *err)
{
	struct dbl_track *track = &s->track;

	if (track->phase == DBL_BODY_BEHIND)
		return dbl_split_fail(s, t->offset, err, "after the END of %s only ; may follow",
				      what);
	opens = opens && track->phase == DBL_BODY_OUTSIDE;
	if (track->phase == DBL_BODY_INSIDE && track->at_start && dbl_is(s, t, "end"))
		track->phase = DBL_BODY_BEHIND;
	if (opens) {
		track->phase = DBL_BODY_INSIDE;
		track->ending = t->offset;
	}
	track->at_start = opens;
	return 0;
}
