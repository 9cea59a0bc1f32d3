/* SPDX-License-Identifier: MIT */
/* Base64 (RFC 4648, with padding): bytes as text. */
#ifndef DBL_BASE_BASE64_H
#define DBL_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* How long the text of so many bytes is, without the NUL behind it. */
size_t dbl_base64_len(size_t size);

/* The text, NUL-terminated: dbl_base64_len(size) + 1 bytes. */
void dbl_base64_encode(const void *bytes, size_t size, char *text);

/* The bytes of a text of that length, at most len / 4 * 3; false: it is not base64. */
bool dbl_base64_decode(const char *text, size_t len, void *bytes, size_t *size);

#endif
