/* SPDX-License-Identifier: MIT */
/* SHA-256 and SHA-384, as libmd computes them. */
#ifndef DBL_BASE_SHA256_H
#define DBL_BASE_SHA256_H

#include <stddef.h>

enum { DBL_SHA256_HEX = 64, DBL_SHA384_HEX = 96 };

/* The digest of some bytes in lower-case hexadecimal digits, NUL-terminated. */
void dbl_sha256_hex(const void *bytes, size_t len, char hex[DBL_SHA256_HEX + 1]);
void dbl_sha384_hex(const void *bytes, size_t len, char hex[DBL_SHA384_HEX + 1]);

#endif
