/* SPDX-License-Identifier: MIT */
/* Helpers for values in rows and arguments. */
#ifndef DBL_LOCK_VALUE_H
#define DBL_LOCK_VALUE_H

#include "base/assert.h"
#include "base/mem.h"
#include "driver/value.h"

/* Copies a text, cut to size and NUL-terminated; NULL becomes "". */
static inline void dbl_copy_text(char *to, size_t size, const struct dbl_value *value)
{
	size_t len = value->type == DBL_TEXT ? value->len : 0;

	DBL_ASSERT(size > 0);
	if (len > size - 1)
		len = size - 1;
	if (len > 0)
		memcpy(to, value->text, len);
	to[len] = '\0';
}

/* A copy that the caller frees; NULL becomes "". NULL: out of memory. */
static inline char *dbl_dup_text(const struct dbl_value *value)
{
	return value->type == DBL_TEXT ? dbl_strndup(value->text, value->len) : dbl_strdup("");
}

static inline int64_t dbl_int_or(const struct dbl_value *value, int64_t otherwise)
{
	return value->type == DBL_INT ? value->i : otherwise;
}

/* The integer, or NULL where `given` is false. */
static inline struct dbl_value dbl_int_if(bool given, int64_t i)
{
	return given ? dbl_int(i) : dbl_null();
}

/* The row callback of operations that answer one integer; without a row, *ctx stays as it was. */
static inline int dbl_take_int(void *ctx, const struct dbl_value *row)
{
	*(int64_t *)ctx = row[0].i;
	return 0;
}

#endif
