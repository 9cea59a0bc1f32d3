/* SPDX-License-Identifier: MIT */
#include "sql/words.h"

#include <string.h>

#include "base/str.h"

static const struct dbl_word *mark_at(const struct dbl_word *words, const char *at)
{
	for (; words->mark; words++) {
		if (strncmp(at, words->mark, strlen(words->mark)) == 0)
			return words;
	}
	return NULL;
}

char *dbl_words_put(const char *text, size_t len, const struct dbl_word *words)
{
	struct dbl_str out = {0};
	const char *end = text + len;

	while (text < end) {
		const struct dbl_word *word = mark_at(words, text);

		if (word)
			dbl_str_add(&out, word->word);
		else
			dbl_str_addn(&out, text, 1);
		text += word ? strlen(word->mark) : 1;
	}
	return dbl_str_take(&out);
}
