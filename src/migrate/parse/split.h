/* SPDX-License-Identifier: MIT */
/*
 * A migration file cut into its statements, by the lexical rules of one kind of database. Pure:
 * text in, slices of that text out; nothing is allocated, unless tokens are asked for. What can be
 * read in two ways is an error, before anything was sent: a file is walked through once to the end
 * before it is run.
 */
#ifndef DBL_MIGRATE_SPLIT_H
#define DBL_MIGRATE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

#include <dblock/error.h>

#include "base/sha256.h"
#include "base/str.h"

/* What the first words of a statement say about transactions. */
enum dbl_statement_kind {
	DBL_STATEMENT_ORDINARY,    /* can stand in a transaction */
	DBL_STATEMENT_TRANSACTION, /* begins or ends one: BEGIN, COMMIT, SET autocommit, ... */
	DBL_STATEMENT_ALONE,       /* the database refuses it inside a transaction */
	DBL_STATEMENT_COMMITS,     /* MySQL: ends a transaction, or may do so */
	DBL_STATEMENT_USE,         /* MySQL: changes the default database */
};

/* What of a statement's effect ends with its session. */
enum dbl_statement_session {
	DBL_SESSION_NOTHING,
	DBL_SESSION_SETTING, /* it only sets what another session can be set to as well */
	DBL_SESSION_THING,   /* something that might not come out the same again */
};

struct dbl_statement {
	const char *text; /* from its first token to its last: no delimiter, no comment around */
	size_t len;
	size_t offset; /* in the file, bytes */
	size_t line;
	size_t col; /* characters; both count from 1 */
	enum dbl_statement_kind kind;
	enum dbl_statement_session session;
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

/* What the tokens of the present statement have told. */
struct dbl_track {
	bool begun;
	size_t start, end;                      /* of its slice */
	size_t parens, paren;                   /* how many are open; where the first of them is */
	struct dbl_word words[DBL_SPLIT_WORDS]; /* the first, as far as they are not quoted */
	size_t n_words;
	struct dbl_word word; /* the token before, if it is one */
	char before;          /* the token before, if it is a byte of no other kind */
	size_t second;        /* 1 + where a `;` stands that is no delimiter; else 0 */
	int object;           /* what it creates: by dialect */
	int phase;            /* of reading that: by dialect */
	bool at_start;        /* a statement inside a body may begin here */
	bool label;           /* a label may have been read */
	bool until, declare, handler;
	bool done;     /* the body's last END was read */
	int condition; /* of a handler */
	size_t ending; /* 1 + where END is, until it is known of what; else 0 */
	struct dbl_block blocks[DBL_SPLIT_DEPTH];
	size_t n_blocks;
};

/* The walk. Nothing in it but the last is for callers. */
struct dbl_split {
	const struct dbl_rules *rules;
	const char *file;
	const char *text;
	size_t len;
	size_t at;      /* read up to here */
	bool unsettled; /* the file has changed what a quote or a backslash is */
	char delimiter[DBL_SPLIT_DELIMITER + 1];
	size_t executable; /* MySQL: 1 + where the open comment that is executed begins; else 0 */
	size_t hint;       /* 1 + where a hint before the statement begins; else 0 */
	struct dbl_position here; /* of byte `here_at` */
	size_t here_at;
	struct dbl_track track;
	struct dbl_tokens *tokens; /* for callers: to collect the tokens in; NULL: nobody wants them
				    */
};

/* Begin with a whole file. dialect is the name of a folder of migrations/; file is for messages,
 * and is kept, as is text. E_INVALID: not text that any database reads in one way only (UTF-16,
 * NUL, broken UTF-8). */
int dbl_split_begin(struct dbl_split *, const char *dialect, const char *file, const char *text,
		    size_t len, struct dblock_error *err);

/* The next statement; after the last, out->text is NULL. E_INVALID says "file:line:col: what", and
 * then there is nothing more to be had. */
int dbl_split_next(struct dbl_split *, struct dbl_statement *out, struct dblock_error *err);

/* Line and column of a byte of a file. */
struct dbl_position dbl_position(const char *text, size_t len, size_t offset);

/* The same of the n-th character (from 1) of a statement of it: how PostgreSQL says where an error
 * is. */
struct dbl_position dbl_statement_position(const char *text, size_t len,
					   const struct dbl_statement *, size_t n);

/* The length of the byte order mark that the text begins with. */
size_t dbl_skip_bom(const char *text, size_t len);

/* Is "-- no-transaction" the file's first line? */
bool dbl_split_no_transaction(const char *text, size_t len);

/* The tool that this comment line is a command for ("goose" for "-- +goose Up"); NULL: none. */
const char *dbl_split_tool(const char *line, size_t len);

/* What a file says, whatever it looks like (split_tokens.c): its tokens, without comments, and with
 * no more of the blanks between them than that there are some. Two files with the same tokens do
 * the same. The head changes whenever this does: sums of other algorithms are never equal. */
#define DBL_TOKEN_SUM_HEAD "t1:"

enum { DBL_TOKEN_SUM = sizeof(DBL_TOKEN_SUM_HEAD) - 1 + DBL_SHA256_HEX };

/* Collects while a file is split: set dbl_split.tokens. Begins as zero. */
struct dbl_tokens {
	struct dbl_str text; /* each with a NUL behind it; one NUL more ends a statement */
	size_t end;          /* of the token before, in this statement; 0: it is the first */
	char sort;           /* of that token */
};

/* A token more, of which no text is split: a directive. */
void dbl_tokens_add(struct dbl_tokens *, const char *text, size_t len);

/* "t1:..."; frees them. False: out of memory. */
bool dbl_tokens_sum(struct dbl_tokens *, char sum[DBL_TOKEN_SUM + 1]);

#endif
