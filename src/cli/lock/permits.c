/* SPDX-License-Identifier: MIT */
/* -p 3/10, -p 3/stored, -p 3 --capacity stored: how many permits, of how many. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/lock/take.h"

/* Read a number of permits in decimal digits; *end is after it. False: there is none. */
static bool number(const char *text, int64_t *n, const char **end)
{
	size_t digits = strspn(text, "0123456789");

	*end = text + digits;
	errno = 0;
	*n = strtoll(text, NULL, 10);
	return digits > 0 && errno == 0 && *n > 0;
}

static bool read_capacity(const char *text, int64_t *capacity)
{
	const char *end;

	*capacity = DBLOCK_CAPACITY_STORED;
	return strcmp(text, "stored") == 0 || (number(text, capacity, &end) && *end == '\0');
}

static bool is_enough(int64_t n, int64_t capacity)
{
	return capacity == DBLOCK_CAPACITY_STORED || n <= capacity;
}

/* *slash: of "3/10"; else NULL. */
static bool read_n(const char *text, int64_t *n, const char **slash)
{
	const char *end;
	bool is_number = number(text, n, &end);

	*slash = is_number && *end == '/' ? end : NULL;
	return is_number && (*end == '\0' || *slash);
}

bool dbl_permits_wanted(const struct dbl_take *take)
{
	return take->permits || take->capacity;
}

void dbl_permits_read(const struct dbl_take *take, struct dblock_acquire_options *options)
{
	const char *slash = NULL;

	options->permits = 1;
	if (take->permits)
		(void)read_n(take->permits, &options->permits, &slash);
	(void)read_capacity(slash ? slash + 1 : take->capacity, &options->capacity);
}

static int check_capacity(const struct dbl_cli *cli, const struct dbl_take *take)
{
	int64_t n = 1, capacity;
	const char *slash = NULL;

	if (!read_capacity(take->capacity, &capacity))
		return dbl_cli_usage(cli,
				     "--capacity: '%s' is no number from 1, nor the word stored",
				     take->capacity);
	if (!take->permits)
		return DBL_EXIT_OK;
	if (!read_n(take->permits, &n, &slash))
		return dbl_cli_usage(cli, "--permits: '%s' is no number from 1", take->permits);
	if (slash)
		return dbl_cli_usage(cli,
				     "--permits: '%s' says how many there are, and so does "
				     "--capacity: say it once",
				     take->permits);
	if (is_enough(n, capacity))
		return DBL_EXIT_OK;
	return dbl_cli_usage(cli, "--permits: '%s' are more than there are", take->permits);
}

int dbl_permits_check(const struct dbl_cli *cli, const struct dbl_take *take)
{
	const char *text = take->permits, *slash;
	int64_t n, capacity;

	if (take->capacity)
		return check_capacity(cli, take);
	if (!text)
		return DBL_EXIT_OK;
	if (!read_n(text, &n, &slash) || (slash && !read_capacity(slash + 1, &capacity)))
		return dbl_cli_usage(cli,
				     "--permits: '%s' is not N/CAP, two numbers from 1 as in 3/10, "
				     "or N/stored",
				     text);
	if (!slash)
		return dbl_cli_usage(cli,
				     "--permits: '%s' does not say how many there are in all: "
				     "write %s/CAP, as in 3/10, or %s/stored",
				     text, text, text);
	return is_enough(n, capacity)
		       ? DBL_EXIT_OK
		       : dbl_cli_usage(cli, "--permits: '%s' are more than there are", text);
}
