/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"

#include <stdint.h>
#include <sys/types.h>

#include <sha2.h>

static void write_hex(const uint8_t *digest, size_t n, char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 15];
	}
	hex[2 * n] = '\0';
}

void dbl_sha256_hex(const void *bytes, size_t len, char hex[DBL_SHA256_HEX + 1])
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX context;

	SHA256Init(&context);
	SHA256Update(&context, bytes, len);
	SHA256Final(digest, &context);
	write_hex(digest, sizeof(digest), hex);
}

void dbl_sha384_hex(const void *bytes, size_t len, char hex[DBL_SHA384_HEX + 1])
{
	uint8_t digest[SHA384_DIGEST_LENGTH];
	SHA2_CTX context;

	SHA384Init(&context);
	SHA384Update(&context, bytes, len);
	SHA384Final(digest, &context);
	write_hex(digest, sizeof(digest), hex);
}
