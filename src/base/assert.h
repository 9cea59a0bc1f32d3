/* SPDX-License-Identifier: MIT */
/* Assertions: what must hold as long as the code is right, whatever the database, the network and
 * the caller do. They run where DBLOCK_ASSERT is defined (cmake/assert.cmake), in the builds for
 * tests; one that fails writes to stderr and aborts. A release only compiles them. What can go
 * wrong although the code is right is an outcome, and no assertion. */
#ifndef DBL_BASE_ASSERT_H
#define DBL_BASE_ASSERT_H

/* DBL_ASSERT(condition), or with values that tell why, as for printf(): DBL_ASSERT(count > 0,
 * "count %d", count). The condition has no side effects. */
#ifdef DBLOCK_ASSERT
#define DBL_ASSERT(condition, ...)                                                                 \
	((condition)                                                                               \
		 ? (void)0                                                                         \
		 : dbl_assert_failed(__FILE__, __LINE__, __func__, #condition, " " __VA_ARGS__))
#else
#define DBL_ASSERT(condition, ...) ((void)(0 && (condition)))
#endif

_Noreturn void dbl_assert_failed(const char *file, int line, const char *function,
				 const char *condition, const char *values, ...)
	__attribute__((format(printf, 5, 6)));

#endif
