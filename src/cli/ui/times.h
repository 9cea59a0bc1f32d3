/* SPDX-License-Identifier: MIT */
/* Moments, for people and for machines. */
#ifndef DBL_CLI_TIMES_H
#define DBL_CLI_TIMES_H

#include <stdint.h>

/* Microseconds on CLOCK_BOOTTIME, which goes on while the machine sleeps. */
int64_t dbl_now_us(void);

enum { DBL_TIME_TEXT = 64 };

/* Local time, ISO 8601, to the second: 2024-05-01T12:00:00+02:00. "-" if us is 0. */
void dbl_time_local(int64_t us, char text[DBL_TIME_TEXT]);

/* Universal time, ISO 8601, to the microsecond: 2024-05-01T10:00:00.123456Z. */
void dbl_time_utc(int64_t us, char text[DBL_TIME_TEXT]);

/* "in 12s", "3s ago"; "-" for INT64_MIN, which is unknown. */
void dbl_time_left(int64_t ms, char text[DBL_TIME_TEXT]);

#endif
