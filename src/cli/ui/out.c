/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>

#include "cli/ui/print.h"

/* Of the first failure: what is done after it has errors of its own. */
static int why;

int dbl_out_flush(void)
{
	if (fflush(stdout) == 0)
		return ferror(stdout);
	if (!why)
		why = errno;
	return -1;
}

int dbl_out_errno(void)
{
	return why;
}
