/* SPDX-License-Identifier: MIT */
/* Text that others wrote, on its way to a terminal or into JSON. */
#ifndef DBL_CLI_TEXT_H
#define DBL_CLI_TEXT_H

#include <stddef.h>

/* A copy in which whatever would move the cursor, change the direction of the text or is not UTF-8
 * stands as \xNN. NULL: out of memory. To be freed. */
char *dbl_text_safe(const char *text);

/* A copy in which each byte that is not UTF-8 is U+FFFD. NULL: out of memory. To be freed. */
char *dbl_text_utf8(const char *text);

/* Columns that valid UTF-8 takes on a terminal: two for East Asian letters and emoji, none for
 * combining marks. Good enough to align a table. */
size_t dbl_text_width(const char *text);

/* End it where it would take more columns than that. */
void dbl_text_cut(char *text, size_t columns);

#endif
