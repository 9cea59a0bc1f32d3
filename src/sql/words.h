/* SPDX-License-Identifier: MIT */
/* Statements with marks that C replaces by words. */
#ifndef DBL_SQL_WORDS_H
#define DBL_SQL_WORDS_H

#include <stddef.h>

struct dbl_word {
	const char *mark, *word;
};

/* The text with each mark replaced by its word, which is not searched again; a NULL ends the list
 * of words. NULL: there is no memory. */
char *dbl_words_put(const char *text, size_t len, const struct dbl_word *);

#endif
