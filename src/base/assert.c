/* SPDX-License-Identifier: MIT */
#include "base/assert.h"

#ifdef DBLOCK_ASSERT
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* One call writes all of it, as other threads may be writing as well. */
void dbl_assert_failed(const char *file, int line, const char *function, const char *condition,
		       const char *values, ...)
{
	char text[1000];
	va_list args;

	va_start(args, values);
	(void)vsnprintf(text, sizeof(text), values, args);
	va_end(args);
	fprintf(stderr, "dblock: %s:%d: %s(): assertion failed: %s;%s\n", file, line, function,
		condition, text);
	abort();
}
#endif
