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
	DBL_TOKEN_OTHER /* one byte that is none of these */
};

struct dbl_token {
	enum dbl_token_type type;
	size_t offset;
	size_t len;
};

/* Whether a backslash between quotes escapes. */
enum dbl_escape { DBL_ESCAPE_NO, DBL_ESCAPE_YES, DBL_ESCAPE_UNSURE };

/* The rules of one dialect: how lexers differ, and where a statement ends. */
struct dbl_rules {
	const char *name;
	const char *client; /* the program whose own commands are refused */
	bool nested_comments;
	bool hash_comments;       /* # */
	bool dash_blank;          /* inside a statement -- is a comment only before a blank */
	bool executable_comments; /* MySQL: comments that begin with an exclamation mark are code */
	bool dollar_quotes;
	bool escape_strings; /* E'..' */
	bool brackets;       /* [identifier] */
	bool backticks;
	bool digit_words; /* a word may begin with a digit */
	bool escapes;     /* a backslash between quotes escapes, unless the file has changed that */

	/* Fails if this token may not be here; notes what it opens or closes. */
	int (*token)(struct dbl_split *, const struct dbl_token *, struct dblock_error *);
	/* Sets *ends, which comes as true, to whether this delimiter ends the statement. */
	int (*delimiter)(struct dbl_split *, const struct dbl_token *, bool *ends,
			 struct dblock_error *);
	/* Fails if the file may not end here, within a statement. */
	int (*end)(struct dbl_split *, struct dblock_error *);
	enum dbl_statement_kind (*kind)(const struct dbl_split *); /* of all but ROLLBACK */
	/* NULL: no file of this dialect goes on in another session. */
	enum dbl_statement_session (*session)(const struct dbl_split *);
	/* Whether this statement changes how quotes are read; NULL: none does. */
	bool (*unsettles)(const struct dbl_split *);
};

extern const struct dbl_rules dbl_rules_sqlite, dbl_rules_postgresql, dbl_rules_mysql;

/* Whether this byte can be in a word, behind its first byte. */
static inline bool dbl_in_word(char c)
{
	return dbl_sql_is_word(c) || c == '$' || (unsigned char)c >= 0x80;
}

static inline bool dbl_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Lets the map go now and then, of which all before `at` was read. */
static inline void dbl_split_passed(struct dbl_split *s, size_t at)
{
	if (s->mapped && (at < s->passed || at - s->passed > DBL_TEXT_STRIDE)) {
		dbl_text_passed(s->text, s->mapped);
		s->passed = at;
	}
}

/* Reads the next token. */
int dbl_lex(struct dbl_split *, struct dbl_token *, struct dblock_error *err);

/* Reads what is quoted from s->at on (split_quote.c); !*found: nothing quoted begins there. */
int dbl_lex_quoted(struct dbl_split *, bool *found, struct dblock_error *err);

/* ---- split_text.c --------------------------------------------------------------------------- */

/* Fails as E_INVALID; the message begins with "file:line:col: " of that byte. */
int dbl_split_fail(const struct dbl_split *, size_t offset, struct dblock_error *err,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Returns the line of a byte, for the middle of a message. */
unsigned long dbl_split_line(const struct dbl_split *, size_t offset);

/* Moves a position over a text. A carriage return is a character of the line that it ends. */
struct dbl_position dbl_advance(struct dbl_position from, const char *text, size_t len);

/* Whether a token is this word, or one of a list: in lower case, a blank behind each: "if case
 * ". */
bool dbl_is(const struct dbl_split *, const struct dbl_token *, const char *word);
bool dbl_is_one_of(const struct dbl_split *, const struct dbl_token *, const char *words);
/* Whether the token before is one of these words. */
bool dbl_follows(const struct dbl_split *, const char *words);
/* Whether the n-th of the statement's first words (from 0) is one of these. */
bool dbl_nth(const struct dbl_split *, size_t n, const char *words);
/* Returns the index of the first such word from the n-th on; n_words if there is none. */
size_t dbl_word_after(const struct dbl_split *, size_t n, const char *words);

/* Whether the statement's text, apart from the data of a COPY, has this part, in any case of letters. */
bool dbl_statement_has(const struct dbl_split *, const char *part);

/* Fails as E_INVALID if a parenthesis is open. */
int dbl_split_parens(const struct dbl_split *, struct dblock_error *err);

/* How far a body, which ends with an END where a statement may begin, is read: track.phase. */
enum dbl_body { DBL_BODY_OUTSIDE, DBL_BODY_INSIDE, DBL_BODY_BEHIND };

/* Reads a token of such a body, or before it; `opens`: it opens the body. `what` is for
 * messages. */
int dbl_ended_token(struct dbl_split *, const struct dbl_token *, bool opens, const char *what,
		    struct dblock_error *err);

/* ---- the others ----------------------------------------------------------------------------- */

/* Whether this byte is the first of its line that is not blank. */
bool dbl_begins_line(const struct dbl_split *, size_t offset);

/* Whether this comment line means "-- no-transaction", however it is spelt. */
bool dbl_split_is_directive(const char *line, size_t len);

/* Collects a token that was read (split_tokens.c); ends: it ends a statement. */
void dbl_tokens_take(struct dbl_split *, const struct dbl_token *, bool ends);

/* MySQL's DELIMITER (split_delimiter.c): reads the line whose first word this is. */
int dbl_delimiter_line(struct dbl_split *, const struct dbl_token *, struct dblock_error *err);
/* Whether this word, inside a statement, is the first of what looks like such a line. */
bool dbl_is_delimiter_line(const struct dbl_split *, const struct dbl_token *);
/* Whether the delimiter is another one than `;`. */
bool dbl_delimiter_is_set(const struct dbl_split *);

/* MySQL's stored programs (split_program.c); the functions are as in dbl_rules. */
bool dbl_program_is(const struct dbl_split *);
int dbl_program_token(struct dbl_split *, const struct dbl_token *, struct dblock_error *err);
int dbl_program_delimiter(struct dbl_split *, bool *ends, struct dblock_error *err);
int dbl_program_end(struct dbl_split *, struct dblock_error *err);

/* The same for the body of a stored program (split_body.c). */
int dbl_body_token(struct dbl_split *, const struct dbl_token *, struct dblock_error *err);
int dbl_body_delimiter(struct dbl_split *, bool *ends, struct dblock_error *err);
int dbl_body_end(struct dbl_split *, struct dblock_error *err);
/* Fails since the end of the program cannot be found without DELIMITER. */
int dbl_body_needs_delimiter(const struct dbl_split *, size_t offset, struct dblock_error *err,
			     const char *what);

#endif
