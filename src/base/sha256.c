/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"

#include <stdint.h>
#include <sys/types.h>

#include <sha2.h>

void dbl_sha256_hex(const void *bytes, size_t len, char hex[DBL_SHA256_HEX + 1])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX context;

	SHA256Init(&context);
	SHA256Update(&context, bytes, len);
	SHA256Final(digest, &context);
	for (size_t i = 0; i < sizeof(digest); i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 15];
	}
	hex[DBL_SHA256_HEX] = '\0';
}
