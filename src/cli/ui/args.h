/* SPDX-License-Identifier: MIT */
/* Options and operands as tables, which serve both for parsing and for printing the help. */
#ifndef DBL_CLI_ARGS_H
#define DBL_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/ui/duration.h"

enum dbl_arg_kind {
	DBL_ARG_FLAG,     /* bool */
	DBL_ARG_TEXT,     /* const char * */
	DBL_ARG_NUMBER,   /* int64_t */
	DBL_ARG_DURATION, /* int64_t, milliseconds */
	/* The same, but the value may be left out: then DBL_NO_VALUE. */
	DBL_ARG_MAYBE_DURATION,
	DBL_ARG_TOKEN, /* int64_t, positive */
	DBL_ARG_TEXTS, /* struct dbl_texts: each time that it is given adds one */
};

enum { DBL_TEXTS_MAX = 63, DBL_NO_VALUE = -1 };

struct dbl_texts {
	const char *text[DBL_TEXTS_MAX];
	size_t n;
};

/* An option. A table of them ends with {0}. */
struct dbl_arg {
	const char *name; /* the long name */
	char letter;      /* the short name, or 0 */
	enum dbl_arg_kind kind;
	size_t offset;     /* of the member that it fills */
	const char *value; /* the name of its value in the help */
	int64_t min, max;  /* the range of numbers and durations */
	const char *help;
	const char *words; /* what a text may be, with blanks between them; NULL: anything */
};

/* Rows of such a table; `at`: the offsetof() the member. */
#define DBL_FLAG_ARG(name, letter, at, help)                                                       \
	{                                                                                          \
		name, letter, DBL_ARG_FLAG, at, NULL, 0, 0, help, NULL                             \
	}
#define DBL_TEXT_ARG(name, letter, at, value, help)                                                \
	{                                                                                          \
		name, letter, DBL_ARG_TEXT, at, value, 0, 0, help, NULL                            \
	}
#define DBL_WORD_ARG(name, letter, at, value, words, help)                                         \
	{                                                                                          \
		name, letter, DBL_ARG_TEXT, at, value, 0, 0, help, words                           \
	}
#define DBL_DURATION_ARG(name, letter, at, min, max, help)                                         \
	{                                                                                          \
		name, letter, DBL_ARG_DURATION, at, "DUR", min, max, help, NULL                    \
	}

/* A table of options, and the struct that they fill. */
struct dbl_arg_set {
	const struct dbl_arg *args;
	void *into;
};

/* The operands of a command: the words that are no options. */
struct dbl_operands {
	const char *names[4]; /* "NAME" "TOKEN"; ends with NULL */
	int least;            /* the least number of them */
	/* The word of this number (from 1), and all after it, are not parsed; a `--` before it is
	 * optional. 0: there is no such word. */
	int verbatim_from;
	/* The offset, in the command's own options, of a struct dbl_texts that stands for the first word if
	 * it is given before that; 0: there is none. */
	size_t or_texts;
	bool many; /* the last one may be given again and again */
};

struct dbl_words {
	char **word; /* ends with NULL */
	int count;
};

/* Has it a value in the next word, if none stands in its own? */
bool dbl_arg_wants_word(const struct dbl_arg *);

/* Parse a command line by tables, any of which may have args == NULL. argv[0] is skipped. The words
 * are moved to the beginning of argv. On a mistake, message[] tells which, and the result is not
 * 0. */
enum { DBL_ARGS_MESSAGE = 1024, DBL_ARG_SETS = 3 };
int dbl_args_parse(const struct dbl_arg_set sets[DBL_ARG_SETS], const struct dbl_operands *,
		   int argc, char **argv, struct dbl_words *, char message[DBL_ARGS_MESSAGE]);

/* Parse a token as a person types it: a positive decimal number. A mistake is told as above. */
int dbl_token_parse(const char *text, int64_t *token, char message[DBL_ARGS_MESSAGE]);

/* Print the options of a help text. */
void dbl_args_help(FILE *, const struct dbl_arg *args);

#endif
