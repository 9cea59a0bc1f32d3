/* SPDX-License-Identifier: MIT */
#include "cli/ui/duration.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The milliseconds of a unit; 0: there is no such unit. */
static int64_t unit_ms(const char *unit, size_t len)
{
	static const struct {
		const char *name;
		int64_t ms;
	} units[] = {{"", 1000},       {"ms", 1},          {"s", 1000},
		     {"m", 60 * 1000}, {"h", 3600 * 1000}, {"d", 24 * 3600 * 1000}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == len && strncmp(unit, units[i].name, len) == 0)
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

/* What the digits after the point add, rounded up to a millisecond. */
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

/* Read one number with its unit; *end is after it. *unit 0: it has none, or is no number. */
static int64_t part(const char *text, const char **end, int64_t *unit)
{
	static const char decimal[] = "0123456789", letters[] = "abcdefghijklmnopqrstuvwxyz";
	const char *fraction = "", *name = text + strspn(text, decimal);
	bool bad = name == text;

	if (*name == '.') {
		fraction = name + 1;
		name = fraction + strspn(fraction, decimal);
		bad = bad || name == fraction;
	}
	*end = name + strspn(name, letters);
	*unit = bad ? 0 : unit_ms(name, (size_t)(*end - name));
	if (*unit == 0 || number(text) > DBL_DURATION_MAX_MS / *unit)
		return DBL_DURATION_MAX_MS + 1;
	return number(text) * *unit + fraction_ms(fraction, *unit);
}

/* Of several parts, each has a smaller unit than the one before: 1h30m, not 30m1h and not 1h30. */
enum dbl_duration_result dbl_duration_parse(const char *text, int64_t *ms)
{
	const char *at = *text == '-' ? text + 1 : text;
	int64_t before = INT64_MAX, unit, sum = 0;

	do {
		const char *begin = at;
		int64_t more = part(begin, &at, &unit);
		bool bare = at > begin && at[-1] >= '0' && at[-1] <= '9';

		if (unit == 0 || unit >= before || (bare && before != INT64_MAX))
			return DBL_DURATION_BAD;
		sum += more <= DBL_DURATION_MAX_MS ? more : DBL_DURATION_MAX_MS + 1;
		before = unit;
	} while (*at);
	*ms = sum;
	if (*text == '-' && sum > 0)
		return DBL_DURATION_NEGATIVE;
	return sum > DBL_DURATION_MAX_MS ? DBL_DURATION_TOO_LONG : DBL_DURATION_OK;
}

/* Write the larger unit, and the smaller one unless it is 0. */
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
