/* SPDX-License-Identifier: MIT */
#include "cli/ui/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/ui/duration.h"

enum { US = 1000000 };

int64_t dbl_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * US + now.tv_nsec / 1000;
}

void dbl_time_local(int64_t us, char text[DBL_TIME_TEXT])
{
	time_t s = (time_t)(us / US);
	struct tm tm;
	char date[32];
	long zone;

	strcpy(text, "-");
	if (us == 0 || !localtime_r(&s, &tm) || !strftime(date, sizeof(date), "%FT%T", &tm))
		return;
	zone = labs(tm.tm_gmtoff) / 60;
	snprintf(text, DBL_TIME_TEXT, "%s%c%02ld:%02ld", date, tm.tm_gmtoff < 0 ? '-' : '+',
		 zone / 60, zone % 60);
}

void dbl_time_utc(int64_t us, char text[DBL_TIME_TEXT])
{
	time_t s = (time_t)(us / US);
	struct tm tm;
	char date[32];

	strcpy(text, "-");
	if (gmtime_r(&s, &tm) && strftime(date, sizeof(date), "%FT%T", &tm))
		snprintf(text, DBL_TIME_TEXT, "%s.%06" PRId64 "Z", date, us % US);
}

void dbl_time_left(int64_t ms, char text[DBL_TIME_TEXT])
{
	char duration[DBL_DURATION_TEXT];

	if (ms == INT64_MIN) {
		strcpy(text, "-");
		return;
	}
	dbl_duration_text(ms < 0 ? -ms : ms, duration);
	snprintf(text, DBL_TIME_TEXT, ms < 0 ? "%s ago" : "in %s", duration);
}
