/* SPDX-License-Identifier: MIT */
/* SHA-256, as libmd computes it. */
#ifndef DBL_BASE_SHA256_H
#define DBL_BASE_SHA256_H

#include <stddef.h>

enum { DBL_SHA256_HEX = 64 };

/* The digest of some bytes in lower-case hexadecimal digits, NUL-terminated. */
void dbl_sha256_hex(const void *bytes, size_t len, char hex[DBL_SHA256_HEX + 1]);

#endif
