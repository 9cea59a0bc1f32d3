/* SPDX-License-Identifier: MIT */
/* Options and operands, from tables: the same tables parse and print the help. */
#ifndef DBL_CLI_ARGS_H
#define DBL_CLI_ARGS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/ui/duration.h"

enum dbl_arg_kind {
	DBL_ARG_FLAG,     /* bool */
	DBL_ARG_TEXT,     /* const char * */
	DBL_ARG_NUMBER,   /* int64_t */
	DBL_ARG_DURATION, /* int64_t, milliseconds */
	DBL_ARG_TOKEN,    /* int64_t, positive */
	DBL_ARG_TEXTS,    /* struct dbl_texts: each time that it is given adds one */
};

enum { DBL_TEXTS_MAX = 63 };

struct dbl_texts {
	const char *text[DBL_TEXTS_MAX];
	size_t n;
};

/* An option. A table of them ends with {0}. */
struct dbl_arg {
	const char *name; /* the long one */
	char letter;      /* the short one, or 0 */
	enum dbl_arg_kind kind;
	size_t offset;     /* of its place in the struct of options */
	const char *value; /* what stands for its value in the help */
	int64_t min, max;  /* of numbers and durations */
	const char *help;
};

/* The rows of such a table; `at`: offsetof() the place. */
#define DBL_FLAG_ARG(name, letter, at, help)                                                       \
	{                                                                                          \
		name, letter, DBL_ARG_FLAG, at, NULL, 0, 0, help                                   \
	}
#define DBL_TEXT_ARG(name, letter, at, value, help)                                                \
	{                                                                                          \
		name, letter, DBL_ARG_TEXT, at, value, 0, 0, help                                  \
	}
#define DBL_DURATION_ARG(name, letter, at, min, max, help)                                         \
	{                                                                                          \
		name, letter, DBL_ARG_DURATION, at, "DUR", min, max, help                          \
	}

/* A table of options, and the struct that they fill. */
struct dbl_arg_set {
	const struct dbl_arg *args;
	void *into;
};

/* What a command line has besides options. */
struct dbl_operands {
	const char *names[3]; /* "NAME" "TOKEN"; ends with NULL */
	int least;            /* so many of them must be there */
	/* The word of this number (from 1), and all that follows it, is taken as it is; a `--`
	 * before it is optional. 0: no such word. */
	int verbatim_from;
};

struct dbl_words {
	char **word; /* ends with NULL */
	int count;
};

/* Tables, any of which may have args == NULL. argv[0] is passed over. The words are left at the
 * beginning of argv. On a mistake, message[] says which, and the result is not 0. */
enum { DBL_ARGS_MESSAGE = 1024, DBL_ARG_SETS = 3 };
int dbl_args_parse(const struct dbl_arg_set sets[DBL_ARG_SETS], const struct dbl_operands *,
		   int argc, char **argv, struct dbl_words *, char message[DBL_ARGS_MESSAGE]);

/* A token, as a person typed it: a positive decimal number. On a mistake, as above. */
int dbl_token_parse(const char *text, int64_t *token, char message[DBL_ARGS_MESSAGE]);

/* The options' part of a help text. */
void dbl_args_help(FILE *, const struct dbl_arg *args);

#endif
