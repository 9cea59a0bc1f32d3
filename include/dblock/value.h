/* SPDX-License-Identifier: MIT */
/**
 * @file value.h  Values of a database's columns, as they are given to dblock and come from it.
 */
#ifndef DBLOCK_VALUE_H
#define DBLOCK_VALUE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dblock_type {
	DBLOCK_NULL,
	DBLOCK_INT, /**< 64 bits; booleans are 0 and 1 */
	DBLOCK_TEXT /**< UTF-8; everything that is no integer, as the database writes it */
};

/** A value that is bound, or read. Frozen. */
struct dblock_value {
	enum dblock_type type;
	int64_t i;        /**< DBLOCK_INT */
	const char *text; /**< DBLOCK_TEXT; not NUL-terminated where dblock hands it out */
	size_t len;       /**< of the text, in bytes */
};

/** SQL's NULL. */
static inline struct dblock_value dblock_null(void)
{
	struct dblock_value value = {DBLOCK_NULL, 0, NULL, 0};

	return value;
}

/** An integer. */
static inline struct dblock_value dblock_int(int64_t i)
{
	struct dblock_value value = {DBLOCK_INT, 0, NULL, 0};

	value.i = i;
	return value;
}

/** A text, borrowed; NULL becomes SQL's NULL. */
static inline struct dblock_value dblock_text(const char *text)
{
	struct dblock_value value = {DBLOCK_NULL, 0, NULL, 0};

	if (text) {
		value.type = DBLOCK_TEXT;
		value.text = text;
		value.len = strlen(text);
	}
	return value;
}

#ifdef __cplusplus
}
#endif
#endif
