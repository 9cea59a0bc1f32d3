/* SPDX-License-Identifier: MIT */
/* UTF-8 (RFC 3629): validity and stepping. */
#ifndef DBL_BASE_UTF8_H
#define DBL_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decode the character at text, with len >= 1. Returns its length in bytes, 0 if it is not valid
 * UTF-8 (overlong forms, surrogates and what is above U+10FFFF are not). */
size_t dbl_utf8_next(const char *text, size_t len, uint32_t *character);

/* Copies as many whole characters of the text as fit with the NUL, up to one that is not valid, as messages of
 * a server may have. */
void dbl_utf8_cut(char *to, size_t room, const char *text);

/* Is it a C0 control, DEL, or a C1 control? Those would garble every listing. */
bool dbl_utf8_is_control(uint32_t character);

#endif
