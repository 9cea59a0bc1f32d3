/* SPDX-License-Identifier: MIT */
/* Filling struct dblock_error. Every function here accepts err == NULL. */
#ifndef DBL_BASE_ERR_H
#define DBL_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>

#include <dblock/error.h>

#define DBL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Set code and message, clear native code and SQLSTATE; returns code. */
int dbl_fail(struct dblock_error *err, int code, const char *fmt, ...) DBL_PRINTF(3, 4);

/* As dbl_fail(), with the native code and, if not NULL, the SQLSTATE. */
int dbl_fail_native(struct dblock_error *err, int code, int native, const char *sqlstate,
		    const char *fmt, ...) DBL_PRINTF(5, 6);

/* Put "context: " before the message that is there. */
void dbl_err_prefix(struct dblock_error *err, const char *fmt, ...) DBL_PRINTF(2, 3);

/* Append to the message that is there. */
void dbl_err_suffix(struct dblock_error *err, const char *fmt, ...) DBL_PRINTF(2, 3);

/* Append a line to the message, which begins with `head`. If there is no room for all of it, the
 * message before it is cut, and not the line. */
void dbl_err_line(struct dblock_error *err, const char *head, const char *fmt, ...)
	DBL_PRINTF(3, 4);

/* Is there a line in the message that begins with `head`? */
bool dbl_err_has_line(const struct dblock_error *err, const char *head);

/* The heads of these lines: the statement, what else the database said, the present state, what to do
 * next, and more of that. */
#define DBL_LINE_STATEMENT "  "
#define DBL_LINE_SAID      "said:  "
#define DBL_LINE_STATE     "state: "
#define DBL_LINE_NEXT      "next:  "
#define DBL_LINE_MORE      "       "

/* Set a whole message, whose lines dbl_err_line() made and somebody kept; returns code. */
int dbl_fail_lines(struct dblock_error *err, int code, const char *message);

/* Join the lines to one, for callers that promise one. */
void dbl_err_join(struct dblock_error *err);

/* Replace every `text` in the message by `by`; NULL and "" are never found. */
void dbl_err_replace(struct dblock_error *err, const char *text, const char *by);

/* An empty error: code 0, no message. */
void dbl_err_clear(struct dblock_error *err);

#endif
