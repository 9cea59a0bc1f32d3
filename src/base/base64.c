/* SPDX-License-Identifier: MIT */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t dbl_base64_len(size_t size)
{
	return (size + 2) / 3 * 4;
}

void dbl_base64_encode(const void *bytes, size_t size, char *text)
{
	const unsigned char *from = bytes;

	for (size_t at = 0; at < size; at += 3, text += 4) {
		size_t n = size - at < 3 ? size - at : 3;
		uint32_t word = (uint32_t)from[at] << 16;

		word |= n > 1 ? (uint32_t)from[at + 1] << 8 : 0;
		word |= n > 2 ? from[at + 2] : 0;
		text[0] = digits[word >> 18];
		text[1] = digits[word >> 12 & 63];
		text[2] = n > 1 ? digits[word >> 6 & 63] : '=';
		text[3] = n > 2 ? digits[word & 63] : '=';
	}
	*text = '\0';
}

/* The 24 bits of four digits; -1: one of them is no digit. */
static int32_t word_of(const char *text, size_t n)
{
	int32_t word = 0;

	for (size_t i = 0; i < 4; i++) {
		const char *digit = i < n ? memchr(digits, text[i], 64) : digits;

		if (!digit)
			return -1;
		word = word << 6 | (int32_t)(digit - digits);
	}
	return word;
}

bool dbl_base64_decode(const char *text, size_t len, void *bytes, size_t *size)
{
	unsigned char *to = bytes;

	*size = 0;
	for (size_t at = 0; at < len; at += 4) {
		bool last = len - at == 4;
		size_t n = 4;
		int32_t word;

		while (last && n > 2 && text[at + n - 1] == '=')
			n--;
		word = len - at < 4 ? -1 : word_of(text + at, n);
		if (word < 0)
			return false;
		for (size_t i = 0; i + 1 < n; i++)
			to[(*size)++] = (unsigned char)(word >> (16 - 8 * i));
	}
	return true;
}
