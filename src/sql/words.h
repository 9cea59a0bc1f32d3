/* SPDX-License-Identifier: MIT */
/* Texts with words for C to put in. */
#ifndef DBL_SQL_WORDS_H
#define DBL_SQL_WORDS_H

#include <stddef.h>

struct dbl_word {
	const char *mark, *word;
};

/* The text with each mark replaced by its word, which is not looked at again; a NULL ends the
 * words. NULL: out of memory. */
char *dbl_words_put(const char *text, size_t len, const struct dbl_word *);

#endif
