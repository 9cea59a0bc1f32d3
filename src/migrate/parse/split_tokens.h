/* SPDX-License-Identifier: MIT */
/* What a file says, whatever it looks like: its tokens, without comments, and with no more of the
 * blanks between them than that there are some. Two files with the same tokens do the same. */
#ifndef DBL_MIGRATE_SPLIT_TOKENS_H
#define DBL_MIGRATE_SPLIT_TOKENS_H

#include "base/sha256.h"
#include "base/str.h"

/* Changes whenever what is written here does: sums of other algorithms are never equal. */
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
