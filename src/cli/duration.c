/* SPDX-License-Identifier: MIT */
#include "duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int64_t unit_ms(const char *unit)
{
	static const struct {
		const char *name;
		int64_t ms;
	} units[] = {{"", 1000},       {"ms", 1},          {"s", 1000},
		     {"m", 60 * 1000}, {"h", 3600 * 1000}, {"d", 24 * 3600 * 1000}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].ms;
	return 0;
}

/* The digits at text as a number, which stops growing once it is beyond the longest duration. */
static int64_t number(const char *text)
{
	int64_t n = 0;

	for (; *text >= '0' && *text <= '9' && n <= DBL_DURATION_MAX_MS; text++)
		n = n * 10 + (*text - '0');
	return n;
}

/* What the digits behind the point add, rounded up to a millisecond. */
static int64_t fraction_ms(const char *text, int64_t unit)
{
	enum { PER_MS = 1000 };
	int64_t worth = unit * PER_MS;
	int64_t sum = 0;

	for (; *text >= '0' && *text <= '9'; text++) {
		worth /= 10;
		sum += worth * (*text - '0');
	}
	return (sum + PER_MS - 1) / PER_MS;
}

enum dbl_duration_result dbl_duration_parse(const char *text, int64_t *ms)
{
	static const char decimal[] = "0123456789";
	const char *whole = *text == '-' ? text + 1 : text;
	const char *end = whole + strspn(whole, decimal);
	const char *fraction = "";
	int64_t unit;

	if (*end == '.') {
		fraction = end + 1;
		end = fraction + strspn(fraction, decimal);
	}
	unit = unit_ms(end);
	if (!unit || whole == end || *whole == '.' || end[-1] == '.')
		return DBL_DURATION_BAD;
	if (number(whole) > DBL_DURATION_MAX_MS / unit)
		return DBL_DURATION_TOO_LONG;
	*ms = number(whole) * unit + fraction_ms(fraction, unit);
	if (*text == '-' && *ms > 0)
		return DBL_DURATION_NEGATIVE;
	return *ms > DBL_DURATION_MAX_MS ? DBL_DURATION_TOO_LONG : DBL_DURATION_OK;
}

/* The larger unit, and the smaller one if there is something in it. */
static void two_units(char *text, int64_t large, char large_unit, int64_t small, char small_unit)
{
	int len = snprintf(text, DBL_DURATION_TEXT, "%" PRId64 "%c", large, large_unit);

	if (small && len > 0)
		snprintf(text + len, DBL_DURATION_TEXT - (size_t)len, "%" PRId64 "%c", small,
			 small_unit);
}

void dbl_duration_text(int64_t ms, char text[DBL_DURATION_TEXT])
{
	int64_t s = ms / 1000;

	if (ms < 1000)
		snprintf(text, DBL_DURATION_TEXT, "%" PRId64 "ms", ms);
	else if (s < 10 && ms % 1000 >= 100)
		snprintf(text, DBL_DURATION_TEXT, "%" PRId64 ".%" PRId64 "s", s, ms % 1000 / 100);
	else if (s < 60)
		two_units(text, s, 's', 0, ' ');
	else if (s < 3600)
		two_units(text, s / 60, 'm', s % 60, 's');
	else if (s < 24 * 3600)
		two_units(text, s / 3600, 'h', s % 3600 / 60, 'm');
	else
		two_units(text, s / (24 * 3600), 'd', s % (24 * 3600) / 3600, 'h');
}
