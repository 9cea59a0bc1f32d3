/* SPDX-License-Identifier: MIT */
/* SHA-256 and SHA-384, as nettle computes them: with the processor's own instructions where it has some. */
#ifndef DBL_BASE_SHA256_H
#define DBL_BASE_SHA256_H

#include <stddef.h>

#include <nettle/sha2.h>

enum { DBL_SHA256_HEX = 64, DBL_SHA384_HEX = 96 };

/* The digest of some bytes in lower-case hexadecimal digits, NUL-terminated. */
void dbl_sha256_hex(const void *bytes, size_t len, char hex[DBL_SHA256_HEX + 1]);
void dbl_sha384_hex(const void *bytes, size_t len, char hex[DBL_SHA384_HEX + 1]);

/* The same of bytes that come in parts. */
struct dbl_sha256 {
	struct sha256_ctx context;
};

void dbl_sha256_begin(struct dbl_sha256 *);
void dbl_sha256_add(struct dbl_sha256 *, const void *bytes, size_t len);
void dbl_sha256_end(struct dbl_sha256 *, char hex[DBL_SHA256_HEX + 1]);

#endif
