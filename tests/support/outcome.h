/* SPDX-License-Identifier: MIT */
/* A call's outcome, and its message. */
#ifndef TESTS_SUPPORT_OUTCOME_H
#define TESTS_SUPPORT_OUTCOME_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <dblock/dblock.h>

/* The outcome must be the one expected, and err must agree with it. */
static inline void expect_at(int rc, int outcome, const struct dblock_error *err, const char *call,
			     const char *file, int line)
{
	if (rc != outcome) {
		print_error("%s\n%s instead of %s: %s\n", call, dblock_outcome_name(rc),
			    dblock_outcome_name(outcome), rc ? err->message : "");
		_fail(file, line);
	}
	if (rc && (err->code != rc || !err->message[0])) {
		print_error("%s\nreturned %s, but err says %s: '%s'\n", call,
			    dblock_outcome_name(rc), dblock_outcome_name(err->code), err->message);
		_fail(file, line);
	}
}

/* expect(OUTCOME, dblock_call(..., &err)): `err` is the caller's variable. */
#define expect(outcome, call) expect_at((call), DBLOCK_##outcome, &err, #call, __FILE__, __LINE__)

#define message_has(part)                                                                          \
	do {                                                                                       \
		if (!strstr(err.message, (part))) {                                                \
			print_error("no '%s' in '%s'\n", (part), err.message);                     \
			_fail(__FILE__, __LINE__);                                                 \
		}                                                                                  \
	} while (0)

#endif
