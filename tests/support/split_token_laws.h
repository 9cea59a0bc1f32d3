/* SPDX-License-Identifier: MIT */
/* These laws hold for the tokens of every text that is split. */
#ifndef TESTS_SUPPORT_SPLIT_TOKEN_LAWS_H
#define TESTS_SUPPORT_SPLIT_TOKEN_LAWS_H

#include "migrate/parse/split.h"
#include "support/split_laws.h"

/* Returns false if the text is not sound. */
static inline bool token_sum(const struct sql_text *t, char sum[DBL_TOKEN_SUM + 1])
{
	struct dbl_tokens tokens;
	struct dbl_sha256 of;
	struct dbl_statement statement;
	struct dblock_error err;
	struct dbl_split s;
	int rc = begin_split(&s, t, &err);

	dbl_tokens_begin(&tokens, &of);
	s.tokens = &tokens;
	while (rc == 0 && (rc = dbl_split_next(&s, &statement, &err)) == 0 && statement.text)
		;
	return dbl_tokens_sum(&tokens, sum) && rc == 0;
}

/* Returns only the statements, one behind the other, with a comment behind each. The caller frees
 * it. */
static inline char *only_statements(const struct sql_text *t, size_t *len)
{
	static const char between[] = "-- next\n\n;-- one\n";
	struct dbl_statement st = {.text = ""};
	struct dblock_error err;
	struct dbl_split s;
	char *out = malloc(t->len * sizeof(between) + 1);
	size_t n = 0;
	int rc = begin_split(&s, t, &err);

	while (out && rc == 0 && (rc = dbl_split_next(&s, &st, &err)) == 0 && st.text) {
		memcpy(out + n, st.text, st.len);
		n += st.len;
		out[n++] = ' ';
		memcpy(out + n, between, sizeof(between) - 1);
		n += sizeof(between) - 1;
	}
	*len = n;
	return out;
}

/* The text between statements has no tokens. (With another delimiter it decides what a statement
 * is.) */
static inline law check_tokens(const struct sql_text *t)
{
	char whole[DBL_TOKEN_SUM + 1], parts[DBL_TOKEN_SUM + 1];
	struct sql_text alone = *t;
	char *text;
	law broken = NULL;

	for (size_t i = 0; i + 9 <= t->len; i++) {
		if (strncasecmp(t->text + i, "delimiter", 9) == 0)
			return NULL;
	}
	if (!token_sum(t, whole))
		return NULL;
	text = only_statements(t, &alone.len);
	alone.text = text;
	if (text && token_sum(&alone, parts) && strcmp(whole, parts) != 0)
		broken = "the tokens of the statements are not those of the whole";
	free(text);
	return broken;
}

#endif
