/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include <string.h>

static bool continues(unsigned char byte)
{
	return (byte & 0xC0) == 0x80;
}

/* The character's length by its first byte, and that byte's bits; 0: it cannot be the first. */
static size_t lead(unsigned char byte, uint32_t *bits)
{
	if (byte < 0x80) {
		*bits = byte;
		return 1;
	}
	if (byte >= 0xC2 && byte <= 0xDF) {
		*bits = byte & 0x1F;
		return 2;
	}
	if (byte >= 0xE0 && byte <= 0xEF) {
		*bits = byte & 0x0F;
		return 3;
	}
	if (byte >= 0xF0 && byte <= 0xF4) {
		*bits = byte & 0x07;
		return 4;
	}
	return 0;
}

size_t dbl_utf8_next(const char *text, size_t len, uint32_t *character)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *byte = (const unsigned char *)text;
	uint32_t c = 0;
	size_t n = lead(byte[0], &c);

	if (n == 0 || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (!continues(byte[i]))
			return 0;
		c = c << 6 | (byte[i] & 0x3F);
	}
	if (c < smallest[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		return 0;
	*character = c;
	return n;
}

bool dbl_utf8_is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

void dbl_utf8_cut(char *to, size_t room, const char *text)
{
	size_t len = strlen(text), at = 0, next;
	uint32_t c;

	while (at < len && (next = dbl_utf8_next(text + at, len - at, &c)) > 0 && at + next < room)
		at += next;
	memcpy(to, text, at);
	to[at] = '\0';
}
