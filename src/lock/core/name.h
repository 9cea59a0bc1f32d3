/* SPDX-License-Identifier: MIT */
/* Which names and values of locks are allowed, and patterns over names. Pure functions. */
#ifndef DBL_LOCK_NAME_H
#define DBL_LOCK_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "lock/core/acquire_spec.h"

enum { DBL_NAME_MAX = 255, DBL_VALUE_MAX = 1024, DBL_SLOT_MAX = 64 };

/* A name has 1 to 255 bytes of UTF-8 without control characters; else DBLOCK_E_INVALID. */
int dbl_name_check(const char *name, struct dblock_error *err);

/* A short text for people, such as a program's name, has at most max bytes of UTF-8 without control
 * characters; NULL is allowed. Else DBLOCK_E_INVALID, with a message that calls it `what`. */
int dbl_label_check(const char *what, const char *text, size_t max, struct dblock_error *err);

/* A value has at most 1024 bytes of UTF-8; NULL is allowed. Else DBLOCK_E_INVALID. */
int dbl_value_check(const char *value, struct dblock_error *err);

/* A slot has 1 to 64 bytes of UTF-8 without control characters; else DBLOCK_E_INVALID. */
int dbl_slot_check(const char *slot, struct dblock_error *err);

/* Matches the whole name: `*` is any characters, `?` is one, `\` takes the next one as it is. */
bool dbl_name_matches(const char *name, const char *pattern);

/* The hash function is FNV-1a (Fowler, Noll, Vo). */
uint64_t dbl_name_hash(const char *name, size_t len);

/* The hash of the spec's name, which the facade's calls have computed once. */
static inline uint64_t dbl_spec_hash(const struct dbl_acquire_spec *spec)
{
	return spec->hash ? spec->hash : dbl_name_hash(spec->name, strlen(spec->name));
}

#endif
