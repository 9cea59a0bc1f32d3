/* SPDX-License-Identifier: MIT */
/* A string that grows. After a failed allocation it stays as it is and `failed` is set, so a chain
 * of appends needs only one check. */
#ifndef DBL_BASE_STR_H
#define DBL_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dbl_str {
	char *text; /* NUL-terminated once something was appended */
	size_t len;
	size_t room;
	bool failed;
};

void dbl_str_add(struct dbl_str *, const char *text);
void dbl_str_addn(struct dbl_str *, const char *text, size_t len);
void dbl_str_addz(struct dbl_str *, const char *text, size_t len); /* and a NUL, as a part of it */
void dbl_str_addi(struct dbl_str *, int64_t number);
/* In double quotes: JSON, or the element of an array of PostgreSQL's, where control characters stay. */
void dbl_str_add_quoted(struct dbl_str *, const char *text, size_t len, bool json);
void dbl_str_addf(struct dbl_str *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Hand the text to the caller, who frees it with dbl_free(); NULL if an allocation had failed. */
char *dbl_str_take(struct dbl_str *);

void dbl_str_free(struct dbl_str *);

#endif
