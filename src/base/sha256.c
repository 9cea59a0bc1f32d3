/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"

static void write_hex(const uint8_t *digest, size_t n, char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 15];
	}
	hex[2 * n] = '\0';
}

void dbl_sha256_begin(struct dbl_sha256 *sum)
{
	sha256_init(&sum->context);
}

void dbl_sha256_add(struct dbl_sha256 *sum, const void *bytes, size_t len)
{
	sha256_update(&sum->context, len, bytes);
}

void dbl_sha256_end(struct dbl_sha256 *sum, char hex[DBL_SHA256_HEX + 1])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(&sum->context, sizeof(digest), digest);
	write_hex(digest, sizeof(digest), hex);
}

void dbl_sha256_hex(const void *bytes, size_t len, char hex[DBL_SHA256_HEX + 1])
{
	struct dbl_sha256 sum;

	dbl_sha256_begin(&sum);
	dbl_sha256_add(&sum, bytes, len);
	dbl_sha256_end(&sum, hex);
}

void dbl_sha384_hex(const void *bytes, size_t len, char hex[DBL_SHA384_HEX + 1])
{
	uint8_t digest[SHA384_DIGEST_SIZE];
	struct sha384_ctx context;

	sha384_init(&context);
	sha384_update(&context, len, bytes);
	sha384_digest(&context, sizeof(digest), digest);
	write_hex(digest, sizeof(digest), hex);
}
