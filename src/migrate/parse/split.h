/* SPDX-License-Identifier: MIT */
/*
 * Cuts a migration file into its statements, by the lexical rules of one kind of database. Pure
 * functions: they return slices of the text, and allocate nothing unless tokens are collected. A
 * text that can be read in two ways is an error before anything is sent, as a file is split once to
 * its end before it is run.
 */
#ifndef DBL_MIGRATE_SPLIT_H
#define DBL_MIGRATE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

#include <dblock/error.h>

#include "base/sha256.h"
#include "base/spool.h"

/* What the first words of a statement say about transactions. */
enum dbl_statement_kind {
	DBL_STATEMENT_ORDINARY,    /* can stand in a transaction */
	DBL_STATEMENT_TRANSACTION, /* begins or ends one: BEGIN, COMMIT, SET autocommit, ... */
	DBL_STATEMENT_ALONE,       /* the database refuses it inside a transaction */
	DBL_STATEMENT_COMMITS,     /* MySQL: commits the transaction, or may do so */
	DBL_STATEMENT_USE,         /* MySQL: changes the default database */
};

/* Which effect of a statement ends with its session. */
enum dbl_statement_session {
	DBL_SESSION_NOTHING,
	DBL_SESSION_SETTING, /* a setting, which can be made in another session as well */
	DBL_SESSION_THING,   /* something that might not be the same if it is made again */
};

struct dbl_statement {
	const char *text; /* from its first token to its last: no delimiter, no comment around */
	size_t len;
	size_t offset; /* in the file, bytes */
	size_t line;
	size_t col; /* in characters; both count from 1 */
	enum dbl_statement_kind kind;
	enum dbl_statement_session session;
	/* COPY FROM stdin: what of the text is the statement itself, and where its data are; else 0. */
	size_t head, data, data_len;
};

struct dbl_position {
	size_t line;
	size_t col;
};

enum { DBL_SPLIT_WORDS = 16, DBL_SPLIT_DEPTH = 64, DBL_SPLIT_DELIMITER = 16 };

struct dbl_word {
	size_t offset;
	size_t len;
};

/* A construct that is open: IF, BEGIN, ... */
struct dbl_block {
	char kind; /* its first letter; 'e' for a CASE that is an expression */
	size_t offset;
};

/* What the tokens of the present statement have shown. */
struct dbl_track {
	bool begun;
	size_t start, end;                      /* of its slice */
	size_t parens, paren;                   /* how many are open; where the first of them is */
	struct dbl_word words[DBL_SPLIT_WORDS]; /* the first words that are not quoted */
	size_t n_words;
	struct dbl_word word; /* the token before, if it is a word */
	char before;          /* the token before, if it is a DBL_TOKEN_OTHER */
	size_t second;        /* 1 + offset of a `;` that is no delimiter; else 0 */
	int object;           /* what the statement creates, in the dialect's numbers */
	int phase;            /* how far that has been read, in the dialect's numbers */
	bool at_start;        /* a statement inside a body may begin here */
	bool label;           /* a label may have been read */
	bool until, declare, handler;
	bool done;                   /* the body's last END was read */
	int condition;               /* of a handler: 1 one has to come, 2 one was read, 0 none */
	bool copy;                   /* lines of data follow it */
	size_t head, data, data_len; /* where it ends, and where they are */
	size_t ending; /* 1 + offset of an END, until it is known what it ends; else 0 */
	struct dbl_block blocks[DBL_SPLIT_DEPTH];
	size_t n_blocks;
};

/* The state of splitting. Only the last member is for callers. */
struct dbl_split {
	const struct dbl_rules *rules;
	const char *file;
	const char *text;
	size_t len;
	size_t at;      /* the text is read up to here */
	bool unsettled; /* the file has changed what a quote or a backslash is */
	char delimiter[DBL_SPLIT_DELIMITER + 1];
	size_t executable; /* MySQL: 1 + offset of the executed comment that is open; else 0 */
	size_t hint;       /* 1 + offset of a hint before the statement; else 0 */
	struct dbl_position here; /* of byte `here_at` */
	size_t here_at;
	struct dbl_track track;
	size_t mapped, passed;     /* as in struct dbl_text; up to where the map was let go */
	struct dbl_tokens *tokens; /* for callers: collects the tokens; may be NULL */
};

/* Begins to split a whole file. dialect is the name of a folder of migrations/; `file` is for
 * messages. Both `file` and `text` must outlive the splitting. E_INVALID: the text is UTF-16, has a
 * NUL byte, or is no valid UTF-8. */
int dbl_split_begin(struct dbl_split *, const char *dialect, const char *file,
		    const struct dbl_text *text, struct dblock_error *err);

/* The same for one that has been split to its end before, and was found right. */
void dbl_split_again(struct dbl_split *, const char *dialect, const char *file,
		     const struct dbl_text *text);

/* Gives the next statement; after the last, out->text is NULL. E_INVALID says "file:line:col:
 * what", and ends the splitting. */
int dbl_split_next(struct dbl_split *, struct dbl_statement *out, struct dblock_error *err);

/* Returns the line and column of a byte of a file. */
struct dbl_position dbl_position(const char *text, size_t len, size_t offset);

/* The same for the n-th character (from 1) of a statement, which is how PostgreSQL says where an error
 * is. */
struct dbl_position dbl_statement_position(const struct dbl_statement *, size_t n);

/* Returns the length of the byte order mark that the text begins with, or 0. */
size_t dbl_skip_bom(const char *text, size_t len);

/* Whether "-- no-transaction" is the file's first line. */
bool dbl_split_no_transaction(const char *text, size_t len);

/* Returns the tool for which this comment line is a command ("goose" for "-- +goose Up"), or
 * NULL. */
const char *dbl_split_tool(const char *line, size_t len);

/* The sum of a file's tokens (split_tokens.c), without comments, and with at most one blank between
 * two. Two files with the same tokens do the same. The head changes whenever the algorithm does, so
 * sums of different algorithms are never equal. */
#define DBL_TOKEN_SUM_HEAD "t1:"

enum { DBL_TOKEN_SUM = sizeof(DBL_TOKEN_SUM_HEAD) - 1 + DBL_SHA256_HEX };

/* Collects tokens while a file is split, if dbl_split.tokens points here. Begins as zero. */
struct dbl_tokens {
	struct dbl_str text; /* each token with a NUL behind it; one more NUL ends a statement */
	size_t end;          /* the end of the token before, in this statement; 0: there is none */
	char sort;           /* the sort of that token */
	struct dbl_sha256
		*sum; /* takes them over at the end of each statement, with the data of a COPY;
				 * NULL: they are for the caller */
};

/* Adds a token that the splitter does not see: a directive. */
void dbl_tokens_add(struct dbl_tokens *, const char *text, size_t len);

/* Begins to sum them up; and writes the sum, "t1:...", and frees them. False: out of memory. */
void dbl_tokens_begin(struct dbl_tokens *, struct dbl_sha256 *);
bool dbl_tokens_sum(struct dbl_tokens *, char sum[DBL_TOKEN_SUM + 1]);

#endif
