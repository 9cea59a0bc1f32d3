/* SPDX-License-Identifier: MIT */
/* base/assert.h, in the place of src/base/assert.c: an assertion that fails breaks the world in
 * which it fails, as the invariants of check.h do. */
#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/schedule.h"

_Noreturn void dbl_assert_failed(const char *file, int line, const char *function,
				 const char *condition, const char *values, ...)
{
	const struct coroutine *self = coroutine_self();
	char text[200];
	va_list args;

	va_start(args, values);
	(void)vsnprintf(text, sizeof(text), values, args);
	va_end(args);
	if (!self) {
		fprintf(stderr, "%s:%d: %s(): %s;%s\n", file, line, function, condition, text);
		abort();
	}
	world_break(self->world, "ASSERT", "%s(), line %d: %s;%s", function, line, condition, text);
	for (;;)
		schedule_wait(NULL, SCHEDULE_NEVER);
}
