/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "migrate/parse/split_own.h"

/* Sorts of tokens, by what a blank beside them means. */
enum {
	APART = 1, /* ( ) , ; with a blank mean the same */
	COMPARE,   /* = < > with a blank differ only beside another sign: @ > is not @> */
	SIGN,      /* all other signs differ: a - -1 is not a --1 */
	STRING,    /* '..': a line's end between two joins them */
	OTHER      /* words, numbers, quoted names: 1 e5 is not 1e5, and x '41' is not x'41' */
};

static char sort_of(const struct dbl_split *s, const struct dbl_token *t)
{
	char c = s->text[t->offset];

	if (t->type == DBL_TOKEN_QUOTED)
		return s->text[t->offset + t->len - 1] == '\'' ? STRING : OTHER;
	if (t->type == DBL_TOKEN_DELIMITER)
		return APART;
	if (t->type != DBL_TOKEN_OTHER)
		return OTHER;
	switch (c) {
	case '(':
	case ')':
	case ',':
	case ';':
		return APART;
	case '=':
	case '<':
	case '>':
		return COMPARE;
	default:
		return SIGN;
	}
}

static bool is_sign(char sort)
{
	return sort == SIGN || sort == COMPARE;
}

/* Whether a blank between these two makes a difference. */
static bool parts(char left, char right)
{
	if (left == APART || right == APART)
		return false;
	if (left == COMPARE)
		return is_sign(right);
	return right != COMPARE || is_sign(left);
}

void dbl_tokens_add(struct dbl_tokens *tokens, const char *text, size_t len)
{
	struct dbl_str *to = &tokens->text;

	if (to->room - to->len < len + 2) {
		dbl_str_addz(to, text, len);
		return;
	}
	memcpy(to->text + to->len, text,
	       len); /* as dbl_str_addz(), which is too far away for this */
	to->len += len + 1;
	to->text[to->len - 1] = to->text[to->len] = '\0';
}

/* Adds hints: they look like comments, but change what a statement does. */
static void add_hints(struct dbl_tokens *tokens, const char *gap, size_t len)
{
	const char *end = gap + len;

	for (; gap + 3 <= end; gap++) {
		const char *close = gap + 3;

		if (memcmp(gap, "/*+", 3) != 0)
			continue;
		while (close + 2 < end && memcmp(close, "*/", 2) != 0)
			close++;
		close = close + 2 < end ? close + 2 : end;
		dbl_tokens_add(tokens, gap, (size_t)(close - gap));
		gap = close - 1;
	}
}

/* Adds what matters of the blanks and comments between the token before and this one. */
static void add_gap(struct dbl_tokens *tokens, const struct dbl_split *s, size_t from, size_t to,
		    char sort)
{
	add_hints(tokens, s->text + from, to - from);
	if (tokens->end == 0 || from == to || !parts(tokens->sort, sort))
		return;
	if (tokens->sort == STRING && sort == STRING && memchr(s->text + from, '\n', to - from))
		dbl_tokens_add(tokens, "\n", 1);
	else
		dbl_tokens_add(tokens, " ", 1);
}

/* The data of a COPY are as large as they like. */
static void sum_data(struct dbl_split *s, struct dbl_sha256 *sum)
{
	const size_t end = s->track.data + s->track.data_len;

	for (size_t at = s->track.data, n; at < end; at += n) {
		n = end - at < DBL_TEXT_STRIDE ? end - at : DBL_TEXT_STRIDE;
		dbl_sha256_add(sum, s->text + at, n);
		dbl_split_passed(s, at + n);
	}
	dbl_sha256_add(sum, "", 1);
}

static void end_statement(struct dbl_split *s, struct dbl_tokens *tokens)
{
	if (tokens->sum) {
		dbl_sha256_add(tokens->sum, tokens->text.text, tokens->text.len);
		tokens->text.len = 0;
		if (s->track.data)
			sum_data(s, tokens->sum);
	}
	dbl_tokens_add(tokens, "", 0);
	tokens->end = 0;
}

void dbl_tokens_take(struct dbl_split *s, const struct dbl_token *t, bool ends)
{
	struct dbl_tokens *tokens = s->tokens;
	char sort;

	if (ends) {
		end_statement(s, tokens);
		return;
	}
	/* This is a line DELIMITER, a delimiter without a statement, or the file's end. */
	if (!s->track.begun || t->len == 0)
		return;
	sort = sort_of(s, t);
	add_gap(tokens, s, tokens->end ? tokens->end : s->track.start, t->offset, sort);
	dbl_tokens_add(tokens, s->text + t->offset, t->len);
	tokens->end = t->offset + t->len;
	tokens->sort = sort;
}

void dbl_tokens_begin(struct dbl_tokens *tokens, struct dbl_sha256 *sum)
{
	*tokens = (struct dbl_tokens){.sum = sum};
	dbl_sha256_begin(sum);
}

bool dbl_tokens_sum(struct dbl_tokens *tokens, char sum[DBL_TOKEN_SUM + 1])
{
	bool fine = !tokens->text.failed;

	strcpy(sum, DBL_TOKEN_SUM_HEAD);
	dbl_sha256_add(tokens->sum, tokens->text.text, tokens->text.len);
	dbl_sha256_end(tokens->sum, sum + strlen(DBL_TOKEN_SUM_HEAD));
	dbl_str_free(&tokens->text);
	return fine;
}
