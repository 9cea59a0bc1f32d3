/* SPDX-License-Identifier: MIT */
#include "cli/ui/print.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool dbl_screen_can_move(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

bool dbl_screen_size(size_t *columns, size_t *rows)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		return false;
	*columns = size.ws_col;
	*rows = size.ws_row;
	return true;
}

/* no-color.org: any text but none. */
static bool by_itself(void)
{
	const char *no = getenv("NO_COLOR");

	return dbl_screen_can_move() && !(no && *no);
}

enum dbl_color dbl_color_read(const char *when)
{
	if (!when || strcmp(when, "auto") == 0)
		return by_itself() ? DBL_COLOR_ON : DBL_COLOR_OFF;
	if (strcmp(when, "always") == 0)
		return DBL_COLOR_ON;
	return strcmp(when, "never") == 0 ? DBL_COLOR_OFF : DBL_COLOR_UNKNOWN;
}
