/* SPDX-License-Identifier: MIT */
/* Base64 (RFC 4648, with padding): bytes as text. */
#ifndef DBL_BASE_BASE64_H
#define DBL_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* The length of the text of so many bytes, without the NUL at its end. */
size_t dbl_base64_len(size_t size);

/* Write the text, NUL-terminated, to dbl_base64_len(size) + 1 bytes. */
void dbl_base64_encode(const void *bytes, size_t size, char *text);

/* Write the bytes of a text of that length, at most len / 4 * 3; false: it is not base64. */
bool dbl_base64_decode(const char *text, size_t len, void *bytes, size_t *size);

#endif
