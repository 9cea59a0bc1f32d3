/* SPDX-License-Identifier: MIT */
/* What the files of the splitter share: tokens, and the rules of a dialect. */
#ifndef DBL_MIGRATE_SPLIT_OWN_H
#define DBL_MIGRATE_SPLIT_OWN_H

#include "base/sqlscan.h"
#include "migrate/parse/split.h"

enum dbl_token_type {
	DBL_TOKEN_END,       /* of the file */
	DBL_TOKEN_DELIMITER, /* `;`, or what DELIMITER has set */
	DBL_TOKEN_WORD,      /* keyword or identifier */
	DBL_TOKEN_QUOTED,    /* string or quoted identifier */
	DBL_TOKEN_NUMBER,
	DBL_TOKEN_MARK, /* MySQL: begin or end of a comment that is executed */
	DBL_TOKEN_OTHER /* one byte */
};

struct dbl_token {
	enum dbl_token_type type;
	size_t offset;
	size_t len;
};

/* What is a backslash between quotes? */
enum dbl_escape { DBL_ESCAPE_NO, DBL_ESCAPE_YES, DBL_ESCAPE_UNSURE };

/* One dialect: what differs between the lexers, and what keeps a statement together. */
struct dbl_rules {
	const char *name;
	const char *client; /* the program whose own commands are refused */
	bool nested_comments;
	bool hash_comments;       /* # */
	bool dash_blank;          /* inside a statement -- is a comment only before a blank */
	bool executable_comments; /* what stands in them is code */
	bool dollar_quotes;
	bool escape_strings; /* E'..' */
	bool brackets;       /* [identifier] */
	bool backticks;
	bool digit_words; /* a word may begin with a digit */
	bool escapes;     /* a backslash between quotes escapes, unless the file has changed that */

	/* May this token stand here, and what does it open or close? */
	int (*token)(struct dbl_split *, const struct dbl_token *, struct dblock_error *);
	/* A delimiter: *ends, is this the end of the statement? It comes as true. */
	int (*delimiter)(struct dbl_split *, const struct dbl_token *, bool *ends,
			 struct dblock_error *);
	/* The file's end, within a statement: may it end here? */
	int (*end)(struct dbl_split *, struct dblock_error *);
	enum dbl_statement_kind (*kind)(const struct dbl_split *); /* but of ROLLBACK */
	/* NULL: nothing, for no file is gone on with in the middle. */
	enum dbl_statement_session (*session)(const struct dbl_split *);
	/* Does this statement change how quotes are read? NULL: none does. */
	bool (*unsettles)(const struct dbl_split *);
};

extern const struct dbl_rules dbl_rules_sqlite, dbl_rules_postgresql, dbl_rules_mysql;

/* Can this byte stand in a word, behind its beginning? */
static inline bool dbl_in_word(char c)
{
	return dbl_sql_is_word(c) || c == '$' || (unsigned char)c >= 0x80;
}

static inline bool dbl_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The next token. */
int dbl_lex(struct dbl_split *, struct dbl_token *, struct dblock_error *err);

/* Read what is quoted from s->at on (split_quote.c); !*found: nothing quoted begins there. */
int dbl_lex_quoted(struct dbl_split *, bool *found, struct dblock_error *err);

/* ---- split_text.c --------------------------------------------------------------------------- */

/* E_INVALID, with "file:line:col: " of that byte in front. */
int dbl_split_fail(const struct dbl_split *, size_t offset, struct dblock_error *err,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The line of a byte, for the middle of a message. */
unsigned long dbl_split_line(const struct dbl_split *, size_t offset);

/* From one byte to a later one. A carriage return is a character of the line that it ends. */
struct dbl_position dbl_advance(struct dbl_position from, const char *text, size_t len);

/* Lists of words are in lower case, with a blank behind each: "if case ". */
bool dbl_is(const struct dbl_split *, const struct dbl_token *, const char *word);
bool dbl_is_one_of(const struct dbl_split *, const struct dbl_token *, const char *words);
/* Is the token before one of these words? */
bool dbl_follows(const struct dbl_split *, const char *words);
/* Is the n-th of the statement's first words (from 0) one of these? */
bool dbl_nth(const struct dbl_split *, size_t n, const char *words);
/* The place of the first such word from the n-th on; n_words if there is none. */
size_t dbl_word_after(const struct dbl_split *, size_t n, const char *words);

/* Does the statement's text hold this, in whatever case? */
bool dbl_statement_has(const struct dbl_split *, const char *part);

/* E_INVALID where parentheses are open. */
int dbl_split_parens(const struct dbl_split *, struct dblock_error *err);

/* A body that is closed by an END at the place of a statement: CASE has another one, before any
 * `;`. In track.phase. */
enum dbl_body { DBL_BODY_OUTSIDE, DBL_BODY_INSIDE, DBL_BODY_BEHIND };

/* A token of such a body, or before it, which perhaps opens it; `what` is for messages. */
int dbl_ended_token(struct dbl_split *, const struct dbl_token *, bool opens, const char *what,
		    struct dblock_error *err);

/* ---- the others ----------------------------------------------------------------------------- */

/* Is this byte the first of its line that is not blank? */
bool dbl_begins_line(const struct dbl_split *, size_t offset);

/* Does this comment line mean "-- no-transaction", however it is spelt? */
bool dbl_split_is_directive(const char *line, size_t len);

/* Collect it, once it was read (split_tokens.c); ends: it ends a statement. */
void dbl_tokens_take(struct dbl_split *, const struct dbl_token *, bool ends);

/* MySQL's DELIMITER (split_delimiter.c): read the line whose first word this is. */
int dbl_delimiter_line(struct dbl_split *, const struct dbl_token *, struct dblock_error *err);
/* Is this word, inside a statement, the first of what looks like such a line? */
bool dbl_is_delimiter_line(const struct dbl_split *, const struct dbl_token *);
/* Is it another one than `;`? */
bool dbl_delimiter_is_set(const struct dbl_split *);

/* MySQL's stored programs (split_program.c), with functions as in dbl_rules. */
bool dbl_program_is(const struct dbl_split *);
int dbl_program_token(struct dbl_split *, const struct dbl_token *, struct dblock_error *err);
int dbl_program_delimiter(struct dbl_split *, bool *ends, struct dblock_error *err);
int dbl_program_end(struct dbl_split *, struct dblock_error *err);

/* What stands in the body of one (split_body.c). */
int dbl_body_token(struct dbl_split *, const struct dbl_token *, struct dblock_error *err);
int dbl_body_delimiter(struct dbl_split *, bool *ends, struct dblock_error *err);
int dbl_body_end(struct dbl_split *, struct dblock_error *err);
/* This cannot be told without DELIMITER. */
int dbl_body_needs_delimiter(const struct dbl_split *, size_t offset, struct dblock_error *err,
			     const char *what);

#endif
