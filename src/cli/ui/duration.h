/* SPDX-License-Identifier: MIT */
/* Durations, as people write and read them. */
#ifndef DBL_CLI_DURATION_H
#define DBL_CLI_DURATION_H

#include <stddef.h>
#include <stdint.h>

enum dbl_duration_result {
	DBL_DURATION_OK,
	DBL_DURATION_BAD,      /* not a number with a unit */
	DBL_DURATION_NEGATIVE, /* right, but for its sign */
	DBL_DURATION_TOO_LONG  /* does not fit */
};

/* The longest one is 100 years, far below anything that would overflow. */
#define DBL_DURATION_MAX_MS (36525LL * 24 * 3600 * 1000)

/* Read 250ms 3s 5m 1h 2d, 1.5s, 1h30m, or a bare number of seconds; as milliseconds, rounded up. */
enum dbl_duration_result dbl_duration_parse(const char *text, int64_t *ms);

enum { DBL_DURATION_TEXT = 32 };

/* Write "250ms", "1.5s", "12s", "5m30s", "2h5m", "3d4h": two units at most. ms >= 0. */
void dbl_duration_text(int64_t ms, char text[DBL_DURATION_TEXT]);

#endif
