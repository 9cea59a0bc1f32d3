/* SPDX-License-Identifier: MIT */
/* The words of a statement, and patterns for them. A word is a token of the splitter: a keyword, a
 * name, a string, a number, or one sign. */
#ifndef DBL_MIGRATE_LINT_WORDS_H
#define DBL_MIGRATE_LINT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* More words than this are not read: no rule looks that far. */
enum { DBL_WORDS_MAX = 8192, DBL_KEY = 300 };

struct dbl_words {
	const char *const *list;
	size_t n;
};

/* Finds the words in the tokens of one statement: each ends with a NUL. Returns how many. */
size_t dbl_words_find(const struct dbl_str *tokens, const char *list[DBL_WORDS_MAX]);

/* Whether the word at `at` is one of these: "a|b"; false behind the end. */
bool dbl_words_is(const struct dbl_words *, size_t at, const char *words);

/* Returns where the phrase, like "not valid", begins at `from` or later; n: nowhere. */
size_t dbl_words_seek(const struct dbl_words *, size_t from, const char *phrase);
bool dbl_words_have(const struct dbl_words *, const char *phrase);

/* Returns the part from `from` on, up to but not with `to`. */
struct dbl_words dbl_words_part(const struct dbl_words *, size_t from, size_t to);

/* Returns where the part that begins at `from` ends: at the next comma, or parenthesis that closes,
 * outside of parentheses. */
size_t dbl_words_part_end(const struct dbl_words *, size_t from);

/* Whether the words begin as the pattern says. Its elements, with a blank between two:
 *   word, a|b     one of these words
 *   [elements]    perhaps these
 *   @, *          a name: of a table, of something else
 */
struct dbl_match {
	char table[DBL_KEY], name[DBL_KEY]; /* in small letters, without quotes, with the schema */
	size_t end;                         /* the word behind what matched */
};
bool dbl_words_match(const struct dbl_words *, const char *pattern, struct dbl_match *);

/* Reads a name at *at, and moves behind it. False: there is none. */
bool dbl_words_name(const struct dbl_words *, size_t *at, char name[DBL_KEY]);

#endif
